// editor_actions.cc - the edits that messages propose.
//
// A `help:` line names what would do in backquotes: a name, an expression, a word. Where it goes is tried: the place of the message, of
// its labels, or the part of them that the text repeats. What is offered is what makes the message go away and no other appear.
#include <algorithm>

#include <fmt/format.h>

#include "compiler/base/text.h"
#include "compiler/driver/editor.h"

namespace raido {

namespace {

struct Edit { uint32_t begin, end; std::string text; };

std::vector<std::string> backquoted(const std::string& text) {
  std::vector<std::string> out;
  for (size_t open = text.find('`'); open != text.npos;) {
    size_t close = text.find('`', open + 1);
    if (close == text.npos) break;
    out.push_back(text.substr(open + 1, close - open - 1));
    open = text.find('`', close + 1);
  }
  return out;
}

// The places where a message's proposal may go, the likeliest first.
std::vector<Edit> candidates(const std::string& text, const Report& r, const std::string& proposal) {
  std::vector<Edit> out;
  if (proposal.starts_with("case ")) {               // another case of a match, with a hole for its value
    size_t line = text.rfind('\n', r.span.begin == 0 ? 0 : r.span.begin - 1);
    size_t margin = line == text.npos ? 0 : line + 1, stop = margin;
    while (stop < text.size() && text[stop] == ' ') stop++;
    std::string whole = proposal.substr(0, proposal.find(" ..."));
    out.push_back({r.span.end, r.span.end, "\n" + std::string(stop - margin, ' ') + whole + " ???"});
    return out;
  }
  std::vector<Span> places{r.span};
  for (const Label& l : r.labels) if (l.span.file == r.span.file) places.push_back(l.span);
  size_t blank = proposal.find(' ');
  for (Span s : places)
    for (const std::string& as : {proposal, "(" + proposal + ")"}) out.push_back({s.begin, s.end, as});
  // `copy x` takes the place of `x`, `i64.i32 x` too; `x :> t` does as well.
  for (const std::string& operand : {blank == proposal.npos ? "" : proposal.substr(blank + 1), proposal.substr(0, proposal.find(" :> "))}) {
    if (operand.empty() || operand == proposal) continue;
    for (Span s : places) {
      size_t last = text.find('\n', s.end);
      for (size_t at = s.begin; (at = text.find(operand, at)) < std::min(last, text.size()); at++) {
        bool alone = (at == 0 || !is_name_char(text[at - 1])) && (at + operand.size() >= text.size() || !is_name_char(text[at + operand.size()]));
        if (alone) out.push_back({uint32_t(at), uint32_t(at + operand.size()), "(" + proposal + ")"});
      }
    }
  }
  return out;
}

}  // namespace

Json Editor::actions(const Json& params) const {
  std::string path = path_of(text_at(params, "textDocument.uri")), text = text_of(path);
  size_t from = byte_of(text, member(params, "range.start")), to = byte_of(text, member(params, "range.end"));
  Unit unit = checked(path);
  Json out = Json::array();
  if (!unit->program.root) return out;
  FileId root = unit->program.root->id;
  std::vector<Report> reports = unit->diags.sorted();
  auto weight = [&](const std::vector<Report>& all) {                // errors count more than all warnings
    size_t n = 0;
    for (const Report& r : all) n += r.severity == Severity::Error ? 10000 : 1;
    return n;
  };
  for (const Report& r : reports) {
    if (r.span.file != root || r.span.begin > to || r.span.end < from) continue;
    bool done = false;
    for (const std::string& proposal : backquoted(r.help)) {
      size_t tries = 0;
      for (const Edit& e : candidates(text, r, proposal)) {
        if (done || tries > 12) break;
        // Nothing that was written may be lost, except a word for a word.
        std::string replaced = text.substr(e.begin, e.end - e.begin);
        bool word = replaced.find_first_of(" \n") == replaced.npos && e.text.find(' ') == e.text.npos;
        if (!word && e.text.find(replaced) == e.text.npos) continue;
        tries++;
        std::string changed = text.substr(0, e.begin) + e.text + text.substr(e.end);
        Unit then = checked(path, changed);
        if (then->parsed < unit->parsed || weight(then->diags.sorted()) >= weight(reports)) continue;
        done = true;
        std::string title = e.begin == e.end ? fmt::format("add `{}`", proposal) : fmt::format("write `{}`", e.text);
        out.push_back({{"title", title}, {"kind", "quickfix"}, {"isPreferred", true}, {"diagnostics", Json::array({report(*unit, r)})},
                       {"edit", {{"changes", {{uri_of(path), Json::array({{{"range", range(unit->sources, {root, e.begin, e.end})}, {"newText", e.text}}})}}}}}});
      }
    }
  }
  return out;
}

}  // namespace raido
