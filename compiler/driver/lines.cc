// lines.cc - libedit if there is a terminal, else plain lines.
#include "compiler/driver/lines.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifdef RAIDO_LIBEDIT
#include <editline/readline.h>
#endif

namespace raido {
namespace {

// At the prompt Ctrl-C gives up the line; elsewhere it is for the process that evaluates. Any thread may get the signal, so the one
// that waits for a key also waits for this pipe.
int interrupts[2] = {-1, -1};
void on_interrupt(int) {
  if (::write(interrupts[1], "", 1) < 0) return;           // it is full: nobody waits
}

// True if Ctrl-C came since this was asked last.
bool interrupted_now() {
  char some[64];
  return interrupts[0] >= 0 && ::read(interrupts[0], some, sizeof some) > 0;
}

// False: Ctrl-C came first.
bool wait_for_key() {
  pollfd either[] = {{0, POLLIN, 0}, {interrupts[0], POLLIN, 0}};
  while (::poll(either, 2, -1) < 0 && errno == EINTR) {}
  return !either[1].revents;
}

#ifdef RAIDO_LIBEDIT
// libedit calls plain functions.
LineReader* completing = nullptr;
std::optional<std::string> entered;
bool ended = false;

char* next_completion(const char* start, int number) {
  static std::vector<std::string> found;
  if (number == 0) found = completing->complete ? completing->complete(start) : std::vector<std::string>();
  return size_t(number) < found.size() ? ::strdup(found[size_t(number)].c_str()) : nullptr;
}

void on_line(char* line) {
  ended = true;
  if (line) entered = line;
  std::free(line);
  rl_callback_handler_remove();
}
#endif

}  // namespace

LineReader::LineReader() : terminal_(isatty(0) && isatty(1)) {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  if (!terminal_) std::setvbuf(stdin, nullptr, _IONBF, 0);           // processes that evaluate read on where this one stopped
  else if (::pipe2(interrupts, O_CLOEXEC | O_NONBLOCK) == 0) sigaction(SIGINT, &action, nullptr);
#ifdef RAIDO_LIBEDIT
  if (!terminal_) return;
  std::setlocale(LC_CTYPE, "");
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
  interrupted_now();                                       // that one was for someone else
  std::optional<std::string> line = terminal_ ? edited(prompt) : plain(prompt);
  interrupted_ = interrupted_now();
  if (!interrupted_) return line;
  std::fputs("\n", stdout);
  return "";
}

std::optional<std::string> LineReader::edited(const std::string& prompt) {
#ifdef RAIDO_LIBEDIT
  completing = this;
  rl_completion_entry_function = next_completion;
  rl_completion_append_character = 0;
  entered.reset();
  ended = false;
  rl_callback_handler_install(prompt.c_str(), on_line);
  while (!ended && wait_for_key()) rl_callback_read_char();
  if (!ended) rl_callback_handler_remove();
  return entered;
#else
  return plain(prompt);
#endif
}

std::optional<std::string> LineReader::plain(const std::string& prompt) {
  std::fputs(prompt.c_str(), stdout);
  std::fflush(stdout);
  if (terminal_ && !wait_for_key()) return {};             // a terminal gives whole lines
  char* line = nullptr;
  size_t size = 0;
  ssize_t n = getline(&line, &size, stdin);
  std::optional<std::string> text;
  if (n >= 0) {
    text.emplace(line, size_t(n));
    while (!text->empty() && (text->back() == '\n' || text->back() == '\r')) text->pop_back();
  }
  std::free(line);
  return text;
}

}  // namespace raido
