// child.cc - two pipes and a file for standard error, so that nobody waits for a pipe that is full.
#include "compiler/base/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "compiler/base/panic.h"

namespace raido {

void end_with_parent() {
#ifdef __linux__
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
}

Child::Child(const std::vector<std::string>& argv, const std::string& error_file) {
  ::signal(SIGPIPE, SIG_IGN);               // a child that does not read is no error of ours
  int in[2], out[2];
  if (::pipe2(in, O_CLOEXEC) || ::pipe2(out, O_CLOEXEC)) PANIC("cannot make a pipe: {}", std::strerror(errno));
  int errors = ::open(error_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  CHECK(errors >= 0, "cannot write {}: {}", error_file, std::strerror(errno));
  process_ = ::fork();
  CHECK(process_ >= 0, "cannot start a process: {}", std::strerror(errno));
  if (process_ == 0) {
    end_with_parent();
    ::signal(SIGPIPE, SIG_DFL);
    ::dup2(in[0], 0);
    ::dup2(out[1], 1);
    ::dup2(errors, 2);
    std::vector<char*> args;
    for (const std::string& arg : argv) args.push_back(const_cast<char*>(arg.c_str()));
    args.push_back(nullptr);
    ::execvp(args[0], args.data());
    std::string reason = argv[0] + ": " + std::strerror(errno) + "\n";
    ::_exit(::write(2, reason.data(), reason.size()) < 0 ? 126 : 127);
  }
  ::close(in[0]), ::close(out[1]), ::close(errors);
  to_ = in[1], from_ = out[0];
}

Child::~Child() {
  if (process_ < 0) return;
  kill();
  wait();
}

bool Child::write(std::string_view text) {
  while (!text.empty()) {
    ssize_t n = ::write(to_, text.data(), text.size());
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) text.remove_prefix(size_t(n));
  }
  return true;
}

std::optional<std::string> Child::read_line(std::optional<Time> deadline) {
  for (;;) {
    if (size_t end = buffer_.find('\n', at_); end != std::string::npos) {
      std::string line = buffer_.substr(at_, end - at_);
      at_ = end + 1;
      return line;
    }
    buffer_.erase(0, at_), at_ = 0;
    int wait = -1;
    if (deadline) {
      auto left = std::chrono::duration_cast<std::chrono::milliseconds>(*deadline - std::chrono::steady_clock::now()).count();
      wait = int(std::clamp<int64_t>(left + 1, 0, 1 << 30));
    }
    pollfd fd = {from_, POLLIN, 0};
    int ready = ::poll(&fd, 1, wait);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return late_ = true, std::nullopt;
    char more[1 << 14];
    ssize_t n = ::read(from_, more, sizeof more);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return {};
    buffer_.append(more, size_t(n));
  }
}

void Child::kill() {
  if (process_ >= 0) ::kill(process_, SIGKILL);
}

int Child::wait() {
  for (int* fd : {&to_, &from_}) {
    if (*fd >= 0) ::close(*fd);
    *fd = -1;
  }
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {}
  process_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace raido
