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

enum class Severity { Error, Warning };

template <int N> struct Diag { const char* code; Severity severity; std::string_view text; };

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
struct Report {
  const char* code;
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
  // For steps that are tried and may be taken back.
  size_t mark() const { return reports_.size(); }
  void rollback(size_t mark);
  // Sorted by file and position, duplicates (same code, same place) removed.
  std::vector<Report> sorted() const;

 private:
  Draft add(const char* code, Severity severity, Span at, std::string_view text, std::vector<std::string> args);
  std::vector<Report> reports_;
  size_t errors_ = 0;
};

// The reports as text in the form of a terminal message: first line `Error at FILE:L:C-C:`, the message, source lines.
// The message and what follows it are indented by two blanks for warnings.
std::string render(const Sources& sources, const Report& report);

}  // namespace raido
