// show.cc - the value is walked along its layout; where it goes into an array, an index is added that all leaves share.
#include "compiler/driver/show.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "compiler/base/panic.h"
#include "compiler/driver/data.h"

namespace raido {
namespace {

using ir::Value;
using lower::Layout;

class Shower {
 public:
  enum class Style { Plain, Suffixes, Expression };
  explicit Shower(Style style) : style_(style), suffixes_(style != Style::Plain) {}

  // The leaves of the value, read at index_. On several lines, those after the first begin at `column`; -1: on one line.
  std::string show(const Layout& l, const std::vector<const Value*>& leaves, int column, bool payload = false) {
    switch (l.kind) {
      case Layout::Kind::Function: return "#<fun>";
      case Layout::Kind::Scalar: {
        std::string text = scalar_text(*leaves[0], offset(*leaves[0]), suffixes_);
        return style_ == Style::Expression && text[0] == '-' ? "(" + text + ")" : text;
      }
      case Layout::Kind::Array: return array(l, leaves, column);
      case Layout::Kind::Record: return record(l, leaves, column);
      case Layout::Kind::Sum: return sum(l, leaves, payload);
    }
    return "";
  }

 private:
  // The position of the element (or the first of a row) that index_ selects.
  int64_t offset(const Value& v) const {
    int64_t at = 0;
    for (size_t d = 0; d < v.shape.size(); d++) at = at * v.shape[d] + (d < index_.size() ? index_[d] : 0);
    return at;
  }
  static std::string separator(int column) { return column < 0 ? ", " : ",\n" + std::string(size_t(column), ' '); }

  std::string array(const Layout& l, const std::vector<const Value*>& leaves, int column) {
    size_t depth = index_.size();
    int64_t n = leaves[0]->shape[depth];
    const Layout& elem = l.element[0];
    bool rows = elem.kind == Layout::Kind::Array;
    if (n == 0 && style_ == Style::Expression) return "(" + blank(l, leaves, depth) + ")";
    if (suffixes_ && leaves[0]->count() == 0) {
      const Layout* inner = &l;
      std::string dims;
      for (size_t d = depth; inner->kind == Layout::Kind::Array; d++, inner = &inner->element[0])
        dims += fmt::format("[{}]", leaves[0]->shape[d]);
      if (inner->kind == Layout::Kind::Scalar) return fmt::format("empty({}{})", dims, name_of(inner->elem));
    }
    std::string out = "[";
    index_.push_back(0);
    for (int64_t i = 0; i < n; i++) {
      index_.back() = i;
      if (i > 0) out += rows && column >= 0 ? separator(column + 1) : ", ";
      out += show(elem, leaves, rows && column >= 0 ? column + 1 : -1);
    }
    index_.pop_back();
    return out + "]";
  }

  // A value of the shape that the leaves have from dimension `depth` on, as an expression; its elements do not matter.
  std::string blank(const Layout& l, std::span<const Value* const> leaves, size_t depth) {
    switch (l.kind) {
      case Layout::Kind::Array: {
        int64_t n = leaves[0]->shape[depth];
        return fmt::format("replicate {} ({})", n, blank(l.element[0], leaves, depth + 1));
      }
      case Layout::Kind::Record: {
        std::string out;
        size_t next = 0;
        for (auto& [name, field] : l.fields) {
          out += (out.empty() ? "" : ", ") + (l.is_tuple() ? "" : name + " = ") + blank(field, leaves.subspan(next, field.leaves), depth);
          next += field.leaves;
        }
        return (l.is_tuple() ? "(" : "{") + out + (l.is_tuple() ? ")" : "}");
      }
      case Layout::Kind::Sum: return "???";               // evaluated nowhere: there is no such element
      case Layout::Kind::Scalar: return l.elem == Scalar::Bool ? "false" : fmt::format("0{}", name_of(l.elem));
      case Layout::Kind::Function: break;
    }
    PANIC("a function has no leaves");
  }

  std::string record(const Layout& l, const std::vector<const Value*>& leaves, int column) {
    bool tuple = l.is_tuple();
    if (l.fields.empty()) return "()";
    std::string out = tuple ? "(" : "{";
    size_t next = 0;
    for (size_t i = 0; i < l.fields.size(); i++) {
      auto& [name, field] = l.fields[i];
      if (i > 0) out += separator(column < 0 ? -1 : column + 1);
      std::string prefix = tuple ? "" : name + " = ";
      std::vector<const Value*> part(leaves.begin() + ptrdiff_t(next), leaves.begin() + ptrdiff_t(next + field.leaves));
      next += field.leaves;
      out += prefix + show(field, part, column < 0 ? -1 : column + 1 + int(prefix.size()));
    }
    return out + (tuple ? ")" : "}");
  }

  std::string sum(const Layout& l, const std::vector<const Value*>& leaves, bool payload) {
    size_t tag = l.tagged ? size_t(leaves[0]->at<int8_t>(offset(*leaves[0]))) : 0;
    const Layout::Constructor& c = l.constructors[tag];
    std::string out = "#" + c.name;
    for (size_t p = 0; p < c.payload.size(); p++) {
      std::vector<const Value*> part;
      for (size_t slot : c.slots[p]) part.push_back(leaves[slot + size_t(l.tagged)]);
      out += " " + show(c.payload[p], part, -1, true);
    }
    return payload ? "(" + out + ")" : out;
  }

  Style style_;
  bool suffixes_;
  std::vector<int64_t> index_;
};

}  // namespace

static std::vector<const Value*> pointers(std::span<const Value> leaves) {
  std::vector<const Value*> all;
  for (const Value& v : leaves) all.push_back(&v);
  return all;
}

std::string show_value(const Layout& layout, std::span<const Value> leaves, bool suffixes) {
  return Shower(suffixes ? Shower::Style::Suffixes : Shower::Style::Plain).show(layout, pointers(leaves), 0);
}

std::string show_expression(const Layout& layout, std::span<const Value> leaves, const std::string& type) {
  std::function<bool(const Layout&)> sum = [&](const Layout& l) {
    return l.kind == Layout::Kind::Sum || std::any_of(l.element.begin(), l.element.end(), sum) ||
           std::any_of(l.fields.begin(), l.fields.end(), [&](const Layout::Field& f) { return sum(f.layout); });
  };
  std::string text = Shower(Shower::Style::Expression).show(layout, pointers(leaves), -1);
  return sum(layout) ? fmt::format("({} : {})", text, type) : text;
}

std::vector<std::string> show_results(const Layout& layout, std::span<const Value> leaves) {
  if (!layout.is_tuple()) return {show_value(layout, leaves, true)};
  std::vector<std::string> out;
  size_t next = 0;
  for (auto& [name, field] : layout.fields) {
    out.push_back(show_value(field, leaves.subspan(next, field.leaves), true));
    next += field.leaves;
  }
  return out;
}

void print_trace(const std::string& tag, const Value& value) {
  Layout layout;
  layout.elem = value.elem;
  for (size_t d = 0; d < value.shape.size(); d++) {
    Layout array;
    array.kind = Layout::Kind::Array;
    array.element.push_back(std::move(layout));
    layout = std::move(array);
  }
  fmt::print(stderr, "{}: {}\n", tag, Shower(Shower::Style::Plain).show(layout, {&value}, -1));
}

}  // namespace raido
