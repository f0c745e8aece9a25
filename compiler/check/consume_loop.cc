// consume_loop.cc - consumption by loops, which are run twice: once silently to see which parameters the body consumes, then for real
// with the start values consumed.
#include <algorithm>

#include "compiler/check/consumption.h"

namespace raido::check {

namespace {
// Where the value of an expression comes from, after its bindings.
const ast::Expr* tail(const ast::Expr* e) {
  for (;;) {
    if (auto* l = std::get_if<ast::Let>(&e->node)) e = l->body;
    else if (auto* f = std::get_if<ast::LetFun>(&e->node)) e = f->body;
    else if (auto* a = std::get_if<ast::Ascribe>(&e->node)) e = a->exp;
    else return e;
  }
}

// The part of a tuple that starts or ends parameter number i.
const ast::Expr* part_of(const ast::Expr* whole, size_t i, size_t params) {
  auto* t = std::get_if<ast::Tuple>(&whole->node);
  return t && t->parts.size() == params ? t->parts[i] : whole;
}
}  // namespace

// The names of the pattern, with the parts of a value that they are bound to.
void Consumption::loop_params(const ast::Pat* p, const Aliases& a, LoopParam::Mark mark, std::vector<LoopParam>& out) {
  match(p->node,
      [&](const ast::PVar& v) { out.push_back({v.var, a, mark}); },
      [&](const ast::PTuple& x) { for (size_t i = 0; i < x.parts.size(); i++) loop_params(x.parts[i], a.field(c.numeral(i)), mark, out); },
      [&](const ast::PRecord& x) { for (const ast::PField& f : x.fields) loop_params(f.pat, a.field(f.name), mark, out); },
      [&](const ast::PConstr& x) { for (const ast::Pat* q : x.args) loop_params(q, {a.all(), {}, false}, mark, out); },
      [&](const ast::PAscribe& x) { loop_params(x.pat, a, c.any_unique(x.type->type) ? LoopParam::Unique : LoopParam::Plain, out); },
      [&](const ast::PAttr& x) { loop_params(x.pat, a, mark, out); },
      [](const auto&) {});
}

std::vector<Consumption::LoopParam> Consumption::loop_params(const ast::Loop& l, const Aliases& a) {
  std::vector<LoopParam> out;
  loop_params(l.state, a, LoopParam::None, out);
  return out;
}

// One iteration.
Aliases Consumption::loop_body(ast::Loop& l, const std::vector<LoopParam>& params) {
  bind_pattern(l.state, l.state->type, {}, true);
  for (const LoopParam& p : params) if (p.mark == LoopParam::Plain) p.var->consumable = false;
  if (l.form != ast::Loop::Form::While && l.index) bind_pattern(l.index, l.index->type, {}, false);
  if (l.form == ast::Loop::Form::While) {
    if (!loops_.empty()) loops_.back().in_condition = true;
    exp(l.bound);
    if (!loops_.empty()) loops_.back().in_condition = false;
  }
  return exp(l.body);
}

// Which parameters the body consumes, itself or by handing them to one that the next iteration consumes. Nothing is reported.
std::vector<bool> Consumption::consuming_params(ast::Loop& l, const std::vector<LoopParam>& params) {
  size_t n = params.size(), diags = c.diags.mark();
  Inner saved = enter(Inside::Loop);
  std::vector<LoopParam> ends = loop_params(l, loop_body(l, params));
  std::vector<bool> consuming(n);
  for (size_t i = 0; i < n; i++) {
    consuming[i] = params[i].mark == LoopParam::Unique;
    for (Binding* v : aliases_[params[i].var].all) if (v == params[i].var && consumed_.find(v)) consuming[i] = true;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < n && i < ends.size(); i++) {
      if (!consuming[i]) continue;
      Vars all = ends[i].value.all();
      for (size_t k = 0; k < n; k++)
        if (!consuming[k] && std::find(all.begin(), all.end(), params[k].var) != all.end()) consuming[k] = changed = true;
    }
  }
  leave(saved);
  c.diags.rollback(diags);
  return consuming;
}

// What such parameters start with is consumed by the loop.
void Consumption::consume_starts(ast::Loop& l, const std::vector<LoopParam>& params, const std::vector<bool>& consuming, const Aliases& iterated) {
  for (size_t i = 0; i < params.size(); i++) {
    if (!consuming[i]) continue;
    for (size_t k = 0; k < params.size(); k++)
      if (k != i && (k > i || !consuming[k]) && common(params[i].value.all(), params[k].value.all())) c.diags.report(l.init->span, err::self_aliased);
    consume(params[i].value, l.init->span, part_of(l.init, i, params.size()), &l);
  }
  // Its elements are read as the loop goes, so it counts as used in the body.
  for (Binding* v : iterated.all()) {
    const Consumed* by = consumed_.find(v);
    if (!by || by->loop != &l) continue;
    c.diags.report(l.bound->span, err::loop_body_uses, name_of(v)).label(by->at, "consumed here").help("iterate over a copy");
    break;
  }
}

// What the body returns for such parameters is of the loop's own, and no two share it.
void Consumption::check_ends(const ast::Loop& l, const std::vector<LoopParam>& params, const std::vector<bool>& consuming, const std::vector<LoopParam>& ends) {
  for (size_t i = 0; i < params.size() && i < ends.size(); i++) {
    Vars all = ends[i].value.all();
    const ast::Expr* end = part_of(tail(l.body), i, params.size());
    const Span at = end->span;
    std::string_view name = c.text(params[i].var->name);
    Binding* outer = nullptr;                              // one that has a name, if there is one
    for (Binding* v : consuming[i] ? all : Vars{})
      if (const uint32_t* d = depths_.find(v); (!d || *d < barrier_) && (!outer || !outer->name.valid())) outer = v;
    if (outer) {
      constexpr size_t longest = 40;
      const std::string text = text_of(end);
      const bool is_short = text.size() <= longest;
      c.diags.report(at, err::loop_aliases_outer, name, outer->name.valid() || !local(end) ? name_of(outer) : text)
          .help("return a copy" + (is_short ? ": `copy " + text + "`" : ""));
    }
    for (size_t k = 0; k < i && k < ends.size(); k++) {
      if (!consuming[i] && !consuming[k]) continue;
      Binding* b = common(all, ends[k].value.all());
      if (!b) continue;
      if (consuming[k]) c.diags.report(at, err::loop_aliases_parameter, name, c.text(params[k].var->name)).help("return a copy of one of them");
      else c.diags.report(at, err::loop_aliases_returned, name, name_of(b)).help("return a copy of one of them");
      break;
    }
  }
}

// The type of the result: unique where the parameter is consumed.
TypeRef Consumption::returned(const ast::Pat* p, TypeRef t, const std::vector<LoopParam>& params, const std::vector<bool>& consuming) {
  auto* r = types.as<RecordType>(t);
  std::vector<Field> fields;
  if (r) fields.assign(r->fields.begin(), r->fields.end());
  auto part = [&](const ast::Pat* q, Name name) {
    for (auto& f : fields) if (f.first == name) f.second = returned(q, f.second, params, consuming);
  };
  return match(p->node,
      [&](const ast::PVar& v) {
        auto at = std::find_if(params.begin(), params.end(), [&](const LoopParam& x) { return x.var == v.var; });
        return consuming[size_t(at - params.begin())] ? types.add(UniqueType{t}) : t;
      },
      [&](const ast::PTuple& x) {
        for (size_t i = 0; i < x.parts.size(); i++) part(x.parts[i], c.numeral(i));
        return types.record(fields);
      },
      [&](const ast::PRecord& x) {
        for (const ast::PField& f : x.fields) part(f.pat, f.name);
        return types.record(fields);
      },
      [&](const ast::PAscribe& x) { return returned(x.pat, t, params, consuming); },
      [&](const ast::PAttr& x) { return returned(x.pat, t, params, consuming); },
      [&](const auto&) { return t; });
}

Aliases Consumption::loop(ast::Expr* e, ast::Loop& l) {
  Aliases iterated = l.form != ast::Loop::Form::While ? exp(l.bound) : Aliases{};
  Aliases start = exp(l.init);
  std::vector<LoopParam> params = loop_params(l, start);
  if (consuming_[e].empty() && !params.empty()) {
    std::vector<bool> found = consuming_params(l, params);   // inner loops are noted, too
    consuming_[e] = std::move(found);
  }
  const std::vector<bool> consuming = consuming_[e];
  consume_starts(l, params, consuming, iterated);
  Inner saved = enter(Inside::Loop);
  loops_.push_back({&l, false});
  Aliases result = loop_body(l, params);
  loops_.pop_back();
  check_ends(l, params, consuming, loop_params(l, result));
  leave(saved);
  // The result is like that of a call: what one parameter starts with may end in another.
  Vars shared;
  for (Binding* v : without_consumed(start).all()) add(shared, v);
  for (Binding* v : result.all()) if (const uint32_t* d = depths_.find(v); !d || *d <= depth_) add(shared, v);
  return result_of(returned(l.state, e->type, params, consuming), 0, shared, e->span);
}

}  // namespace raido::check
