// spec.cc - the reader of test blocks.
//
// A block is a run of lines that begin with `--`, with a line `-- ==` among them. Its text after that line, without the
// comment markers, is read by a small recursive parser. Line breaks matter only where a clause extends to the end of its line.
#include "compiler/driver/spec.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include <fmt/format.h>

#include "compiler/base/text.h"
#include "compiler/driver/cases.h"
#include "compiler/driver/data.h"
#include "compiler/driver/generate.h"
#include "compiler/driver/script.h"

namespace raido {
namespace {

class BlockParser {
 public:
  // Line k of the text is line `line + k` of the file and begins there after indents[k] characters.
  BlockParser(std::string text, int line, std::vector<size_t> indents, bool first)
      : text_(std::move(text)), line_(line), indents_(std::move(indents)), first_(first) {}
  std::string error;

  bool parse(TestSpec& spec) {
    TestBlock block;
    if (accept_word("tags")) {
      if (!first_) return fail("only the first test block may have tags");
      if (!braces_of_words(spec.tags)) return false;
      for (const std::string& tag : spec.tags)
        if (!std::all_of(tag.begin(), tag.end(), word_char)) return fail(fmt::format("`{}` is not a tag", tag));
    }
    if (accept("error:")) {
      if (!first_) return fail("only the first test block may expect a compile-time error");
      spec.compile_error.emplace();
      if (!regex(*spec.compile_error)) return false;
      return at_end() ? true : fail("nothing may follow a compile-time `error:`");
    }
    while (accept("property:")) {
      std::vector<std::string> names;
      if (!entry_names(names)) return fail("expected the names of properties after `property:`");
      block.properties.insert(block.properties.end(), names.begin(), names.end());
    }
    if (!block.properties.empty()) {
      if (!at_end()) return fail("expected `property:` or the end of the block");
      spec.blocks.push_back(std::move(block));
      return true;
    }
    if (accept("entry:")) {
      if (!entry_names(block.entries)) return fail("expected the names of entry points after `entry:`");
    }
    if (block.entries.empty()) block.entries = {"main"};
    while (!at_end()) {
      if (accept("warning:")) {
        if (!first_) return fail("only the first test block may expect warnings");
        if (!regex(spec.warnings.emplace_back())) return false;
      } else if (accept_word("structure")) {
        if (!first_) return fail("only the first test block may count operations");
        if (!structure(spec)) return false;
      } else if (!test_case(block)) {
        return false;
      }
    }
    for (size_t i = 0; i < block.cases.size(); i++)
      for (size_t k = 0; k < i; k++)
        if (block.cases[i].title == block.cases[k].title)
          return fail(fmt::format("multiple datasets with name \"{}\"", block.cases[i].title));
    spec.blocks.push_back(std::move(block));
    return true;
  }

 private:
  bool fail(std::string what) {
    if (!error.empty()) return false;
    std::string_view before = std::string_view(text_).substr(0, at_);
    size_t line = size_t(std::count(before.begin(), before.end(), '\n')), start = before.rfind('\n') + 1;
    if (line == indents_.size()) line--, start = text_.rfind('\n', text_.size() - 2) + 1;   // the end of the block is that of its last line
    error = fmt::format("{}:{}: {}", size_t(line_) + line, indents_[line] + std::min(at_, text_.size() - 1) - start + 1, what);
    return false;
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : 0; }
  void skip() { while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) at_++; }
  void blanks() { while (peek() == ' ' || peek() == '\t' || peek() == '\r') at_++; }
  bool at_end() { skip(); return at_ >= text_.size(); }
  bool accept(std::string_view t) {
    skip();
    if (text_.compare(at_, t.size(), t) != 0) return false;
    at_ += t.size();
    return true;
  }
  static bool word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-'; }
  bool accept_word(std::string_view t) {
    size_t saved = at_;
    if (accept(t) && !word_char(peek()) && peek() != ':') return true;
    at_ = saved;
    return false;
  }
  std::string read_word() {
    skip();
    size_t from = at_;
    while (word_char(peek())) at_++;
    return text_.substr(from, at_ - from);
  }
  std::string rest_of_line() {
    size_t end = text_.find('\n', at_);
    if (end == std::string::npos) end = text_.size();
    std::string r = text_.substr(at_, end - at_);
    at_ = end;
    size_t a = r.find_first_not_of(" \t\r"), b = r.find_last_not_of(" \t\r");
    return a == std::string::npos ? "" : r.substr(a, b - a + 1);
  }
  static std::vector<std::string> words(const std::string& s) {
    std::vector<std::string> out;
    std::istringstream in(s);
    for (std::string w; in >> w;) out.push_back(std::move(w));
    return out;
  }
  // Names up to the end of the line; what is after the last one is for the caller.
  bool entry_names(std::vector<std::string>& out) {
    for (blanks(); std::isalpha(static_cast<unsigned char>(peek())) || peek() == '_'; blanks()) {
      size_t from = at_;
      while (is_name_char(peek())) at_++;
      out.push_back(text_.substr(from, at_ - from));
    }
    return !out.empty() && (peek() == '\n' || peek() == 0);
  }
  // The rest of the line is a regular expression.
  bool regex(std::string& out) {
    blanks();
    size_t from = at_;
    out = rest_of_line();
    std::string what = pattern_mistake(out);
    if (what.empty()) return true;
    at_ = from;
    return fail(fmt::format("`{}` is not a regular expression: {}", out, what));
  }
  bool braces_of_words(std::vector<std::string>& out) {
    if (!accept("{")) return fail("expected `{`");
    size_t end = text_.find('}', at_);
    if (end == std::string::npos) return fail("expected `}`");
    out = words(text_.substr(at_, end - at_));
    at_ = end + 1;
    return true;
  }
  // What stands between a pair of braces; braces inside strings do not count.
  bool braces(std::string& out) {
    if (!accept("{")) return fail("expected `{`");
    size_t from = at_;
    bool quoted = false;
    int depth = 1;
    for (; at_ < text_.size(); at_++) {
      char c = text_[at_];
      if (quoted && c == '\\') at_++;
      else if (c == '"') quoted = !quoted;
      else if (c == '{' && !quoted) depth++;
      else if (c == '}' && !quoted && --depth == 0) {
        out = text_.substr(from, at_ - from);
        at_++;
        return true;
      }
    }
    at_ = from - 1;
    return fail("expected `}` after this `{`");
  }
  bool values(std::vector<ir::Value>& out) {
    skip();
    size_t from = at_ + 1;
    std::string inside;
    if (!braces(inside)) return false;
    DataReader reader(inside);
    while (!reader.at_end()) {
      auto v = reader.read();
      if (!v) {
        at_ = from + reader.position();
        std::string_view said = reader.error();               // without its own position
        size_t message = said.find(": ");
        return fail(fmt::format("expected a value or `}}`: {}", message == said.npos ? said : said.substr(message + 2)));
      }
      out.push_back(std::move(*v));
    }
    return true;
  }
  bool structure(TestSpec& spec) {
    Structure s;
    skip();
    if (peek() != '{') {
      s.pipeline = read_word();
      for (std::string_view known : {"gpu", "gpu-mem", "mc", "mc-mem", "seq-mem", "internalised"})
        if (s.pipeline == known) s.pipeline = known, skip();
      if (peek() != '{') return fail("expected a pipeline (gpu, gpu-mem, mc, mc-mem, seq-mem, internalised) or `{` after `structure`");
    }
    std::vector<std::string> all;
    if (!braces_of_words(all)) return false;
    for (size_t i = 0; i < all.size(); i += 2) {
      bool counted = i + 1 < all.size() && all[i + 1].size() < 19 &&
                     std::all_of(all[i + 1].begin(), all[i + 1].end(), [](char c) { return c >= '0' && c <= '9'; });
      if (!counted) return fail(fmt::format("expected a number after `{}`", all[i]));
      s.counts.emplace_back(all[i], std::stoll(all[i + 1]));
    }
    spec.structures.push_back(std::move(s));
    return true;
  }
  std::string file_name() {
    skip();
    size_t from = at_;
    while (at_ < text_.size() && !std::isspace(static_cast<unsigned char>(text_[at_]))) at_++;
    return text_.substr(from, at_ - from);
  }

  bool test_case(TestBlock& block) {
    TestCase c;
    bool titled = false;
    skip();
    c.line = size_t(line_ + std::count(text_.begin(), text_.begin() + ptrdiff_t(at_), '\n'));
    if (peek() == '"') {
      DataReader reader(std::string_view(text_).substr(at_));
      auto title = reader.read();
      if (!title) return fail(reader.error().substr(reader.error().find(' ') + 1));         // after its place in the text
      c.title = title->bytes;
      at_ += reader.position();
      titled = true;
    }
    for (;;) {
      std::string w = read_word();
      if (w == "input") break;
      if (w == "random") c.input = TestCase::Input::Random;
      else if (w == "script") c.input = TestCase::Input::Script;
      else if (w.empty()) return fail(fmt::format("expected `input` or a tag, found {}", at_end() ? "the end of the block" : fmt::format("`{}`", peek())));
      else c.tags.push_back(w);
    }
    skip();
    if (c.input == TestCase::Input::Random || c.input == TestCase::Input::Script) {
      size_t from = at_;
      if (peek() == '@' && c.input == TestCase::Input::Script) at_++, c.input_text = "@" + file_name();
      else if (!braces(c.input_text)) return false;
      if (c.input == TestCase::Input::Random)
        for (const std::string& w : words(c.input_text))
          if (!parse_type_or_value(w)) {
            at_ = text_.find(w, from);
            return fail(fmt::format("`{}` is neither a type nor a value", w));
          }
    } else if (peek() == '@') {
      at_++;
      c.input = TestCase::Input::File;
      c.input_text = file_name();
    } else if (!values(c.values)) {
      return false;
    }
    if (!titled) c.title = derived_title(c, block.cases.size());
    if (accept("error:")) {
      c.expect = TestCase::Expect::Error;
      if (!regex(c.expect_text)) return false;
    } else if (accept_word("auto")) {
      if (!accept_word("output")) return fail("expected `output` after `auto`");
      c.expect = TestCase::Expect::Auto;
    } else if (accept_word("output")) {
      skip();
      if (peek() == '@') {
        at_++;
        c.expect = TestCase::Expect::File;
        c.expect_text = file_name();
      } else {
        c.expect = TestCase::Expect::Values;
        if (!values(c.expected)) return false;
      }
    }
    block.cases.push_back(std::move(c));
    return true;
  }
  static std::string derived_title(const TestCase& c, size_t number) {
    if (c.input == TestCase::Input::File) return c.input_text.ends_with(".gz") ? c.input_text.substr(0, c.input_text.size() - 3) : c.input_text;
    if (c.input == TestCase::Input::Script) return c.input_text.starts_with("@") ? c.input_text.substr(1) : ScriptEvaluator::one_line(c.input_text);
    if (c.input == TestCase::Input::Random) {
      std::string text;
      for (const std::string& w : words(c.input_text)) {
        auto what = parse_type_or_value(w);
        text += (text.empty() ? "" : " ") + (what && what->value ? to_text(*what->value, TextStyle::Plain) : w);
      }
      return text;
    }
    std::string text;
    for (const ir::Value& v : c.values) text += (text.empty() ? "" : " ") + to_text(v, TextStyle::Plain);
    if (text.size() > 50) text = text.substr(0, 50) + "...";
    return fmt::format("#{} (\"{}\")", number, text);
  }

  std::string text_;
  size_t at_ = 0;
  int line_;
  std::vector<size_t> indents_;
  bool first_;
};

}  // namespace

std::optional<TestSpec> parse_spec(const std::string& text, std::string& error) {
  TestSpec spec;
  std::vector<std::string> lines = split(text, '\n');
  bool first = true;
  for (size_t i = 0; i < lines.size(); i++) {
    if (!lines[i].starts_with("--")) continue;
    size_t end = i;
    std::optional<size_t> mark;
    for (; end < lines.size() && lines[end].starts_with("--"); end++) {
      std::string line = lines[end];
      while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back()))) line.pop_back();
      if (line != "-- ==") continue;
      if (mark) {
        error = fmt::format("{}: a second `-- ==` in the same comment; put an empty line between test blocks", end + 1);
        return {};
      }
      mark = end;
    }
    if (mark) {
      if (spec.compile_error) {
        error = fmt::format("{}: expecting no more test blocks, since first test block specifies type error.", *mark + 1);
        return {};
      }
      std::string body;
      std::vector<size_t> indents;
      for (size_t k = *mark + 1; k < end; k++) {
        size_t from = 2;
        while (from < lines[k].size() && (lines[k][from] == ' ' || lines[k][from] == '\t')) from++;
        body += lines[k].substr(from) + "\n";
        indents.push_back(from);
      }
      BlockParser parser(body, int(*mark) + 2, std::move(indents), first);
      if (!parser.parse(spec)) {
        error = parser.error;
        return {};
      }
      first = false;
    }
    i = end;
  }
  return spec;
}

}  // namespace raido
