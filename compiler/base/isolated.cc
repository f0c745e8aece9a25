// isolated.cc - the copy answers through a pipe, with a last byte that says it is complete.
#include "compiler/base/isolated.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "compiler/base/child.h"
#include "compiler/base/panic.h"

namespace raido {

std::optional<std::string> isolated(const std::function<std::string()>& f, double seconds) {
  using Clock = std::chrono::steady_clock;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC)) PANIC("cannot make a pipe: {}", std::strerror(errno));
  pid_t copy = ::fork();
  CHECK(copy >= 0, "cannot start a process: {}", std::strerror(errno));
  if (copy == 0) {
    end_with_parent();
    std::string answer = f() + "!";
    for (std::string_view left = answer; !left.empty();) {
      ssize_t n = ::write(ends[1], left.data(), left.size());
      if (n < 0 && errno != EINTR) break;
      if (n > 0) left.remove_prefix(size_t(n));
    }
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string answer;
  auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
  char buffer[1 << 16];
  for (;;) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd fd = {ends[0], POLLIN, 0};
    int ready = ::poll(&fd, 1, int(std::clamp<int64_t>(left + 1, 0, 1 << 30)));
    if (ready < 0 && errno == EINTR) continue;
    ssize_t n = ready > 0 ? ::read(ends[0], buffer, sizeof buffer) : -1;
    if (n < 0 && ready > 0 && errno == EINTR) continue;
    if (n <= 0) break;
    answer.append(buffer, size_t(n));
  }
  ::close(ends[0]);
  bool complete = answer.ends_with("!");
  if (!complete) ::kill(copy, SIGKILL);
  while (::waitpid(copy, nullptr, 0) < 0 && errno == EINTR) {}
  if (!complete) return {};
  answer.pop_back();
  return answer;
}

}  // namespace raido
