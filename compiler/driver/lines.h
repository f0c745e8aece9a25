// lines.h - lines from a person, with editing and history where the build has libedit and the input is a terminal.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace raido {

class LineReader {
 public:
  LineReader();
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  // A line without its end. None at the end of the input; `interrupted` is set, and the line empty, after Ctrl-C.
  std::optional<std::string> read(const std::string& prompt);
  bool interrupted() const { return interrupted_; }
  bool terminal() const { return terminal_; }
  // The lines that Ctrl-P brings back.
  void remember(const std::string& input);
  // What the word before the cursor may become, for Tab.
  std::function<std::vector<std::string>(const std::string&)> complete;

 private:
  std::optional<std::string> edited(const std::string& prompt);
  std::optional<std::string> plain(const std::string& prompt);

  bool terminal_ = false, interrupted_ = false;
  std::string history_;          // the file; empty: none
};

}  // namespace raido
