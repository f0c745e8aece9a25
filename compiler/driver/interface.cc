// interface.cc - the types of entry points get a text and a name.
//
// A type with an annotation is called as it is written there, without sizes; names in it are not expanded. Its parts are found by
// following the annotation through the abbreviations that it names. Where the annotation says nothing (applied and abstract
// types), the structure of the type counts. Numbers and arrays of them are called by their structure in any case.
#include "compiler/driver/interface.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "compiler/base/text.h"

namespace raido {
namespace {

using TypeKind = InterfaceType::Kind;
using lower::Layout;

size_t primitive(Scalar s) { return s == Scalar::Bool ? 11 : size_t(s) - 1; }
Scalar primitive(size_t type) { return type == 11 ? Scalar::Bool : Scalar(type + 1); }

std::string brackets(size_t rank) {
  std::string out;
  for (size_t i = 0; i < rank; i++) out += "[]";
  return out;
}

class Builder {
 public:
  Builder(const Compiled& compiled, bool earlier_texts, Diagnostics& diags)
      : compiled_(compiled), checked_(compiled.checked.get()), earlier_texts_(earlier_texts), diags_(diags) {
    for (size_t i = 0; i < 12; i++) {
      InterfaceType t;
      t.text = t.c_name = name_of(primitive(i));
      t.leaves = {{primitive(i), 0}};
      add(std::move(t));
    }
    if (!checked_) return;
    for (const ast::File* f : checked_->program.files) find_definitions(f->decls);
  }

  static std::string trimmed(std::string_view doc) {
    while (!doc.empty() && isspace(static_cast<unsigned char>(doc.back()))) doc.remove_suffix(1);
    return std::string(doc);
  }

  Interface run() {
    const std::vector<ir::EntryPoint>& entries = compiled_.program.entries;
    for (size_t i = 0; i < entries.size(); i++) {
      if (checked_) entry(checked_->result.entry_points[i], compiled_.layouts[i]);
      else entry(entries[i]);
    }
    sort();
    if (checked_) out_.doc = trimmed(checked_->program.root->doc);
    return std::move(out_);
  }

 private:
  using Written = const ast::TypeExpr*;

  const Compiled& compiled_;
  const check::Checked* checked_;
  bool earlier_texts_;
  Diagnostics& diags_;
  Interface out_;
  std::map<std::string, size_t> known_, c_names_;
  std::map<std::pair<uint32_t, uint32_t>, std::pair<const ast::TypeDef*, std::string_view>> definitions_;   // by the place of the name
  Span place_;                                       // of the entry point

  // ---- annotations ----

  void find_definitions(std::span<const ast::Decl> decls) {
    for (const ast::Decl& d : decls) {
      if (auto t = std::get_if<ast::TypeDef*>(&d.node)) add_definition(**t, d.doc);
      else if (auto m = std::get_if<ast::ModDef*>(&d.node)) find_definitions((*m)->exp);
    }
  }
  void add_definition(const ast::TypeDef& t, std::string_view doc) { definitions_[{t.name_span.file.index, t.name_span.begin}] = {&t, doc}; }
  void find_definitions(const ast::ModExp* m) {
    match(m->node,
          [&](const ast::MBody& b) { find_definitions(b.decls); },
          [&](const ast::MLambda& l) { find_definitions(l.body); },
          [&](const ast::MApply& a) { find_definitions(a.fun), find_definitions(a.arg); },
          [&](const ast::MAscribe& a) { find_definitions(a.exp); },
          [&](const auto&) {});
  }
  const std::pair<const ast::TypeDef*, std::string_view>* definition(const ast::TName& n) const {
    auto it = definitions_.find({n.definition.file.index, n.definition.begin});
    return it == definitions_.end() ? nullptr : &it->second;
  }

  // Without what does not count: uniqueness, quantifiers.
  static Written bare(Written w) {
    for (;;) {
      if (!w) return w;
      if (auto u = std::get_if<ast::TUnique>(&w->node)) w = u->inner;
      else if (auto e = std::get_if<ast::TExists>(&w->node)) w = e->body;
      else return w;
    }
  }
  // A name without arguments stands for its definition.
  Written followed(Written w) const {
    for (;;) {
      w = bare(w);
      auto n = w ? std::get_if<ast::TName>(&w->node) : nullptr;
      if (!n) return w;
      auto found = n->args.empty() ? definition(*n) : nullptr;
      w = found && found->first->params.empty() ? found->first->body : nullptr;
    }
  }

  std::string text(Name n) const { return std::string(checked_->program.names.text(n)); }
  std::string one_line(Span span) const {
    std::string out;
    for (char c : checked_->sources.text(span)) {
      if (c == '\n' || c == '\t' || c == '\r') c = ' ';
      if (c != ' ' || out.empty() || out.back() != ' ') out += c;
    }
    return out;
  }

  std::string annotated(Written w) const {
    w = bare(w);
    return match(w->node,
        [&](const ast::TName& n) {
          size_t keep = n.args.size();
          while (keep > 0 && !n.args[keep - 1].type) keep--;
          std::string path = one_line(n.path.span);
          if (keep == 0) return path;
          Span span = join(n.path.span, n.args[keep - 1].type->span);
          std::string all = one_line(span);              // an argument in brackets ends with them
          for (int open = int(std::ranges::count(all, '(') - std::ranges::count(all, ')')); open > 0; open--) all += ")";
          return all;
        },
        [&](const ast::TArray& a) { return "[]" + annotated(a.elem); },
        [&](const ast::TRecord& r) {
          std::vector<std::string> parts;
          bool tuple = r.fields.empty() || text(r.fields[0].first) == "0";
          std::map<std::string, std::string> fields;
          for (auto& [name, type] : r.fields) {
            if (tuple) parts.push_back(annotated(type));
            else fields[text(name)] = annotated(type);
          }
          if (tuple) return "(" + join(parts, ", ") + ")";
          for (auto& [name, type] : fields) parts.push_back(name + (earlier_texts_ ? ":" : ": ") + type);
          return "{" + join(parts, ", ") + "}";
        },
        [&](const ast::TSum& s) {
          std::map<std::string, std::string> clauses;
          for (const ast::TSum::Clause& c : s.clauses)
            clauses[text(c.name)] = join(c.payload, " ", [&](Written p) { return annotated(p); });
          std::vector<std::string> parts;
          for (auto& [name, payload] : clauses) parts.push_back(name + ":" + payload);
          return join(parts, " | ");
        },
        [&](const auto&) { return one_line(w->span); });
  }

  static std::string structural(const Layout& l, bool atom = false) {
    switch (l.kind) {
      case Layout::Kind::Scalar: return std::string(name_of(l.elem));
      case Layout::Kind::Array: return "[]" + structural(l.element[0], true);
      case Layout::Kind::Record: {
        std::vector<std::string> parts;
        for (const Layout::Field& f : l.fields) parts.push_back(l.is_tuple() ? structural(f.layout) : f.name + ": " + structural(f.layout));
        return (l.is_tuple() ? "(" : "{") + join(parts, ", ") + (l.is_tuple() ? ")" : "}");
      }
      case Layout::Kind::Sum: {
        std::vector<std::string> parts;
        for (const Layout::Constructor& c : l.constructors) {
          std::string part = "#" + c.name;
          for (const Layout& p : c.payload) part += " " + structural(p, true);
          parts.push_back(part);
        }
        std::string all = join(parts, " | ");
        return atom ? "(" + all + ")" : all;
      }
      default: return "?";
    }
  }

  // ---- types ----

  static bool same(const InterfaceType& a, const InterfaceType& b) {
    auto equal = [](const auto& x, const auto& y, auto&& f) { return std::ranges::equal(x, y, f); };
    return a.kind == b.kind && a.rank == b.rank && (a.kind != TypeKind::Array || a.elem == b.elem) &&
           equal(a.leaves, b.leaves, [](auto& x, auto& y) { return x.elem == y.elem && x.rank == y.rank; }) &&
           equal(a.parts, b.parts, [](auto& x, auto& y) { return x.name == y.name && x.type == y.type; }) &&
           equal(a.variants, b.variants, [](auto& x, auto& y) { return x.name == y.name && x.types == y.types; });
  }

  size_t add(InterfaceType t) {
    if (t.c_name.empty()) t.c_name = type_name_in_c(t.text);
    if (auto it = known_.find(t.text); it != known_.end()) {
      if (!same(out_.types[it->second], t)) diags_.report(place_, err::external_types_clash, t.text);
      return it->second;
    }
    if (!c_names_.emplace(t.c_name, out_.types.size()).second) diags_.report(place_, err::external_types_clash, t.c_name);
    known_[t.text] = out_.types.size();
    out_.types.push_back(std::move(t));
    return out_.types.size() - 1;
  }

  size_t array_of(size_t elem, size_t rank, std::string called = {}) {
    const InterfaceType e = out_.types[elem];
    InterfaceType t;
    t.kind = TypeKind::Array;
    t.rank = rank + e.rank;
    t.elem = e.kind == TypeKind::Array ? e.elem : elem;
    t.text = called.empty() ? brackets(rank) + (e.text.find(" | ") != std::string::npos && e.text[0] == '#' ? "(" + e.text + ")" : e.text) : called;
    t.leaves = e.leaves;
    for (InterfaceType::Leaf& l : t.leaves) l.rank += rank;
    if (out_.types[t.elem].primitive()) t.text = brackets(t.rank) + out_.types[t.elem].text, t.c_name = fmt::format("{}_{}d", out_.types[t.elem].text, t.rank);
    if (e.kind == TypeKind::Record || (e.kind == TypeKind::Array && out_.types[e.elem].kind == TypeKind::Record))
      for (const InterfaceType::Part& p : e.parts) t.parts.push_back({p.name, array_of(p.type, rank), p.leaf});
    return add(std::move(t));
  }

  size_t type(const Layout& l, Written w) {
    if (l.kind == Layout::Kind::Scalar) return primitive(l.elem);
    w = bare(w);
    if (l.kind == Layout::Kind::Array) {
      const Layout* elem = &l;
      size_t rank = 0;
      Written inner = w;
      for (; elem->kind == Layout::Kind::Array; elem = &elem->element[0], rank++) {
        inner = followed(inner);
        auto a = inner ? std::get_if<ast::TArray>(&inner->node) : nullptr;
        inner = a ? a->elem : nullptr;
      }
      return array_of(type(*elem, inner), rank, w && elem->kind != Layout::Kind::Scalar ? annotated(w) : std::string());
    }
    InterfaceType t;
    t.text = w ? annotated(w) : structural(l);
    if (auto n = w ? std::get_if<ast::TName>(&w->node) : nullptr)
      if (auto found = definition(*n)) t.doc = trimmed(found->second);
    Written inside = followed(w);
    if (l.kind == Layout::Kind::Record) record(t, l, inside ? std::get_if<ast::TRecord>(&inside->node) : nullptr);
    else if (l.kind == Layout::Kind::Sum) sum(t, l, inside ? std::get_if<ast::TSum>(&inside->node) : nullptr);
    else t.kind = TypeKind::Opaque;
    return add(std::move(t));
  }

  void append(InterfaceType& t, size_t part) {
    const auto& leaves = out_.types[part].leaves;
    t.leaves.insert(t.leaves.end(), leaves.begin(), leaves.end());
  }
  void record(InterfaceType& t, const Layout& l, const ast::TRecord* written) {
    t.kind = TypeKind::Record;
    t.is_tuple = l.is_tuple();
    for (const Layout::Field& f : l.fields) {
      Written w = nullptr;
      if (written)
        for (auto& [name, type] : written->fields) if (text(name) == f.name) w = type;
      size_t part = type(f.layout, w);
      t.parts.push_back({f.name, part, t.leaves.size()});
      append(t, part);
    }
    if (l.fields.empty()) t.leaves.push_back({Scalar::Bool, 0});
  }
  void sum(InterfaceType& t, const Layout& l, const ast::TSum* written) {
    t.kind = TypeKind::Sum;
    t.leaves.resize(l.leaves);
    if (l.tagged) t.leaves[0] = {Scalar::I8, 0};
    for (const Layout::Constructor& c : l.constructors) {
      InterfaceType::Variant v{c.name, {}, {}};
      for (size_t k = 0; k < c.payload.size(); k++) {
        Written w = nullptr;
        if (written)
          for (const ast::TSum::Clause& clause : written->clauses)
            if (text(clause.name) == c.name && k < clause.payload.size()) w = clause.payload[k];
        v.types.push_back(type(c.payload[k], w));
        for (size_t j = 0; j < c.slots[k].size(); j++) {
          size_t slot = c.slots[k][j] + size_t(l.tagged);
          v.slots.push_back(slot);
          t.leaves[slot] = out_.types[v.types.back()].leaves[j];
        }
      }
      t.variants.push_back(std::move(v));
    }
  }

  // ---- entry points ----

  std::string attribute(const ast::Attr& a) const {
    if (a.is_integer) return std::to_string(a.integer);
    if (a.args.empty()) return text(a.name);
    return text(a.name) + "(" + join(a.args, ", ", [&](const ast::Attr& x) { return attribute(x); }) + ")";
  }

  void entry(const check::EntryPoint& e, const lower::EntryLayout& layout) {
    place_ = e.def->name_span;
    InterfaceEntry out;
    out.name = e.name;
    for (const ast::Decl& d : checked_->program.root->decls)
      if (auto def = std::get_if<ast::Def*>(&d.node); def && *def == e.def) {
        out.doc = trimmed(d.doc);
        for (const ast::Attr& a : d.attrs) out.attributes.push_back(attribute(a));
      }
    for (const ast::Attr& a : e.def->attrs)
      if (std::string text = attribute(a); std::ranges::find(out.attributes, text) == out.attributes.end()) out.attributes.push_back(text);
    for (size_t i = 0; i < e.params.size(); i++) {
      size_t t = type(layout.params[i], e.params[i].written);
      out.inputs.push_back({e.params[i].name, t, e.params[i].unique && !out_.types[t].primitive()});
    }
    out.output = type(layout.result, e.result.written);
    out.unique = e.result.unique && !out_.types[out.output].primitive();
    out.unique_parts = e.result.unique_parts;
    out.unique_parts.resize(out_.types[out.output].parts.size(), out.unique);
    out.spread = out_.types[out.output].is_tuple && (!e.result.written || std::holds_alternative<ast::TRecord>(e.result.written->node));
    out_.entries.push_back(std::move(out));
  }

  // Of a core program all that is known are numbers, arrays of them, and how many values the rest has.
  size_t plain(const ir::ExternalType& x) {
    std::string_view elem = x.name;
    size_t rank = 0;
    while (elem.starts_with("[]")) elem.remove_prefix(2), rank++;
    auto s = scalar_named(elem);
    if (s && !x.opaque) return rank == 0 ? primitive(*s) : array_of(primitive(*s), rank);
    InterfaceType t;
    t.text = x.name;
    t.kind = TypeKind::Opaque;
    return add(std::move(t));
  }
  void entry(const ir::EntryPoint& e) {
    InterfaceEntry out;
    out.name = e.name;
    for (size_t i = 0; i < e.params.size(); i++) {
      size_t t = plain(e.params[i]);
      out.inputs.push_back({i < e.param_names.size() ? e.param_names[i] : "", t, e.params[i].unique && !out_.types[t].primitive()});
    }
    if (e.results.size() == 1) {
      out.output = plain(e.results[0]);
    } else {
      InterfaceType t;
      t.kind = TypeKind::Record;
      t.is_tuple = out.spread = true;
      std::vector<std::string> texts;
      for (const ir::ExternalType& x : e.results) {
        size_t part = plain(x);
        texts.push_back(out_.types[part].text);
        t.parts.push_back({std::to_string(t.parts.size()), part, t.leaves.size()});
        append(t, part);
      }
      t.text = "(" + join(texts, ", ") + ")";
      out.output = add(std::move(t));
    }
    out_.entries.push_back(std::move(out));
  }

  void sort() {
    std::vector<size_t> order(out_.types.size()), place(order.size());
    for (size_t i = 0; i < order.size(); i++) order[i] = i;
    std::sort(order.begin() + 12, order.end(), [&](size_t a, size_t b) { return out_.types[a].text < out_.types[b].text; });
    for (size_t i = 0; i < order.size(); i++) place[order[i]] = i;
    std::vector<InterfaceType> sorted;
    for (size_t i : order) {
      InterfaceType& t = sorted.emplace_back(std::move(out_.types[i]));
      t.elem = place[t.elem];
      for (InterfaceType::Part& p : t.parts) p.type = place[p.type];
      for (InterfaceType::Variant& v : t.variants) for (size_t& x : v.types) x = place[x];
    }
    out_.types = std::move(sorted);
    for (InterfaceEntry& e : out_.entries) {
      e.output = place[e.output];
      for (InterfaceEntry::Input& in : e.inputs) in.type = place[in.type];
    }
  }
};

}  // namespace

Interface interface_of(const Compiled& compiled, bool earlier_texts, Diagnostics& diags) { return Builder(compiled, earlier_texts, diags).run(); }

}  // namespace raido
