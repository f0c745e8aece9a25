// files.cc - the operating system's side of files.h.
#include "compiler/base/files.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>

#include "compiler/base/child.h"
#include "compiler/base/panic.h"

namespace raido {
namespace {

// Closes its descriptor when it goes out of scope.
struct Descriptor {
  int fd = -1;
  ~Descriptor() { close_now(); }
  void close_now() { if (fd >= 0) ::close(fd); fd = -1; }
};

// Empty, or the reason why not all of it is written.
std::string write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::strerror(errno);
    text.remove_prefix(size_t(n));
  }
  return "";
}

}  // namespace

FileContents read_file(const std::string& path) {
  Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0) return {{}, std::strerror(errno)};
  struct stat info;
  if (::fstat(file.fd, &info) == 0 && S_ISDIR(info.st_mode)) return {{}, "Is a directory"};
  std::string text;
  char buffer[1 << 16];
  for (;;) {
    ssize_t n = ::read(file.fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return {{}, std::strerror(errno)};
    if (n == 0) return {std::move(text), ""};
    text.append(buffer, size_t(n));
  }
}

FileContents read_source(const std::string& path) {
  struct stat info;
  bool other = ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
  return other ? FileContents{{}, "Not a regular file"} : read_file(path);
}

std::string write_file(const std::string& link, std::string_view text, bool program) {
  struct stat info;
  bool exists = ::stat(link.c_str(), &info) == 0;
  if (exists && !S_ISREG(info.st_mode)) {
    Descriptor file{::open(link.c_str(), O_WRONLY | O_CLOEXEC)};
    return file.fd < 0 ? std::strerror(errno) : write_all(file.fd, text);
  }
  if (exists && ::access(link.c_str(), W_OK) != 0) return std::strerror(errno);     // though its folder might let us replace it
  // The file itself is replaced, not a link to it.
  std::error_code none;
  std::filesystem::path real = std::filesystem::canonical(link, none);
  std::string path = none ? link : real.string();
  std::string temporary = path + ".new." + std::to_string(::getpid());
  Descriptor file{::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, program ? 0777 : 0666)};
  if (file.fd < 0) return std::strerror(errno);
  std::string reason = write_all(file.fd, text);
  if (reason.empty() && exists) {
    mode_t run = program ? (info.st_mode & 0444) >> 2 : 0;
    if (::fchmod(file.fd, (info.st_mode & 07777) | run) != 0) reason = std::strerror(errno);
  }
  file.close_now();
  if (reason.empty() && ::rename(temporary.c_str(), path.c_str()) != 0) reason = std::strerror(errno);
  if (!reason.empty()) ::unlink(temporary.c_str());
  return reason;
}

std::string why_unwritable(const std::string& path) {
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) return std::strerror(EISDIR);
  bool exists = std::filesystem::exists(path, none), special = exists && !std::filesystem::is_regular_file(path, none);
  std::string folder = std::filesystem::path(path).parent_path().string();
  bool may = !exists || ::access(path.c_str(), W_OK) == 0;
  if (may && !special) may = ::access(folder.empty() ? "." : folder.c_str(), W_OK) == 0;       // for what takes its place
  return may ? "" : std::strerror(errno);
}

// Temporary folders disappear also where a signal ends the process. A handler may do very little, so it has another program remove them. A child
// process may end a moment later and make a file there meanwhile. Then the folder is not empty, and the program tries again.
namespace {

constexpr size_t most_folders = 64, longest_path = 256;
char folders[most_folders][longest_path];        // an empty name is free
pid_t their_owner;
std::atomic<bool> ending;                        // the handler has begun: nobody makes a folder from now on
std::atomic<int> making;                         // threads that do, and have not put its name among these
std::mutex folders_mutex;

// A handler must not call `fork`: it waits for the locks of the allocator, and the interrupted thread may hold one of them.
pid_t copy_of_process() {
#ifdef __linux__
  return ::_Fork();
#else
  return ::fork();
#endif
}

void on_last_signal(int number) {
  ending = true;
  for (int k = 0; making > 0 && k < 1000; k++) ::usleep(1000);
  if (::getpid() == their_owner && copy_of_process() == 0) {
    const char* argv[most_folders + 5] = {"sh", "-c", "k=0; until rm -rf -- \"$@\" 2>/dev/null || [ $k -ge 20 ]; do sleep 0.1; k=$((k + 1)); done", "sh"};
    size_t count = 4;
    for (const char* folder : folders)
      if (*folder) argv[count++] = folder;
    if (count > 4) ::execv("/bin/sh", const_cast<char**>(argv));
    ::_exit(127);
  }
  ::signal(number, SIG_DFL);
  ::raise(number);
}

void catch_signals() {
  std::lock_guard lock(folders_mutex);
  if (their_owner == ::getpid()) return;
  their_owner = ::getpid();
  std::memset(folders, 0, sizeof folders);       // those of the process that this one is a copy of
  for (int number : {SIGINT, SIGTERM, SIGHUP})
    if (auto before = ::signal(number, on_last_signal); before != SIG_DFL) ::signal(number, before);
}
// The first character comes last: a name is there as a whole, or not at all.
void remember_folder(const std::string& path) {
  std::lock_guard lock(folders_mutex);
  for (char* slot : folders) {
    if (*slot || path.size() >= longest_path) continue;
    std::memcpy(slot + 1, path.c_str() + 1, path.size());
    std::atomic_ref(*slot).store(path[0]);
    return;
  }
}
void forget_folder(const std::string& path) {
  std::lock_guard lock(folders_mutex);
  for (char* slot : folders)
    if (path == slot) *slot = 0;
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  const char* base = std::getenv("TMPDIR");
  std::string pattern = std::string(base && *base ? base : "/tmp") + "/raido-XXXXXX";
  catch_signals();
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);   // the handler waits for this thread, so it is another one that gets them
  making++;
  if (ending) {
    making--;
    for (;;) ::pause();
  }
  if (!::mkdtemp(pattern.data())) {
    std::fflush(stdout);
    std::fprintf(stderr, "There can be no temporary folder %s: %s. The variable TMPDIR names a place for it.\n", pattern.c_str(), std::strerror(errno));
    std::_Exit(2);
  }
  path_ = pattern;
  remember_folder(path_);
  making--;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}
TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;     // a file that cannot be removed now is the system's to clean up
  std::filesystem::remove_all(path_, ignored);
  forget_folder(path_);
}

// Several threads may do so at once, if they have no input to give: what becomes of SIGPIPE is the same for all of them.
ProcessResult run_process(const std::vector<std::string>& argv, std::string_view input, const std::string& temporary) {
  ProcessResult result;
  int in[2], out[2], err[2], failed[2];
  if (::pipe2(in, O_CLOEXEC) || ::pipe2(out, O_CLOEXEC) || ::pipe2(err, O_CLOEXEC) || ::pipe2(failed, O_CLOEXEC))
    PANIC("cannot make a pipe: {}", std::strerror(errno));
  pid_t child = ::fork();
  CHECK(child >= 0, "cannot start a process: {}", std::strerror(errno));
  if (child == 0) {
    end_with_parent();
    ::dup2(in[0], 0);
    ::dup2(out[1], 1);
    ::dup2(err[1], 2);
    if (!temporary.empty()) ::setenv("TMPDIR", temporary.c_str(), 1);
    std::vector<char*> args;
    for (const std::string& arg : argv) args.push_back(const_cast<char*>(arg.c_str()));
    args.push_back(nullptr);
    ::execvp(args[0], args.data());
    int reason = errno;
    if (::write(failed[1], &reason, sizeof reason) < 0) ::_exit(126);
    ::_exit(127);
  }
  Descriptor to_child{in[1]}, from_out{out[0]}, from_err{err[0]}, from_failed{failed[0]};
  ::close(in[0]); ::close(out[1]); ::close(err[1]); ::close(failed[1]);
  const bool writes = !input.empty();
  struct sigaction ignore {}, old {};
  ignore.sa_handler = SIG_IGN;
  if (writes) {
    ::sigaction(SIGPIPE, &ignore, &old);         // a child that does not read its input is no error of ours
    ::fcntl(to_child.fd, F_SETFL, O_NONBLOCK);
  } else {
    to_child.close_now();
  }
  char buffer[1 << 16];
  while (from_out.fd >= 0 || from_err.fd >= 0) {
    pollfd fds[3] = {{from_out.fd, POLLIN, 0}, {from_err.fd, POLLIN, 0}, {to_child.fd, POLLOUT, 0}};
    if (::poll(fds, 3, -1) < 0 && errno != EINTR) break;
    auto drain = [&](Descriptor& from, short events, std::string& text) {
      if (from.fd < 0 || !events) return;
      ssize_t n = ::read(from.fd, buffer, sizeof buffer);
      if (n > 0) text.append(buffer, size_t(n));
      else if (n == 0 || errno != EINTR) from.close_now();
    };
    drain(from_out, fds[0].revents, result.out);
    drain(from_err, fds[1].revents, result.err);
    if (to_child.fd >= 0 && fds[2].revents) {
      ssize_t n = ::write(to_child.fd, input.data(), input.size());
      if (n > 0) input.remove_prefix(size_t(n));
      if ((n < 0 && errno != EAGAIN && errno != EINTR) || input.empty()) to_child.close_now();
    }
  }
  to_child.close_now();
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  if (writes) ::sigaction(SIGPIPE, &old, nullptr);
  int reason = 0;
  result.started = ::read(from_failed.fd, &reason, sizeof reason) != sizeof reason;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

std::string_view embedded_file(std::string_view path) {
  auto found = find_embedded_file(path);
  CHECK(found, "no embedded file {}", path);
  return *found;
}

}  // namespace raido
