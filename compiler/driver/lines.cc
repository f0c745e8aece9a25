// lines.cc - libedit if there is a terminal, else plain lines.
#include "compiler/driver/lines.h"

#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifdef RAIDO_LIBEDIT
#include <editline/readline.h>
#endif

namespace raido {
namespace {

sigjmp_buf back_to_prompt;
volatile sig_atomic_t at_prompt = 0;
#ifdef RAIDO_LIBEDIT
LineReader* completing = nullptr;            // libedit asks a plain function

char* next_completion(const char* start, int number) {
  static std::vector<std::string> found;
  if (number == 0) found = completing->complete ? completing->complete(start) : std::vector<std::string>();
  return size_t(number) < found.size() ? ::strdup(found[size_t(number)].c_str()) : nullptr;
}
#endif

// At the prompt Ctrl-C gives up the line; elsewhere it is for the process that evaluates.
void on_interrupt(int) {
  if (at_prompt) siglongjmp(back_to_prompt, 1);
}

}  // namespace

LineReader::LineReader() : terminal_(isatty(0) && isatty(1)) {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  if (terminal_) sigaction(SIGINT, &action, nullptr);
  else std::setvbuf(stdin, nullptr, _IONBF, 0);            // processes that evaluate read on where this one stopped
#ifdef RAIDO_LIBEDIT
  if (!terminal_) return;
  using_history();
  stifle_history(1000);
  if (const char* home = std::getenv("HOME"); home && *home) {
    history_ = std::string(home) + "/.raido_history";
    read_history(history_.c_str());
  }
#endif
}

LineReader::~LineReader() {
#ifdef RAIDO_LIBEDIT
  if (!history_.empty()) write_history(history_.c_str());
#endif
}

void LineReader::remember(const std::string& input) {
#ifdef RAIDO_LIBEDIT
  if (terminal_ && !input.empty()) add_history(input.c_str());
#else
  (void)input;
#endif
}

std::optional<std::string> LineReader::read(const std::string& prompt) {
  interrupted_ = false;
  if (terminal_ && sigsetjmp(back_to_prompt, 1)) {
    at_prompt = 0;
    interrupted_ = true;
    std::fputs("\n", stdout);
    return "";
  }
  at_prompt = terminal_;
#ifdef RAIDO_LIBEDIT
  if (terminal_) {
    completing = this;
    rl_completion_entry_function = next_completion;
    rl_completion_append_character = 0;
    char* line = readline(prompt.c_str());
    at_prompt = 0;
    if (!line) return {};
    std::string text = line;
    std::free(line);
    return text;
  }
#endif
  std::fputs(prompt.c_str(), stdout);
  std::fflush(stdout);
  char* line = nullptr;
  size_t size = 0;
  ssize_t n = getline(&line, &size, stdin);
  at_prompt = 0;
  std::optional<std::string> text;
  if (n >= 0) {
    text.emplace(line, size_t(n));
    while (!text->empty() && (text->back() == '\n' || text->back() == '\r')) text->pop_back();
  }
  std::free(line);
  return text;
}

}  // namespace raido
