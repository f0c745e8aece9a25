// child.h - a process that is spoken to line by line as long as it lives.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace raido {

// In a new process: it is ended when the thread that made it is gone, however that came (on Linux).
void end_with_parent();

class Child {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Starts argv[0] (found on PATH); its standard error goes to this file.
  Child(const std::vector<std::string>& argv, const std::string& error_file);
  ~Child();                                 // ends it, by force if need be
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  bool write(std::string_view text);        // false: it reads no more
  // The next line it prints, without its end; none when it prints no more, or at the deadline (see late()).
  std::optional<std::string> read_line(std::optional<Time> deadline);
  bool late() const { return late_; }
  // Ends its input, and waits for it. Its exit code, or 128 + the signal that killed it; 127 if it could not be started.
  int wait();
  void kill();

 private:
  pid_t process_ = -1;
  int to_ = -1, from_ = -1;
  std::string buffer_;
  size_t at_ = 0;                           // how much of the buffer has been taken
  bool late_ = false;
};

}  // namespace raido
