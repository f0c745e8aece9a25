// split.cc - the inverse of fusion: every screma becomes a map, then one reduce or scan for each operator, then a map of
// the scanned values, then the late reductions. Differentiation has one rule for each of these pure forms.
#include "compiler/ir/rewrite.h"
#include "compiler/ir/types.h"
#include "passes/pass.h"

namespace raido {
namespace {

using namespace ir;

class Splitter {
 public:
  explicit Splitter(Program& p) : p_(p) {}
  void body(Body& whole) {
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst& results) {
      walk_parts(s, [&](Body& inner) { body(inner); });
      auto x = std::get_if<Screma>(&s.exp);
      bool pure = !x || is_map(*x) || (is_reduce(*x) && x->reduces.size() == 1) || (is_scan(*x) && x->scans.size() == 1);
      if (pure) return false;
      b.checks = s.checks;
      b.attrs = s.attrs;
      std::vector<Atom> values = split(b, std::move(*x));
      for (size_t i = 0; i < s.pattern.size(); i++) {
        Var v = *var_of(values[i]);
        p_.vars[v.index].hint = p_.hint(s.pattern[i].var);
        results.emplace(s.pattern[i].var, v);
      }
      return true;
    });
  }

 private:
  Program& p_;

  // The operands of one operator each.
  template <class F> static void each_operator(const std::vector<Combine>& ops, size_t& at, F f) {
    for (const Combine& c : ops) {
      f(c, at);
      at += c.neutral.size();
    }
  }
  std::vector<Atom> split(Builder& b, Screma x) {
    Dim width = x.width;
    std::vector<Combine> reduces = std::move(x.reduces), scans = std::move(x.scans), late = std::move(x.late);
    Lambda post = std::move(x.post);
    bool identity = post.params.empty() && post.body.result.empty();
    size_t reduced = width_of(reduces), scanned = width_of(scans);
    // A result of the map must be an array: an accumulator or proof passes through.
    std::vector<Var> mapped;
    if (is_identity(x.pre)) mapped = x.inputs;
    else mapped = b.map("mapped", width, std::move(x.pre), x.inputs);
    std::vector<Atom> out;
    std::vector<Var> outputs;
    size_t at = 0;
    auto operands = [&](size_t first, const Combine& c, const std::vector<Var>& from) {
      return std::vector<Var>(from.begin() + i64(first), from.begin() + i64(first + c.neutral.size()));
    };
    each_operator(reduces, at, [&](const Combine& c, size_t first) {
      for (Var v : b.reduce("r", width, c, operands(first, c, mapped))) out.push_back(v);
    });
    each_operator(scans, at, [&](const Combine& c, size_t first) {
      for (Var v : b.scan("s", width, c, operands(first, c, mapped))) outputs.push_back(v);
    });
    outputs.insert(outputs.end(), mapped.begin() + i64(reduced + scanned), mapped.end());
    if (identity) {
      out.insert(out.end(), outputs.begin(), outputs.end());
      return out;
    }
    std::vector<Var> finished = b.map("post", width, std::move(post), outputs);
    size_t kept = finished.size() - width_of(late);
    out.insert(out.end(), finished.begin(), finished.begin() + i64(kept));
    at = kept;
    each_operator(late, at, [&](const Combine& c, size_t first) {
      for (Var v : b.reduce("r", width, c, operands(first, c, finished))) out.push_back(v);
    });
    return out;
  }
};

}  // namespace

void split(ir::Program& program, PassContext&) {
  Splitter pass(program);
  program.each_body([&](ir::Body& b) { pass.body(b); });
}

}  // namespace raido
