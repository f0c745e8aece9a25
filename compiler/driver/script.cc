// script.cc - one pass over the text: it is read and evaluated at the same time.
#include "compiler/driver/script.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "compiler/base/files.h"
#include "compiler/base/text.h"
#include "compiler/driver/commands.h"
#include "compiler/driver/data.h"
#include "compiler/driver/output.h"
#include "compiler/driver/pictures.h"
#include "compiler/driver/script_values.h"
#include "compiler/driver/show.h"
#include "compiler/ir/interpret.h"

namespace raido {

using ir::Value;
using lower::Layout;
using Kind = ScriptValue::Kind;

namespace {

constexpr int max_depth = 1000;

// A picture as numbers 0xAARRGGBB.
std::optional<Value> picture_value(std::string_view bytes, std::string& error) {
  auto picture = read_png(bytes, error);
  if (!picture) return {};
  Value v{Scalar::U32, {picture->height, picture->width}, {}};
  for (size_t i = 0; i < picture->bytes.size(); i += 4) {
    auto part = [&](size_t k) { return uint32_t(uint8_t(picture->bytes[i + k])); };
    v.push(part(3) << 24 | part(0) << 16 | part(1) << 8 | part(2));
  }
  return v;
}

// A row for each channel.
std::optional<Value> sound_value(std::string_view bytes, std::string& error) {
  auto sound = read_wav(bytes, error);
  if (!sound) return {};
  size_t samples = sound->channels[0].size();
  Value v{Scalar::F64, {int64_t(sound->channels.size()), int64_t(samples)}, {}};
  for (const auto& channel : sound->channels)
    for (size_t i = 0; i < samples; i++) v.push(channel[i]);
  return v;
}

ScriptEntries entries_of(const Compiled& program) {
  ScriptEntries out;
  for (size_t i = 0; i < program.program.entries.size() && i < program.layouts.size(); i++) {
    const check::EntryPoint& checked = program.checked->result.entry_points[i];
    ScriptEntry& e = out[program.program.entries[i].name] = {{}, checked.result.type_name, program.layouts[i]};
    for (const check::External& p : checked.params) e.param_types.push_back(p.type_name);
  }
  return out;
}

ScriptEvaluator::Call interpreted(const Compiled& program) {
  return [&program](const std::string& entry, const std::vector<Value>& leaves, std::string& wrong) -> std::optional<std::vector<Value>> {
    ir::InterpretOptions how;
    how.trace = print_trace;
    ir::Outcome outcome = ir::interpret(program.program, entry, leaves, how);
    if (outcome.failure) return wrong = raido::ir::show(*outcome.failure), std::nullopt;
    return std::move(outcome.results);
  };
}

}  // namespace

ScriptEvaluator::ScriptEvaluator(const Compiled& program, std::string folder, bool may_store, Call call)
    : ScriptEvaluator(entries_of(program), std::move(folder), may_store, call ? std::move(call) : interpreted(program)) {}

ScriptEvaluator::ScriptEvaluator(ScriptEntries entries, std::string folder, bool may_store, Call call)
    : entries_(std::move(entries)), folder_(std::move(folder)), may_store_(may_store), call_(std::move(call)) {
  for (const auto& [name, e] : entries_) {
    for (size_t k = 0; k < e.param_types.size(); k++) types_[e.param_types[k]] = &e.layout.params[k];
    types_[e.result_type] = &e.layout.result;
  }
}

std::nullopt_t ScriptEvaluator::fail(std::string message) {
  if (error_.empty()) error_ = std::move(message);
  return std::nullopt;
}

// --- reading ---

// Of a mistake in the text, with its place.
std::nullopt_t ScriptEvaluator::fail_here(std::string message) {
  skip();
  return fail(place_in(text_, at_) + ": " + message);
}
std::string ScriptEvaluator::found() { return peek() ? fmt::format("`{}`", peek()) : "the end"; }

void ScriptEvaluator::skip() {
  for (;;) {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) at_++;
    if (text_.substr(at_, 2) != "--") return;
    while (at_ < text_.size() && text_[at_] != '\n') at_++;
  }
}
char ScriptEvaluator::peek() { skip(); return at_ < text_.size() ? text_[at_] : '\0'; }
bool ScriptEvaluator::accept(char c) {
  if (peek() != c) return false;
  at_++;
  return true;
}
bool ScriptEvaluator::expect(char c) {
  if (accept(c)) return true;
  fail_here(fmt::format("expected `{}`, found {}", c, found()));
  return false;
}
bool ScriptEvaluator::at_word(std::string_view word) {
  skip();
  return text_.substr(at_, word.size()) == word && (at_ + word.size() >= text_.size() || !is_name_char(text_[at_ + word.size()]));
}
std::string ScriptEvaluator::name() {
  skip();
  size_t from = at_;
  while (at_ < text_.size() && is_name_char(text_[at_])) at_++;
  if (at_ == from) fail_here(fmt::format("expected a name, found {}", found()));
  return std::string(text_.substr(from, at_ - from));
}
bool ScriptEvaluator::at_constant() {
  char c = peek();
  if (std::isdigit(static_cast<unsigned char>(c)) || c == '"' || c == '[') return true;
  if (c == '-' || c == '+') return at_ + 1 < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_ + 1])));
  if (at_word("true") || at_word("false")) return true;
  for (std::string_view s : {"empty(", "f16.nan", "f16.inf", "f32.nan", "f32.inf", "f64.nan", "f64.inf"})
    if (text_.substr(at_, s.size()) == s) return true;
  return false;
}
bool ScriptEvaluator::at_atom() {
  char c = peek();
  return at_constant() || c == '(' || c == '{' || c == '$' ||
         ((std::isalpha(static_cast<unsigned char>(c)) || c == '_') && !at_word("in") && !at_word("let"));
}

std::optional<ScriptValue> ScriptEvaluator::run(std::string_view text) {
  text_ = text, at_ = 0, depth_ = 0, error_.clear();
  Env env;
  auto value = expression(env);
  if (!value) return {};
  if (peek()) return fail_here(fmt::format("{} was not expected", found()));
  if (value->kind == Kind::Function) return fail(fmt::format("Function {} not fully applied.", value->name));
  return value;
}

std::optional<ScriptValue> ScriptEvaluator::expression(Env& env) {
  if (++depth_ > max_depth) return fail("too deeply nested");
  auto value = at_word("let") ? let(env) : application(env);
  depth_--;
  return value;
}

std::optional<ScriptValue> ScriptEvaluator::let(Env env) {
  while (at_word("let")) {
    at_ += 3;
    std::vector<std::string> names;
    bool tuple = accept('(');
    do names.push_back(name()); while (tuple && accept(','));
    if (!error_.empty() || (tuple && !expect(')')) || !expect('=')) return {};
    auto value = expression(env);
    if (!value) return {};
    if (!tuple) {
      env[names[0]] = std::move(*value);
    } else {
      for (size_t i = 0; i < names.size(); i++) {
        auto part = project(*value, std::to_string(i));
        if (!part) return {};
        env[names[i]] = std::move(*part);
      }
      if (project(*value, std::to_string(names.size()))) return fail("the pattern has too few names");
      error_.clear();
    }
    if (at_word("in")) {
      at_ += 2;
      return expression(env);
    }
  }
  return fail_here(fmt::format("expected `in` or another `let`, found {}", found()));
}

std::optional<ScriptValue> ScriptEvaluator::application(Env& env) {
  auto head = atom(env);
  if (!head) return {};
  if (head->kind != Kind::Function) return head;
  while (at_atom()) {
    auto argument = atom(env);
    if (!argument) return {};
    head->parts.push_back({"", std::move(*argument)});
  }
  return apply(std::move(*head));
}

std::optional<ScriptValue> ScriptEvaluator::atom(Env& env) {
  if (++depth_ > max_depth) return fail("too deeply nested");
  auto value = atom_start(env);
  depth_--;
  while (value && at_ < text_.size() && text_[at_] == '.' && at_ + 1 < text_.size() && is_name_char(text_[at_ + 1])) {
    at_++;
    value = project(std::move(*value), name());
  }
  return value;
}

std::optional<ScriptValue> ScriptEvaluator::atom_start(Env& env) {
  if (at_constant()) {
    DataReader reader(text_, at_);
    auto v = reader.read();
    if (!v) return fail(reader.error());
    at_ = reader.position();
    ScriptValue out;
    out.constant = true;
    out.layout = layout_of(*v);
    out.leaves.push_back(std::move(*v));
    return out;
  }
  if (accept('(')) {
    ScriptValue out;
    out.kind = Kind::Tuple;
    if (accept(')')) return out;
    for (;;) {
      auto e = expression(env);
      if (!e) return {};
      out.parts.push_back({std::to_string(out.parts.size()), std::move(*e)});
      if (!accept(',') || peek() == ')') break;
    }
    if (!expect(')')) return {};
    if (out.parts.size() == 1) return std::move(out.parts[0].value);
    return out;
  }
  if (peek() == '{') return braces(env);
  if (accept('$')) {
    ScriptValue out;
    out.kind = Kind::Function;
    out.name = "$" + name();
    return error_.empty() ? std::optional(out) : std::nullopt;
  }
  if (!at_atom()) return fail_here(fmt::format("expected an expression, found {}", found()));
  std::string id = name();
  if (auto it = env.find(id); it != env.end()) {
    ScriptValue v = it->second;
    if (at_ < text_.size() && text_[at_] == '[') return index(std::move(v), env);
    return v;
  }
  if (!entries_.contains(id)) return fail(fmt::format("Unknown entry point: {}", id));
  ScriptValue out;
  out.kind = Kind::Function;
  out.name = id;
  if (entries_.at(id).layout.params.empty()) return apply(std::move(out));
  return out;
}

std::optional<ScriptValue> ScriptEvaluator::braces(Env& env) {
  expect('{');
  ScriptValue out;
  out.kind = Kind::Record;
  while (peek() != '}') {
    std::string field = name();
    if (!error_.empty()) return {};
    if (std::ranges::find(out.parts, field, &ScriptValue::Part::name) != out.parts.end()) return fail_here(fmt::format("the field `{}` is written twice", field));
    if (!expect('=')) return {};
    auto e = expression(env);
    if (!e) return {};
    out.parts.push_back({std::move(field), std::move(*e)});
    if (!accept(',')) break;
  }
  if (!expect('}')) return {};
  return out;
}

std::optional<ScriptValue> ScriptEvaluator::index(ScriptValue array, Env& env) {
  expect('[');
  while (peek() != ']') {
    auto e = expression(env);
    if (!e) return {};
    bool is_index = e->kind == Kind::Data && e->leaves[0].shape.empty() && is_signed(e->leaves[0].elem);
    if (!is_index) return fail("an index is a signed integer");
    if (array.constant || array.layout.kind != Layout::Kind::Array) return fail("Cannot index non-array.");
    int64_t i = adapted(e->leaves[0], Scalar::I64)->at<int64_t>(0);
    for (Value& leaf : array.leaves) {
      if (i < 0 || i >= leaf.shape[0])
        return fail(fmt::format("Index [{}] out of bounds for array of shape [{}].", i, leaf.shape[0]));
      int64_t row = leaf.count() / leaf.shape[0] * int64_t(bytes_of(leaf.elem));
      leaf.bytes = leaf.bytes.substr(size_t(i * row), size_t(row));
      leaf.shape.erase(leaf.shape.begin());
    }
    array = of(Layout(array.layout.element[0]), std::move(array.leaves), array.name);
    if (!accept(',')) break;
  }
  if (!expect(']')) return {};
  return array;
}

// --- calls ---

std::optional<ScriptValue> ScriptEvaluator::apply(ScriptValue f) {
  if (f.name[0] == '$') return builtin(f);
  const ScriptEntry& e = entries_.at(f.name);
  ScriptValue argument;
  argument.kind = Kind::Tuple;
  bool is_one = f.parts.size() == 1 && (e.layout.params.size() == 1 || f.parts[0].value.kind == Kind::Tuple);
  if (is_one) argument = f.parts[0].value;
  else if (f.parts.size() < e.layout.params.size()) return f;
  else
    for (size_t i = 0; i < f.parts.size(); i++) argument.parts.push_back({std::to_string(i), f.parts[i].value});
  auto args = arguments(f.name, argument, !is_one);
  if (!args) return {};
  return call(f.name, *args);
}

std::optional<ScriptValue> ScriptEvaluator::applied(ScriptValue function, ScriptValue argument) {
  error_.clear();
  function.parts.push_back({"", std::move(argument)});
  return apply(std::move(function));
}

std::optional<ScriptValue> ScriptEvaluator::call(const std::string& name, const std::vector<std::vector<Value>>& args) {
  const ScriptEntry& e = entries_.at(name);
  std::vector<Value> all;
  for (const auto& leaves : args) all.insert(all.end(), leaves.begin(), leaves.end());
  std::string wrong;
  auto results = call_(name, all, wrong);
  if (!results) return fail(std::move(wrong));
  return of(e.layout.result, std::move(*results), e.result_type);
}

std::optional<std::string> ScriptEvaluator::path(const ScriptValue& v) {
  bool text = v.kind == Kind::Data && v.leaves[0].elem == Scalar::U8 && v.leaves[0].shape.size() == 1;
  if (!text) return fail("a file name is a string");
  const std::string& name = v.leaves[0].bytes;
  return name.starts_with("/") || folder_.empty() ? name : folder_ + "/" + name;
}

std::optional<ScriptValue> ScriptEvaluator::builtin(const ScriptValue& call) {
  const std::string& name = call.name;
  bool media = name == "$loadimg" || name == "$loadaudio";
  size_t arity = name == "$loaddata" || name == "$loadbytes" || media ? 1 : name == "$restore" || (name == "$store" && may_store_) ? 2 : 0;
  if (arity == 0) return fail(fmt::format("Unknown builtin function {}", name));
  if (call.parts.size() < arity) return call;
  if (call.parts.size() > arity)
    return fail(fmt::format("Function \"{}\" expects {} argument(s) but is applied to {}.", name, arity, call.parts.size()));
  auto file = path(call.parts[name == "$restore" ? 1 : 0].value);
  if (!file) return {};
  if (name == "$store") {
    auto values = stored(call.parts[1].value);
    if (!values) return {};
    std::string bytes;
    for (const Value& v : *values) bytes += to_binary(v);
    if (std::string wrong = write_file(*file, bytes); !wrong.empty()) return fail(*file + ": " + wrong);
    ScriptValue unit;
    unit.kind = Kind::Tuple;
    return unit;
  }
  FileContents contents = read_file(*file);
  if (!contents.text) return fail(*file + ": " + contents.error);
  if (media) {
    std::string wrong;
    std::optional<Value> v = name == "$loadimg" ? picture_value(*contents.text, wrong) : sound_value(*contents.text, wrong);
    if (!v) return fail(*file + ": " + wrong);
    Layout l = layout_of(*v);
    return of(l, {std::move(*v)}, "");
  }
  if (name == "$loadbytes") {
    Value bytes{Scalar::U8, {int64_t(contents.text->size())}, *contents.text};
    Layout l = layout_of(bytes);
    return of(l, {std::move(bytes)}, "");
  }
  DataReader reader(*contents.text);
  std::vector<Value> values;
  if (name == "$restore") {
    const ScriptValue& type = call.parts[0].value;
    auto what = type.kind == Kind::Data && type.leaves[0].elem == Scalar::U8 ? type.leaves[0].bytes : "";
    size_t rank = 0;
    std::string_view rest = what;
    for (; rest.starts_with("[]"); rank++) rest.remove_prefix(2);
    auto elem = scalar_named(rest);
    if (auto known = types_.find(what); !elem && known != types_.end()) {
      std::string wrong;
      auto leaves = stored_leaves(*known->second, *contents.text, wrong);
      if (!leaves) return fail(*file + ": " + wrong);
      return of(*known->second, std::move(*leaves), what);
    }
    if (!elem) return fail(fmt::format("Unknown type {}", what));
    auto v = reader.read_as(*elem, int(rank));
    if (!v) return fail(*file + ": " + reader.error());
    if (!reader.at_end()) return fail(fmt::format("Expected EOF after reading 1 values from {}", *file));
    values.push_back(std::move(*v));
  } else {
    while (!reader.at_end()) {
      auto v = reader.read();
      if (!v) return fail(*file + ": " + reader.error());
      values.push_back(std::move(*v));
    }
  }
  ScriptValue tuple;
  tuple.kind = Kind::Tuple;
  for (Value& v : values) {
    Layout l = layout_of(v);
    tuple.parts.push_back({std::to_string(tuple.parts.size()), of(l, {std::move(v)}, "")});
  }
  if (values.size() == 1) return ScriptValue(std::move(tuple.parts[0].value));
  return tuple;
}

// Blanks are one blank; constants are printed anew.
std::string ScriptEvaluator::one_line(std::string_view text) {
  std::string out;
  bool blank = false;
  for (size_t i = 0; i < text.size();) {
    char c = text[i];
    if (std::isspace(static_cast<unsigned char>(c))) {
      blank = true;
      i++;
      continue;
    }
    if (blank && !out.empty()) out += ' ';
    blank = false;
    bool in_word = i > 0 && (is_name_char(text[i - 1]) || text[i - 1] == '$' || text[i - 1] == '.');
    bool sign = c == '-' && i + 1 < text.size() && std::isdigit(static_cast<unsigned char>(text[i + 1]));
    if (c == '"' || (!in_word && (std::isdigit(static_cast<unsigned char>(c)) || sign || (c == '[' && (i == 0 || !is_name_char(text[i - 1])))))) {
      DataReader reader(text.substr(i));
      if (auto v = reader.read()) {
        size_t length = reader.position();
        out += c == '"' ? std::string(text.substr(i, length)) : to_text(*v, TextStyle::Plain);
        i += length;
        continue;
      }
    }
    out += c;
    i++;
  }
  return out;
}

}  // namespace raido
