// diagnostics.h - messages to users: one line of errors.def each, reported at a span, with labels, notes and one help.
//
//   diags.report(use, err::use_after_consume, name).label(consumed, "consumed here").help("...");
//
// The number of `{}` holes is part of a message's type, so a wrong number of arguments does not compile.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "compiler/source/source.h"

namespace raido {

// Optional: a warning that is off unless asked for. RunTime: said by the compiled program; here for the list of all messages.
enum class Severity { Error, Warning, Optional, RunTime };

template <int N> struct Diag { std::string_view code; Severity severity; std::string_view text; };

consteval int count_holes(std::string_view text) {
  int n = 0;
  for (size_t i = 0; i + 1 < text.size(); i++) n += text[i] == '{' && text[i + 1] == '}';
  return n;
}

namespace err {
#define DIAG(code, name, severity, text) inline constexpr Diag<count_holes(text)> name{#code, Severity::severity, text};
#include "compiler/source/errors.def"
#undef DIAG
}  // namespace err

struct Label { Span span; std::string text; };

// What made something fail, found before it is known what failed: a message of its own without a place, or (code empty) a remark.
struct Reason {
  std::string_view code;
  std::string text;
  explicit operator bool() const { return !text.empty(); }
};

// The text with its holes filled in order.
std::string fill(std::string_view text, const std::vector<std::string>& args);

template <int N, class... Args> Reason reason(const Diag<N>& kind, const Args&... args) {
  static_assert(N == sizeof...(Args), "the message has a different number of {} holes");
  return {kind.code, fill(kind.text, {std::string(args)...})};
}

struct Report {
  std::string_view code;
  Severity severity;
  Span span;
  std::string text;
  std::vector<Label> labels;
  std::vector<std::string> notes;
  std::string help;
};

class Diagnostics {
 public:
  // The report being built; it may be given labels, notes and help until the statement ends.
  class Draft {
   public:
    Draft(Diagnostics& diags, size_t index) : diags_(diags), index_(index) {}
    Draft& label(Span span, std::string text) { report().labels.push_back({span, std::move(text)}); return *this; }
    Draft& note(std::string text) { if (!text.empty()) report().notes.push_back(std::move(text)); return *this; }
    Draft& help(std::string text) { report().help = std::move(text); return *this; }
    // The reason follows the message; if it has a code, the whole report goes by it.
    Draft& because(const Reason& why);
    Draft& instead(const Reason& why);      // the reason says all there is to say
    std::string_view code() { return report().code; }

   private:
    Report& report() { return diags_.reports_[index_]; }
    Diagnostics& diags_;
    size_t index_;
  };

  template <int N, class... Args> Draft report(Span at, const Diag<N>& kind, const Args&... args) {
    static_assert(N == sizeof...(Args), "the message has a different number of {} holes");
    return add(kind.code, kind.severity, at, kind.text, {std::string(args)...});
  }
  bool has_errors() const { return errors_ > 0; }
  size_t error_count() const { return errors_; }
  bool has(std::string_view code, Span at) const;
  // For steps that are tried and may be taken back.
  size_t mark() const { return reports_.size(); }
  void rollback(size_t mark);
  // The same reason for all reports since `mark`.
  void because(size_t mark, const Reason& why);
  // Sorted by file and position, duplicates (same code, same place) removed. Of the optional warnings only those with these
  // codes, or all for "all".
  std::vector<Report> sorted(const std::vector<std::string>& optional = {}) const;

 private:
  Draft add(std::string_view code, Severity severity, Span at, std::string_view text, std::vector<std::string> args);
  std::vector<Report> reports_;
  size_t errors_ = 0;
};

// Every kind of message, in the order of errors.def. A code may have several texts.
struct MessageKind { std::string_view code, name; Severity severity; std::string_view text; };
const std::vector<MessageKind>& all_kinds();

// The report as one line of JSON: code, severity, message, file, span, labels, notes, help.
std::string render_json(const Sources& sources, const Report& report);

// The reports as text in the form of a terminal message: first line `Error at FILE:L:C-C:`, the message, source lines.
// The message and what follows it are indented by two blanks for warnings.
std::string render(const Sources& sources, const Report& report);

}  // namespace raido
