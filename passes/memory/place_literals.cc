// place_literals.cc - a literal of numbers that several statements copy is there for each of them.
//
//   let a = array [x, y]                 let a = array [x, y]
//   let b = array [a, a]         ==>     let a1 = array [x, y]
//                                        let b = array [a, a1]
//
// An array can be built where one statement wants it, and would be copied to the others.
#include "compiler/ir/build.h"
#include "compiler/ir/types.h"
#include "passes/memory/placer.h"

namespace raido::placement {
namespace {

class Literals {
 public:
  explicit Literals(Program& p) : p_(p) {}

  void body(Body& b) {
    Builder builder(p_, b.stms);
    builder.into(b, [&](List<Stm>& old) {
      for (auto& s : old.take()) {
        walk_parts(*s, [&](Body& inner) { body(inner); });
        builder.source = s->source;
        auto copies = [&](auto& a) { copied(builder, a); };
        if (auto x = std::get_if<Update>(&s->exp)) copies(x->value);
        if (auto x = std::get_if<Concat>(&s->exp)) for (Var& v : x->arrays) copies(v);
        if (auto x = std::get_if<ArrayLit>(&s->exp)) {
          for (Atom& a : x->elements) copies(a);
          if (is_scalar(p_.type(x->elements[0]))) literals_[s->pattern[0].var] = {*x, false};
        }
        builder.emit(std::move(s));
      }
    });
  }

 private:
  Program& p_;
  struct Literal {
    ArrayLit array;
    bool copied = false;
  };
  VarMap<Literal> literals_;

  template <class T> void copied(Builder& b, T& a) {
    const Atom array = a;
    auto v = var_of(array);
    if (!v || literals_.at(*v).array.elements.empty()) return;
    Literal& literal = literals_[*v];
    if (literal.copied) a = b.bind1(p_.hint(*v), ArrayLit{literal.array});
    literal.copied = true;
  }
};

}  // namespace

void literals_apart(Program& p) {
  Literals literals(p);
  p.each_body([&](Body& b) { literals.body(b); });
}

}  // namespace raido::placement
