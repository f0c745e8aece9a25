// print.cc - the program as text: one put() for each type of field. Names are the source's hints made dense within a
// function (x, x.1, x.2), so that a statement added upstream does not rename everything.
#include <fmt/format.h>

#include <cmath>
#include <unordered_set>

#include "compiler/base/text.h"
#include "compiler/ir/text.h"
#include "compiler/ir/transform.h"

namespace raido::ir {

std::optional<ScalarOp> plain_operator(const Program& p, const Combine& c) {
  if (c.op.params.size() != 2 || c.op.body.stms.size() != 1 || c.neutral.size() != 1) return {};
  const Stm& s = c.op.body.stms[0];
  auto apply = std::get_if<Apply>(&s.exp);
  if (!apply || apply->args.size() != 2 || !s.checks.empty() || !s.attrs.empty()) return {};
  if (apply->args[0] != Atom(c.op.params[0].var) || apply->args[1] != Atom(c.op.params[1].var)) return {};
  Scalar t = elem_of(p, c.neutral[0]);
  if (c.op.body.result.size() != 1 || c.op.body.result[0] != Atom(s.pattern[0].var)) return {};
  if (!same_type(p.type(c.op.params[0].var), scalar_type(t)) || !same_type(p.type(c.op.params[1].var), scalar_type(t))) return {};
  if (!find_row(apply->op, t) || result_type(apply->op, t) != t || operand_type(apply->op, t, 1) != t) return {};
  if (c.commutative != is_commutative(apply->op, t)) return {};
  return apply->op;
}
namespace {
bool short_form(const Program& p, const Screma& s, const Combine& c) {
  if (!c.shape.empty() || s.inputs.size() != s.pre.params.size()) return false;
  if (c.commutative && !plain_operator(p, c)) return false;
  for (size_t i = 0; i < s.inputs.size(); i++)
    if (!is_array(p.type(s.inputs[i])) || !same_type(row_type(p.type(s.inputs[i])), p.type(s.pre.params[i].var))) return false;
  return true;
}
}  // namespace
bool is_plain_reduce(const Program& p, const Screma& s) {
  return is_reduce(s) && s.reduces.size() == 1 && short_form(p, s, s.reduces[0]);
}
bool is_plain_scan(const Program& p, const Screma& s) {
  return is_scan(s) && s.scans.size() == 1 && short_form(p, s, s.scans[0]);
}

namespace {

std::string number_text(Const c) {
  if (c.type == Scalar::Bool) return c.bits ? "true" : "false";
  if (!is_float(c.type))
    return is_signed(c.type) ? fmt::format("{}", c.as_i64()) : fmt::format("{}", c.bits);
  double value = c.as_f64();
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return c.type == Scalar::F64 ? fmt::format("{}", value) : fmt::format("{}", c.as<float>());
}

class Printer {
 public:
  Printer(const Program& p, PrintOptions options) : p_(p), options_(options) {}
  std::string out;

  void program() {
    if (p_.level == Parallel || p_.level == Memory) out += p_.level == Parallel ? "level parallel\n" : "level memory\n";
    for (size_t i = 0; i < p_.data.size(); i++) data(i);
    if (!p_.constants.stms.empty()) {
      out += "constants ";
      put(p_.constants);
      out += "\n";
    }
    auto shared_names = names_;
    auto shared_seen = seen_;
    std::unordered_set<uint32_t> called;
    auto note = [&](const Stm& s) { if (auto c = std::get_if<Call>(&s.exp)) called.insert(c->callee.index); };
    p_.each_body([&](const Body& b) { each_stm(b, note); });
    for (size_t i = 0; i < p_.functions.size(); i++) {
      names_ = shared_names;
      seen_ = shared_seen;
      function(p_.functions[i], called.contains(uint32_t(i)));
    }
    for (const EntryPoint& e : p_.entries) entry(e);
  }
  void put(const Stm& s) {
    for (const Attr& a : s.attrs) { put(a); out += ' '; }
    out += "let ";
    list(s.pattern);
    out += " = ";
    put(s.exp);
    if (!s.checks.empty()) { out += " checks "; put(s.checks); }
    if (options_.sources && s.source.valid()) {
      const SourceInfo& at = p_.sources[s.source.index];
      out += fmt::format("  -- {}:{}:{}", at.file, at.line, at.column);
    }
  }
  void put(const Type& t) {
    match(t, [&](const ScalarType& x) { out += name_of(x.elem); },
          [&](const ArrayType& x) {
            dims(x.shape);
            out += name_of(x.elem);
            if (!x.place) return;
            out += " @ ";
            put(x.place->block);
            out += " + ";
            put(x.place->layout.offset);
            out += " {";
            list(x.place->layout.strides);
            out += "}";
          },
          [&](const AccType& x) {
            out += "acc ";
            put(x.token);
            out += " ";
            put(x.space);
            out += " ";
            if (x.elems.size() == 1) return put(x.elems[0]);
            out += "(";
            list(x.elems);
            out += ")";
          },
          [&](const BlockType& x) { out += "block "; put(x.space); }, [&](const CheckType&) { out += "check"; });
  }

 private:
  const Program& p_;
  PrintOptions options_;
  int depth_ = 0;
  std::unordered_map<Var, std::string> names_;
  std::unordered_map<std::string, int> seen_;

  // A hint as a word of the text form.
  static std::string word(const std::string& hint) {
    std::string w;
    for (char c : hint) w += (isalnum(static_cast<unsigned char>(c)) || c == '_') ? c : '_';
    if (w.empty() || isdigit(static_cast<unsigned char>(w[0]))) w = "x" + w;
    static const std::unordered_set<std::string> taken = {"in", "let", "true", "false", "checks", "none", "else", "into",
      "reduces", "scans", "post", "post_reduces", "rank", "shape", "comm", "inff16", "inff32", "inff64", "nanf16", "nanf32", "nanf64",
      "unknown", "private", "owner", "atomic", "fun", "entry", "acc", "check", "block", "any_order", "in_place", "in_range", "speculative"};
    return taken.contains(w) ? w + "_" : w;
  }
  const std::string& name(Var v) {
    auto [it, is_new] = names_.try_emplace(v);
    if (is_new) {
      if (v.index >= p_.vars.size()) it->second = is_result_number(v) ? fmt::format("#{}", number_of_result(v)) : "?";
      else {
        std::string w = word(p_.hint(v));
        int n = seen_[w]++;
        it->second = n ? fmt::format("{}.{}", w, n) : w;
      }
    }
    return it->second;
  }
  void line() { out += "\n"; out.append(size_t(2 * depth_), ' '); }
  void list(const auto& items) {
    const char* separator = "";
    for (const auto& item : items) { out += separator; put(item); separator = ", "; }
  }
  void dims(const std::vector<Dim>& shape) { for (const Dim& d : shape) { out += "["; dim(d); out += "]"; } }
  void dim(const Dim& d) { if (auto c = const_of(d)) out += number_text(*c); else put(d); }   // sizes are i64 anyway

  void put(const Var& v) { out += name(v); }
  void put(const Const& c) { out += number_text(c); if (c.type != Scalar::Bool) out += name_of(c.type); }
  void put(const Atom& a) { match(a, [&](const auto& x) { put(x); }); }
  void put(const ScalarOp& op) { out += name_of(op); }
  void put(const Scalar& s) { out += name_of(s); }
  void put(const int& n) { out += fmt::format("{}", n); }
  void put(const std::string& s) { out += quote(s); }
  void put(const TextId& t) { out += quote(p_.texts[t.index]); }
  void put(const DataId& d) { out += fmt::format("#{}", d.index); }
  void put(const FunId& f) { out += p_.functions[f.index].name; }
  void put(const ElemType& t) { dims(t.shape); out += name_of(t.elem); }
  template <class E> requires std::is_enum_v<E> void put(const E& e) { out += EnumWords<E>::words[size_t(e)]; }
  void put(const Attr& a) {
    std::vector<std::string> args;
    if (!a.word.empty()) args.push_back(a.word);
    for (i64 n : a.args) args.push_back(fmt::format("{}", n));
    out += "#[" + a.name + (args.empty() ? "" : "(" + join(args, ", ") + ")") + "]";
  }
  void put(const Bind& b) {
    out += name(b.var) + ": ";
    put(p_.type(b.var));
    word_if("batched", p_.vars[b.var.index].batched);
    for (const Attr& a : p_.vars[b.var.index].attrs) { out += ' '; put(a); }
  }
  template <class T> void put(const std::vector<T>& items) { out += "["; list(items); out += "]"; }
  template <class T> void put(const std::optional<T>& x) { if (x) put(*x); else out += "none"; }
  void put(const Slice& s) { put(s.start); out += " +: "; put(s.count); out += " * "; put(s.stride); }
  void put(const Selector& s) { match(s, [&](const auto& x) { put(x); }); }
  void put(const Body& b) {
    out += "{";
    if (b.stms.empty()) {
      out += " in ";
      list(b.result);
      out += b.result.empty() ? "}" : " }";
      return;
    }
    depth_++;
    for (const Stm& s : b.stms) { line(); put(s); }
    line();
    out += "in ";
    list(b.result);
    depth_--;
    line();
    out += "}";
  }
  void put(const Lambda& l) { out += "\\("; list(l.params); out += ") "; put(l.body); }
  void op(const Combine& c) { if (auto plain = plain_operator(p_, c)) put(*plain); else put(c.op); }
  void put(const Combine& c) {
    out += "(";
    op(c);
    out += " ";
    put(c.neutral);
    if (!c.shape.empty()) { out += " shape "; put(c.shape); }
    if (c.commutative && !plain_operator(p_, c)) out += " comm";
    out += ")";
  }
  void section(std::string_view word_, const std::vector<Combine>& ops) {
    if (ops.empty()) return;
    out += " ";
    out += word_;
    for (const Combine& c : ops) { out += " "; put(c); }
  }
  void put(const Dest& d) {
    put(d.arrays);
    if (d.rank != 1) out += fmt::format(" rank {}", d.rank);
    if (d.conflict != Conflict::Unknown) { out += " "; put(d.conflict); }
    if (d.combine) { out += " "; put(*d.combine); }
  }
  void state(const std::vector<Bind>& binds, const std::vector<Atom>& init) {
    out += "(";
    for (size_t i = 0; i < binds.size(); i++) {
      if (i) out += ", ";
      put(binds[i]);
      out += " = ";
      put(init[i]);
    }
    out += ") ";
  }
  void post(const Lambda& l) {
    if (l.params.empty() && l.body.result.empty()) return;
    out += " post ";
    put(l);
  }

  static std::string_view word(Vectors v) {
    switch (v) {
      case Vectors::Open: return "";
      case Vectors::No: return "scalar";
      case Vectors::Yes: return "vectors";
      case Vectors::Lanes: return "lanes";
      case Vectors::Interleaved: return "interleaved";
      case Vectors::Apart: return "apart";
      case Vectors::Alone: return "alone";
    }
    return "";
  }
  void group(const std::optional<Group>& x) {
    if (!x) return;
    out += "own ";
    put(x->own);
    out += " into ";
    put(x->sums);
    out += " if ";
    put(x->when);
    out += " ";
  }
  void put(const For& x) {
    out += "for " + name(x.i.var) + " < ";
    put(x.n);
    out += " ";
    if (x.any_order) { out += "any_order "; put(*x.any_order); out += " "; }
    if (x.sums) out += "sums ";
    if (x.vectors != Vectors::Open) out += std::string(word(x.vectors)) + " ";
    group(x.group);
    if (x.blocks) out += "blocks ";
    if (x.budget) out += fmt::format("budget [{}, {}, {}] ", x.budget->levels, x.budget->bytes, x.budget->memory);
    state(x.state, x.init);
    put(x.body);
  }
  void put(const While& x) { out += "while "; state(x.state, x.init); put(x.cond); out += " "; put(x.body); }
  void put(const If& x) { out += "if "; put(x.cond); out += " "; put(x.then_); out += " else "; put(x.else_); }
  void put(const Screma& x) {
    bool reduce = is_plain_reduce(p_, x), scan = is_plain_scan(p_, x);
    if (reduce || scan) {
      const Combine& c = reduce ? x.reduces[0] : x.scans[0];
      out += reduce ? "reduce " : "scan ";
      put(x.width);
      out += " ";
      op(c);
      out += " ";
      put(c.neutral);
      out += " ";
      put(x.inputs);
      return word_if("ordered", x.ordered);
    }
    out += is_map(x) ? "map " : "screma ";
    put(x.width);
    out += " ";
    put(x.pre);
    out += " ";
    put(x.inputs);
    section("reduces", x.reduces);
    section("scans", x.scans);
    post(x.post);
    section("post_reduces", x.post_reduces);
    word_if("ordered", x.ordered);
  }
  void put(const Hist& x) {
    out += "hist ";
    put(x.width);
    out += " ";
    put(x.pre);
    out += " ";
    put(x.inputs);
    out += " into ";
    list(x.dests);
  }
  void put(const WithAcc& x) { out += "with_acc "; list(x.dests); out += " "; put(x.scope); }
  void put(const Workspace& w) { put(w.block); out += " = "; put(w.bytes); }
  void put(const Seg& x) {
    out += "seg ";
    put(x.level);
    out += " (";
    for (size_t i = 0; i < x.index.size(); i++) {
      if (i) out += ", ";
      out += name(x.index[i].var) + " < ";
      put(x.extent[i]);
    }
    out += ") ";
    if (x.vectors != Vectors::Open) out += std::string(word(x.vectors)) + " ";
    if (!x.workspaces.empty()) { out += "with "; put(x.workspaces); out += " "; }
    group(x.group);
    put(x.body);
    section("reduces", x.reduces);
    section("scans", x.scans);
    post(x.post);
    section("post_reduces", x.post_reduces);
    if (!x.dests.empty()) { out += " into "; list(x.dests); }
    if (x.parts) out += fmt::format(" parts {}", *x.parts);
    word_if("collective", x.collective);
  }
  void put(const Apply& x) { put(x.op); out += " "; put(x.args); }
  // A word after an operation that says more of it, and for which of its operands.
  void word_if(std::string_view word, bool holds) { if (holds) { out += " "; out += word; } }
  void word_if(std::string_view word, const std::vector<bool>& holds) {
    if (holds.empty()) return;
    out += " ";
    out += word;
    out += " [" + join(holds, ", ", [](bool x) { return std::string(x ? "true" : "false"); }) + "]";
  }
  template <class... Fields> void simple(std::string_view name, const Fields&... fields) {
    out += name;
    ((out += " ", put(fields)), ...);
  }
  void put(const Update& x) { simple(x.name, x.array, x.at, x.value); word_if("in_place", x.in_place); }
  void put(const ArrayLit& x) { simple(x.name, x.elements); word_if("in_place", x.in_place); }
  void put(const Concat& x) { simple(x.name, x.dim, x.arrays, x.size); word_if("in_place", x.in_place); }
  void put(const AccUpdate& x) { simple(x.name, x.acc, x.at, x.values); word_if("in_range", x.in_range); }
  void put(const Alloc& x) { simple(x.name, x.space, x.bytes); word_if("speculative", x.speculative); }
  template <class Op> requires requires { Op::levels; } void put(const Op& x) {
    std::apply([&](const auto&... field) { simple(Op::name, field...); }, Op::fields(x));
  }
  void put(const Exp& e) { match(e, [&](const auto& x) { put(x); }); }

  void data(size_t i) {
    const DataArray& d = p_.data[i];
    out += fmt::format("data #{}: ", i);
    for (i64 n : d.shape) out += fmt::format("[{}]", n);
    out += name_of(d.elem);
    out += " = [";
    size_t size = size_t(bytes_of(d.elem));
    for (size_t k = 0; k * size < d.bytes.size(); k++) {
      Const c{d.elem, 0};
      for (size_t byte = 0; byte < size; byte++)
        c.bits |= uint64_t(static_cast<unsigned char>(d.bytes[k * size + byte])) << (8 * byte);
      out += (k ? ", " : "") + number_text(c);
    }
    out += "]\n";
  }
  void function(const Function& f, bool called) {
    for (const Attr& a : f.attrs) { put(a); out += ' '; }
    out += "fun " + f.name + " \\(";
    for (size_t i = 0; i < f.lambda.params.size(); i++) {
      if (i) out += ", ";
      if (i < f.consumes.size() && f.consumes[i]) out += "*";
      put(f.lambda.params[i]);
    }
    out += ") ";
    if (called) { out += "-> ("; list(f.returns); out += ") "; }
    put(f.lambda.body);
    out += "\n";
  }
  void external(const ExternalType& t) {
    out += quote(t.name) + fmt::format(" {}", t.values);
    if (t.opaque) out += " opaque";
    if (t.unique) out += " unique";
  }
  void entry(const EntryPoint& e) {
    out += "entry " + quote(e.name) + " " + p_.functions[e.function.index].name;
    out += fmt::format(" sizes {} {} (", e.sizes, e.result_sizes);
    for (size_t i = 0; i < e.params.size(); i++) {
      out += i ? ", " : "";
      out += quote(i < e.param_names.size() ? e.param_names[i] : "") + " ";
      external(e.params[i]);
    }
    out += ") (";
    for (size_t i = 0; i < e.results.size(); i++) { out += i ? ", " : ""; external(e.results[i]); }
    out += ")\n";
  }
};

}  // namespace

std::string print(const Program& p, PrintOptions options) {
  Printer printer(p, options);
  printer.program();
  return std::move(printer.out);
}
std::string print(const Program& p, const Stm& s) {
  Printer printer(p, {});
  printer.put(s);
  return std::move(printer.out);
}
std::string print(const Program& p, const Type& t) {
  Printer printer(p, {});
  printer.put(t);
  return std::move(printer.out);
}

}  // namespace raido::ir
