// tasks.cc - Core to Parallel for CPUs: every outermost screma or hist becomes a task seg over its width.
//
// Scremas inside keep their form: they run inside one task. A seg reads its inputs at its index, so a screma's lambda
// becomes the body after statements that load the elements. An accumulator among the inputs is the same one in every
// iteration: the body refers to it directly.
#include "compiler/ir/build.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

// The body of a seg made of a lambda applied to the elements of `inputs` at index i.
Body body_at(Program& p, const Stm& s, Var i, const std::vector<Var>& inputs, Lambda pre) {
  Body out;
  Builder b(p, out.stms);
  b.source = s.source;
  std::vector<Atom> elements;
  for (size_t k = 0; k < inputs.size(); k++)
    elements.push_back(is_array(p.type(inputs[k])) ? b.index(p.hint(pre.params[k].var), inputs[k], {i}) : Atom(inputs[k]));
  out.result = b.inline_once(std::move(pre), elements);
  return out;
}

void extract(Program& p, Body& body) {
  for (Stm& s : body.stms) {
    if (auto x = std::get_if<Screma>(&s.exp)) {
      Var i = p.fresh("i", scalar_type(Scalar::I64));
      Body inner = body_at(p, s, i, x->inputs, std::move(x->pre));
      s.exp = Seg{SegLevel::Task, {{i}}, {x->width}, std::move(inner), std::move(x->reduces), std::move(x->scans),
                  std::move(x->post), std::move(x->late), {}};
    } else if (auto h = std::get_if<Hist>(&s.exp)) {
      Var i = p.fresh("i", scalar_type(Scalar::I64));
      Body inner = body_at(p, s, i, h->inputs, std::move(h->pre));
      s.exp = Seg{SegLevel::Task, {{i}}, {h->width}, std::move(inner), {}, {}, {}, {}, std::move(h->dests)};
    } else {
      walk_parts(s, [&](Body& inner) { extract(p, inner); });
    }
  }
}

}  // namespace

void tasks(Program& program, PassContext&) {
  program.each_body([&](Body& b) { extract(program, b); });
}

}  // namespace raido
