// script_values.cc - see script_values.h; values of scripts: their parts, types and texts, and what they are for an entry point.
#include "compiler/driver/script_values.h"

#include <algorithm>

#include <fmt/format.h>

#include "compiler/base/text.h"
#include "compiler/driver/data.h"
#include "compiler/driver/show.h"

namespace raido {

using ir::Value;
using lower::Layout;
using Kind = ScriptValue::Kind;

Layout layout_of(const Value& v) {
  Layout l;
  l.elem = v.elem;
  l.leaves = 1;
  for (size_t i = 0; i < v.shape.size(); i++) {
    Layout array;
    array.kind = Layout::Kind::Array;
    array.leaves = 1;
    array.element.push_back(std::move(l));
    l = std::move(array);
  }
  return l;
}

namespace {

// A scalar or an array of scalars; its element type and rank.
std::optional<std::pair<Scalar, size_t>> transparent(const Layout& layout) {
  const Layout* l = &layout;
  size_t rank = 0;
  for (; l->kind == Layout::Kind::Array; rank++) l = &l->element[0];
  if (l->kind != Layout::Kind::Scalar) return {};
  return std::pair(l->elem, rank);
}

bool same_layout(const Layout& a, const Layout& b) {
  if (a.kind != b.kind || a.fields.size() != b.fields.size() || a.constructors.size() != b.constructors.size()) return false;
  if (a.kind == Layout::Kind::Scalar) return a.elem == b.elem;
  if (a.kind == Layout::Kind::Array) return same_layout(a.element[0], b.element[0]);
  for (size_t i = 0; i < a.fields.size(); i++)
    if (a.fields[i].name != b.fields[i].name || !same_layout(a.fields[i].layout, b.fields[i].layout)) return false;
  for (size_t i = 0; i < a.constructors.size(); i++) {
    const auto &x = a.constructors[i], &y = b.constructors[i];
    if (x.name != y.name || x.payload.size() != y.payload.size()) return false;
    for (size_t k = 0; k < x.payload.size(); k++)
      if (!same_layout(x.payload[k], y.payload[k])) return false;
  }
  return true;
}

}  // namespace

void add_leaf_types(const Layout& l, size_t rank, std::vector<LeafType>& out) {
  switch (l.kind) {
    case Layout::Kind::Scalar: out.push_back({l.elem, rank}); return;
    case Layout::Kind::Array: add_leaf_types(l.element[0], rank + 1, out); return;
    case Layout::Kind::Record:
      for (const Layout::Field& f : l.fields) add_leaf_types(f.layout, rank, out);
      if (l.fields.empty()) out.push_back({Scalar::Bool, rank});
      return;
    case Layout::Kind::Sum: {
      size_t first = out.size();
      out.resize(first + l.leaves);
      if (l.tagged) out[first] = {Scalar::I8, rank};
      for (const Layout::Constructor& c : l.constructors)
        for (size_t k = 0; k < c.payload.size(); k++) {
          std::vector<LeafType> payload;
          add_leaf_types(c.payload[k], rank, payload);
          for (size_t j = 0; j < payload.size(); j++) out[first + size_t(l.tagged) + c.slots[k][j]] = payload[j];
        }
      return;
    }
    case Layout::Kind::Function: return;
  }
}

namespace {

// The leaves `of` a value inside of so many dimensions: those of an array have one shape, and tags are those of constructors.
bool are_consistent(const Layout& l, const std::vector<Value>& leaves, std::vector<size_t> of, size_t depth) {
  switch (l.kind) {
    case Layout::Kind::Scalar: case Layout::Kind::Function: return true;
    case Layout::Kind::Array:
      for (size_t i : of) if (leaves[i].shape[depth] != leaves[of[0]].shape[depth]) return false;
      return are_consistent(l.element[0], leaves, std::move(of), depth + 1);
    case Layout::Kind::Record: {
      size_t from = 0;
      for (const Layout::Field& f : l.fields) {
        auto at = of.begin() + ptrdiff_t(from);
        if (!are_consistent(f.layout, leaves, {at, at + ptrdiff_t(f.layout.leaves)}, depth)) return false;
        from += f.layout.leaves;
      }
      return true;
    }
    case Layout::Kind::Sum: {
      size_t made = 0;
      for (int64_t i = 0; l.tagged && i < leaves[of[0]].count(); i++) {
        int8_t tag = leaves[of[0]].at<int8_t>(i);
        if (tag < 0 || size_t(tag) >= l.constructors.size()) return false;
        made = size_t(tag);
      }
      if (depth > 0) return true;         // elements with several constructors share what they hold
      const Layout::Constructor& c = l.constructors[made];
      for (size_t k = 0; k < c.payload.size(); k++) {
        std::vector<size_t> payload;
        for (size_t slot : c.slots[k]) payload.push_back(of[slot + size_t(l.tagged)]);
        if (!are_consistent(c.payload[k], leaves, std::move(payload), depth)) return false;
      }
      return true;
    }
  }
  return true;
}

}  // namespace

std::optional<std::vector<Value>> stored_leaves(const Layout& layout, std::string_view text, std::string& wrong) {
  std::vector<LeafType> types;
  add_leaf_types(layout, 0, types);
  DataReader reader(text);
  std::vector<Value> leaves;
  std::vector<size_t> all;
  for (const LeafType& t : types) {
    auto v = reader.read_as(t.elem, int(t.rank));
    if (!v) return wrong = reader.error(), std::nullopt;
    all.push_back(leaves.size());
    leaves.push_back(std::move(*v));
  }
  if (!reader.at_end()) return wrong = "there is more than one value", std::nullopt;
  if (!are_consistent(layout, leaves, std::move(all), 0)) return wrong = "the parts do not fit together", std::nullopt;
  return leaves;
}

std::optional<Value> adapted(const Value& v, Scalar to) {
  if (!is_signed(v.elem) || !(is_signed(to) || to == Scalar::F32 || to == Scalar::F64)) return {};
  Value out{to, v.shape, {}};
  for (int64_t i = 0; i < v.count(); i++) {
    int64_t n = v.elem == Scalar::I8    ? v.at<int8_t>(i)
                : v.elem == Scalar::I16 ? v.at<int16_t>(i)
                : v.elem == Scalar::I32 ? v.at<int32_t>(i)
                                        : v.at<int64_t>(i);
    if (to == Scalar::F32) out.push(float(n));
    else if (to == Scalar::F64) out.push(double(n));
    else out.bytes.append(reinterpret_cast<const char*>(&n), size_t(bytes_of(to)));
  }
  return out;
}

ScriptValue ScriptEvaluator::of(const Layout& layout, std::vector<Value> leaves, std::string type) const {
  ScriptValue v;
  v.kind = transparent(layout) ? Kind::Data : Kind::Opaque;
  v.layout = layout;
  v.leaves = std::move(leaves);
  v.name = std::move(type);
  return v;
}

std::optional<ScriptValue> ScriptEvaluator::project(ScriptValue value, const std::string& field) {
  if (value.kind == Kind::Tuple || value.kind == Kind::Record) {
    for (auto& [n, part] : value.parts)
      if (n == field) return ScriptValue(std::move(part));
  } else if (value.kind == Kind::Opaque && value.layout.kind == Layout::Kind::Record) {
    size_t from = 0;
    for (auto& [n, part] : value.layout.fields) {
      if (n == field) {
        std::vector<Value> leaves(value.leaves.begin() + ptrdiff_t(from), value.leaves.begin() + ptrdiff_t(from + part.leaves));
        return of(part, std::move(leaves), "field " + field + " of " + value.name);
      }
      from += part.leaves;
    }
  }
  return fail(fmt::format("A value of type {} has no field `{}`.", type_name(value), field));
}

std::optional<std::vector<ScriptValue::Part>> ScriptEvaluator::parts(const ScriptValue& value) {
  if (value.kind == Kind::Tuple || value.kind == Kind::Record) return value.parts;
  if (value.kind != Kind::Opaque || value.layout.kind != Layout::Kind::Record) return {};
  std::vector<ScriptValue::Part> out;
  for (const auto& f : value.layout.fields) out.push_back({f.name, *project(value, f.name)});
  return out;
}

std::string ScriptEvaluator::type_name(const ScriptValue& v) const {
  switch (v.kind) {
    case Kind::Data: return type_text(v.leaves[0].elem, v.leaves[0].shape.size());
    case Kind::Opaque: return v.name;
    case Kind::Function: return "function";
    case Kind::Tuple: return "(" + join(v.parts, ", ", [&](auto& p) { return type_name(p.value); }) + ")";
    case Kind::Record: return "{" + join(v.parts, ", ", [&](auto& p) { return p.name + ": " + type_name(p.value); }) + "}";
  }
  return "";
}

// The leaves of the value in a layout; none if it does not fit.
std::optional<std::vector<Value>> ScriptEvaluator::convert(const ScriptValue& v, const Layout& layout) {
  if (v.kind == Kind::Data) {
    auto want = transparent(layout);
    if (!want || want->second != v.leaves[0].shape.size()) return {};
    if (want->first == v.leaves[0].elem) return v.leaves;
    if (!v.constant) return {};
    auto other = adapted(v.leaves[0], want->first);
    if (!other) return {};
    return std::vector<Value>{std::move(*other)};
  }
  if (v.kind == Kind::Opaque) return same_layout(v.layout, layout) ? std::optional(v.leaves) : std::nullopt;
  if (v.kind == Kind::Function || layout.kind != Layout::Kind::Record || layout.fields.size() != v.parts.size()) return {};
  std::vector<Value> out;
  for (auto& [field, part] : layout.fields) {
    auto it = std::find_if(v.parts.begin(), v.parts.end(), [&](auto& p) { return p.name == field; });
    if (it == v.parts.end()) return {};
    auto leaves = convert(it->value, part);
    if (!leaves) return {};
    out.insert(out.end(), leaves->begin(), leaves->end());
  }
  if (layout.fields.empty()) out.push_back({Scalar::Bool, {}, std::string(1, '\0')});      // the unit is stored as one truth value
  return out;
}

std::optional<std::vector<std::vector<Value>>> ScriptEvaluator::arguments(const std::string& name, const ScriptValue& value, bool are_several) {
  auto it = entries_.find(name);
  if (it == entries_.end()) return fail(fmt::format("Unknown entry point: {}", name));
  const ScriptEntry& e = it->second;
  std::vector<const ScriptValue*> given{&value};
  if (are_several || (value.kind == Kind::Tuple && value.parts.size() == e.layout.params.size())) {
    given.clear();
    for (auto& [n, part] : value.parts) given.push_back(&part);
  }
  std::vector<std::vector<Value>> out;
  for (size_t i = 0; given.size() == e.layout.params.size() && i < given.size(); i++) {
    auto leaves = convert(*given[i], e.layout.params[i]);
    if (!leaves) break;
    out.push_back(std::move(*leaves));
  }
  if (out.size() == e.layout.params.size() && given.size() == out.size()) return out;
  std::string message = fmt::format("Function \"{}\" expects {} argument(s) of types:\n", name, e.param_types.size());
  for (const std::string& t : e.param_types) message += t + "\n";
  message += fmt::format("But applied to {} argument(s) of types:\n", given.size());
  for (const ScriptValue* v : given) message += type_name(*v) + "\n";
  return fail(message);
}

bool ScriptEvaluator::readable(const std::string& name) const {
  auto it = entries_.find(name);
  if (it == entries_.end()) return false;
  return std::ranges::all_of(it->second.layout.params, [](const Layout& l) { return transparent(l).has_value(); });
}

std::optional<std::string> ScriptEvaluator::show(const ScriptValue& v) {
  switch (v.kind) {
    case Kind::Data: return to_text(v.leaves[0], TextStyle::Rows);
    case Kind::Function: return fail(fmt::format("Function {} not fully applied.", v.name));
    case Kind::Opaque:
      if (v.layout.kind != Layout::Kind::Record) return fail(fmt::format("Type {} has no external representation.", v.name));
      break;
    case Kind::Tuple: case Kind::Record: break;
  }
  std::vector<std::string> shown;
  bool tuple = v.kind == Kind::Tuple || (v.kind == Kind::Opaque && v.layout.is_tuple());
  const auto fields = *parts(v);
  for (const auto& [n, part] : fields) {
    auto text = show(part);
    if (!text) return {};
    shown.push_back(tuple ? *text : n + "=" + *text);
  }
  return (tuple ? "(" : "{") + join(shown, ", ") + (tuple ? ")" : "}");
}

std::optional<std::vector<Value>> ScriptEvaluator::stored(const ScriptValue& v) {
  if (v.kind == Kind::Data || v.kind == Kind::Opaque) return v.leaves;
  if (v.kind != Kind::Tuple) return fail(fmt::format("Type {} has no external representation.", type_name(v)));
  std::vector<Value> out;
  for (const auto& [n, part] : v.parts) {
    auto leaves = stored(part);
    if (!leaves) return {};
    out.insert(out.end(), leaves->begin(), leaves->end());
  }
  return out;
}

std::optional<std::vector<Value>> ScriptEvaluator::components(const ScriptValue& v) {
  if (v.kind == Kind::Data) return v.leaves;
  if (v.kind != Kind::Tuple && !(v.kind == Kind::Opaque && v.layout.is_tuple()))
    return fail(fmt::format("Type {} has no external representation.", type_name(v)));
  std::vector<Value> out;
  const auto fields = *parts(v);
  for (const auto& [n, part] : fields) {
    if (part.kind != Kind::Data) return fail(fmt::format("Type {} has no external representation.", type_name(part)));
    out.push_back(part.leaves[0]);
  }
  return out;
}

}  // namespace raido
