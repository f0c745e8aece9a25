// Messages to the terminal. Places in the core program are lines and columns; here they become spans of the source again.
#include "compiler/driver/reports.h"

#include <algorithm>
#include <cctype>
#include <cstdio>

#include <fmt/format.h>

#include "compiler/base/files.h"
#include "compiler/driver/output.h"
#include "compiler/ir/transform.h"

namespace raido {

namespace {

bool is_error(const Report& r) { return r.severity == Severity::Error; }

Span span_of(const Sources& sources, const ir::Program& program, ir::Source at) {
  if (!at.valid()) return {};
  const ir::SourceInfo& i = program.sources[at.index];
  return sources.span(i.file, {i.line, i.column}, {i.end_line, i.end_column});
}

}  // namespace

bool print_reports(const Sources& sources, const Diagnostics& diags, const Options& options) {
  bool any_warning = false, first = true;
  for (const Report& r : diags.sorted(options.warn)) {
    if (!is_error(r) && options.no_warnings) continue;
    any_warning |= !is_error(r);
    if (options.json) fmt::print(stderr, "{}", render_json(sources, r));
    else fmt::print(stderr, "{}{}", first ? "" : "\n", render(sources, r));
    first = false;
  }
  if (diags.has_errors()) return false;
  if (any_warning && options.werror) {
    if (!options.json) fmt::print(stderr, "Treating above warnings as errors due to --Werror.\n");
    return false;
  }
  return true;
}

void report_refused(const std::vector<Refused>& refused, const ir::Program& program, const check::Checked* checked, const Options& options) {
  Sources none;
  const Sources& sources = checked ? checked->sources : none;
  Diagnostics diags;
  for (const Refused& r : refused) {
    Span at = span_of(sources, program, r.at);
    switch (r.why) {
      case Refusal::DifferentiateRecursion: diags.report(at, err::own_derivative).help("`raido run` runs it"); break;
      case Refusal::ActiveInRule: diags.report(at, err::active_in_rule, r.detail).help("make it part of the argument, so that the rule gives its derivative, too"); break;
      case Refusal::DeviceCode: diags.report(at, err::device_code, r.detail).help("compile it with `c` or `multicore`"); break;
    }
  }
  print_reports(sources, diags, options);
}

bool report_on_host(const std::vector<Refused>& moved, const ir::Program& program, const check::Checked* checked, const Options& options) {
  Sources none;
  const Sources& sources = checked ? checked->sources : none;
  Diagnostics diags;
  for (const Refused& r : moved) diags.report(span_of(sources, program, r.at), err::on_host, r.detail);
  return print_reports(sources, diags, options);
}

bool report_exceeded(const std::vector<Exceeded>& exceeded, const ir::Program& program, const check::Checked* checked, const Options& options) {
  Sources none;
  const Sources& sources = checked ? checked->sources : none;
  Diagnostics diags;
  for (const Exceeded& x : exceeded) diags.report(span_of(sources, program, x.at), err::small_budget, fmt::format("{}", x.least), fmt::format("{}", x.memory));
  return print_reports(sources, diags, options);
}

bool report_attributes(const ir::Program& program, const check::Checked& checked, const Options& options) {
  Diagnostics diags;
  auto look = [&](const ir::Stm& s) {
    auto* warn = ir::find_attr(s.attrs, "warn");
    if (auto* a = std::get_if<ir::Assert>(&s.exp); a && warn && warn->word == "safety_checks")
      diags.report(span_of(checked.sources, program, s.source), err::safety_check, program.texts[a->message.index]);
    auto* f = std::get_if<ir::For>(&s.exp);
    bool unknown = std::get_if<ir::While>(&s.exp) || (f && std::get_if<ir::Var>(&f->n));
    if (unknown && ir::has_attr(s.attrs, "unroll")) diags.report(span_of(checked.sources, program, s.source), err::unrollable);
  };
  program.each_body([&](const ir::Body& b) { ir::each_stm(b, look); });
  return print_reports(checked.sources, diags, options);
}

bool explain(std::string code) {
  for (char& c : code) c = char(std::toupper(static_cast<unsigned char>(c)));
  if (auto essay = find_embedded_file("docs/errors/" + code + ".md")) {
    print("{}", *essay);
    return true;
  }
  fmt::print(stderr, "There is no message with the code `{}`; --list-errors lists them.\n", code);
  return false;
}

void list_errors() {
  std::vector<MessageKind> kinds = all_kinds();
  std::stable_sort(kinds.begin(), kinds.end(), [](const MessageKind& a, const MessageKind& b) { return a.code < b.code; });
  for (const MessageKind& k : kinds) {
    static constexpr const char* severities[] = {"error", "warning", "optional", "run-time"};
    print("{}  {:<8}  {}\n", k.code, severities[size_t(k.severity)], k.text.substr(0, k.text.find('\n')));
  }
}

}  // namespace raido
