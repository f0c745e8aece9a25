// interpret.cc - the interpreter's entry, its frames, statements, control flow and scalar operations.
//
// Before it runs, one backward walk over each body finds where every variable is used last (prepare). There its slot is
// emptied, so that an array held by nobody else can be updated in place; an operation that consumes an operand moves
// it out of its slot (take).
#include "compiler/ir/interpret.h"

#include <algorithm>
#include <cmath>

#include "compiler/base/deep_stack.h"
#include "compiler/base/text.h"
#include "compiler/ir/calling.h"
#include "compiler/ir/interpreter.h"
#include "compiler/ir/transform.h"
#include "compiler/ir/types.h"

namespace raido::ir {

Interpreter::Interpreter(const Program& program, const InterpretOptions& options)
    : program_(program), options_(options), memory_(program.level == Memory) {
  number_slots();
  VarSet live;
  for (const Function& f : program.functions) {
    VarSet after;
    prepare(f.lambda.body, after);
    each_use(program, f, [&](Var v) { live.insert(v); });  // constants are needed by every function
  }
  prepare(program.constants, live);
  data_.resize(program.data.size());
  tapes_.resize(1);
}

void Interpreter::number_slots() {
  slots_.resize(program_.vars.size());
  uint32_t n = 0;
  each_bind(program_.constants, [&](Var v) { slots_[v.index] = {n++, true}; });
  globals_.resize(n);
  for (const Function& f : program_.functions) {
    uint32_t k = 0;
    each_bind(f.lambda, [&](Var v) { slots_[v.index] = {k++, false}; });
    frame_sizes_.push_back(k);
  }
}

// ---- Last uses ----

// Bodies that run several times, or at an unknown moment: what they use from outside stays alive within.
void Interpreter::prepare_inner(const Exp& exp, VarSet& live) {
  std::vector<const Body*> bodies;
  walk(exp, overloaded{[&](const Body& b) { bodies.push_back(&b); }, [&](const Var&) {}});
  VarSet bound;
  each_bind(exp, [&](Var v) { bound.insert(v); });
  VarSet inside = live;
  each_use(program_, exp, [&](Var v) { if (!bound.contains(v)) inside.insert(v); });
  for (const Body* b : bodies) {
    VarSet copy = inside;
    prepare(*b, copy);
  }
}

void Interpreter::prepare(const Body& body, VarSet& live) {
  BodyInfo& info = infos_[&body];
  info = {};
  info.take_result.assign(body.result.size(), false);
  for (size_t i = body.result.size(); i-- > 0;)
    if (const Var* v = var_of(body.result[i])) {
      // sizes and blocks may be read by the types of what the body gives
      info.take_result[i] = (is_array(program_.type(*v)) || is_acc(program_.type(*v))) && !live.contains(*v) && !slots_[v->index].global;
      live.insert(*v);
    }
  info.stms.resize(body.stms.size());
  for (size_t i = body.stms.size(); i-- > 0;) {
    const Stm& stm = body.stms[i];
    StmInfo& at = info.stms[i];
    auto note = [](std::vector<Var>& list, Var v) {
      if (std::find(list.begin(), list.end(), v) == list.end()) list.push_back(v);
    };
    VarSet inner;  // used by inner bodies or by types: not movable
    std::vector<const Body*> bodies;
    walk(stm.exp, overloaded{[&](const Body& b) { bodies.push_back(&b); }, [&](const Var&) {}});
    for (const Body* b : bodies) each_use(program_, *b, [&](Var v) { inner.insert(v); });
    for (const Bind& b : stm.pattern) walk(program_.type(b.var), [&](const Var& v) { inner.insert(v); });
    for (const Bind& b : stm.pattern)
      if (!live.contains(b.var)) note(at.dies, b.var);
    VarSet bound;
    each_bind(stm.exp, [&](Var v) { bound.insert(v); });
    for (const Bind& b : stm.pattern) bound.insert(b.var);
    std::vector<Var> uses;
    each_use(program_, stm, [&](Var v) { if (!bound.contains(v)) note(uses, v); });
    for (Var v : uses)
      if (std::holds_alternative<ArrayType>(program_.type(v)) && !live.contains(v) && !slots_[v.index].global) {  // sizes may be read by types later
        at.dies.push_back(v);
        if (!inner.contains(v)) at.movable.push_back(v);
      }
    for (const Bind& b : stm.pattern) live.erase(b.var);
    if (auto branch = std::get_if<If>(&stm.exp)) {
      VarSet one = live, other = live;
      prepare(branch->then_, one);
      prepare(branch->else_, other);
    } else {
      prepare_inner(stm.exp, live);
    }
    for (Var v : uses) live.insert(v);
  }
}

// ---- Reading and binding ----

Cell Interpreter::value(const Atom& a) {
  if (const Const* c = const_of(a)) return Num{*c, {}};
  return cell(*var_of(a));
}
Num Interpreter::num(const Atom& a) {
  if (const Const* c = const_of(a)) return Num{*c, {}};
  const Num* n = std::get_if<Num>(&cell(*var_of(a)));
  CHECK(n, "interpreter: `{}` is not a number", program_.hint(*var_of(a)));
  return *n;
}
std::vector<i64> Interpreter::integers(const std::vector<Atom>& as) {
  std::vector<i64> r;
  r.reserve(as.size());
  for (const Atom& a : as) r.push_back(integer(a));
  return r;
}
const Ref<Array>& Interpreter::array(Var v) {
  const Ref<Array>* a = std::get_if<Ref<Array>>(&cell(v));
  CHECK(a, "interpreter: `{}` is not an array", program_.hint(v));
  return *a;
}
// The value of an operand that is consumed: moved out of its slot if this is its last use.
Cell Interpreter::take(const Atom& a, const StmInfo& info) {
  const Var* v = var_of(a);
  if (!v) return value(a);
  Cell& c = cell(*v);
  bool movable = std::holds_alternative<Ref<Array>>(c) &&
                 std::find(info.movable.begin(), info.movable.end(), *v) != info.movable.end();
  return movable ? std::exchange(c, Cell{}) : c;
}
std::vector<Cell> Interpreter::take_all(const std::vector<Atom>& atoms, const StmInfo& info) {
  std::vector<Cell> cells;
  cells.reserve(atoms.size());
  for (size_t i = 0; i < atoms.size(); i++) {
    bool again = std::find(atoms.begin() + ptrdiff_t(i) + 1, atoms.end(), atoms[i]) != atoms.end();
    cells.push_back(again ? value(atoms[i]) : take(atoms[i], info));
  }
  return cells;
}

void Interpreter::bind(Bind b, Cell value) {
  if (auto t = std::get_if<ArrayType>(&program_.type(b.var))) {
    Ref<Array>* a = std::get_if<Ref<Array>>(&value);
    CHECK(a, "interpreter: `{}` is bound to something that is not an array", program_.hint(b.var));
    if (memory_ && t->place) {
      Ref<Array> place = view_of_type(*t);
      if (failed()) return;
      bool there = place->buffer == (*a)->buffer && place->offset == (*a)->offset;
      for (size_t i = 0; there && i < place->shape.size(); i++)
        there = place->shape[i] <= 1 || place->strides[i] == (*a)->strides[i];
      if (!there) copy(*place, **a);
      value = place;
    } else if ((*a)->shape != integers(t->shape)) {
      auto dims = [](const std::vector<i64>& shape) { return join(shape, "", [](i64 d) { return fmt::format("[{}]", d); }); };
      fail({}, fmt::format("internal error: `{}` has shape {}, its type says {}", program_.hint(b.var), dims((*a)->shape),
                           dims(integers(t->shape))));
    }
  }
  cell(b.var) = std::move(value);
}
void Interpreter::bind(const std::vector<Bind>& pattern, std::vector<Cell> values) {
  CHECK(pattern.size() == values.size(), "interpreter: {} values for {} binders", values.size(), pattern.size());
  for (size_t i = 0; i < pattern.size() && !failed(); i++) bind(pattern[i], std::move(values[i]));
}

// ---- Statements ----

bool Interpreter::execute(const List<Stm>& stms, const BodyInfo& info) {
  for (size_t i = 0; i < stms.size(); i++) {
    statement(stms[i], info.stms[i]);
    if (failed()) return false;
  }
  return true;
}

static bool is_nan(const Num& n) { return is_float(n.value.type) && std::isnan(n.value.as_f64()); }

void Interpreter::statement(const Stm& stm, const StmInfo& info) {
  if (auto apply = std::get_if<Apply>(&stm.exp)) {  // the common case, without a vector of results
    Num args[3];
    size_t n = 0;
    for (const Atom& a : apply->args) args[n++] = num(a);
    counters_.work++;
    Scalar working = working_type(apply->op, args[0].value.type, args[n > 1 ? 1 : 0].value.type);
    Num result = scalar(apply->op, working, {args, n});
    if (options_.stop_at_nan && is_nan(result) && std::none_of(args, args + n, is_nan)) options_.stop({backtrace(stm.source), {}, {}});
    cell(stm.pattern[0].var) = std::move(result);
  } else {
    std::vector<Cell> results = evaluate(stm, info);
    if (failed()) return;
    bind(stm.pattern, std::move(results));
    if (failed() && failure_->backtrace.empty()) failure_->backtrace = backtrace(stm.source);
  }
  if (!stm.attrs.empty()) trace(stm), stop(stm);
  for (Var v : info.dies) cell(v) = {};
}

std::vector<Cell> Interpreter::body(const Body& b) {
  const BodyInfo& info = infos_.find(&b)->second;
  if (!execute(b.stms, info)) return {};
  std::vector<Cell> results;
  results.reserve(b.result.size());
  for (size_t i = 0; i < b.result.size(); i++) {
    const Var* v = var_of(b.result[i]);
    if (v && info.take_result[i]) results.push_back(std::exchange(cell(*v), Cell{}));
    else results.push_back(value(b.result[i]));
  }
  return results;
}

std::vector<Cell> Interpreter::apply(const Lambda& f, std::vector<Cell> args) {
  bind(f.params, std::move(args));
  if (failed()) return {};
  return body(f.body);
}

std::vector<Cell> Interpreter::call(FunId callee, std::vector<Cell> args, Source source) {
  if (stack_now() < stack_limit_) {
    fail(source, "Stack overflow.");
    return {};
  }
  const Function& f = program_.functions[callee.index];
  std::vector<Cell> frame(frame_sizes_[callee.index]);
  std::vector<Cell>* caller = std::exchange(frame_, &frame);
  calls_.push_back(source);
  std::vector<Cell> results = apply(f.lambda, std::move(args));
  calls_.pop_back();
  frame_ = caller;
  return results;
}

std::vector<std::string> Interpreter::backtrace(Source source) const {
  std::vector<std::string> lines;
  auto chain = [&](Source s) {
    for (; s.valid(); s = program_.sources[s.index].caller) {
      const SourceInfo& i = program_.sources[s.index];
      lines.push_back(i.line == i.end_line
                          ? fmt::format("{}:{}:{}-{}", i.file, i.line, i.column, i.end_column)
                          : fmt::format("{}:{}:{}-{}:{}", i.file, i.line, i.column, i.end_line, i.end_column));
    }
  };
  chain(source);
  for (size_t i = calls_.size(); i-- > 0;) chain(calls_[i]);
  return lines;
}

void Interpreter::fail(Source source, std::string message) {
  if (!failure_) failure_ = Failure{std::move(message), backtrace(source), false};
}

void Interpreter::assertion(const Assert& x, Source source) {
  if (num(x.cond).value.bits) return;
  std::string_view text = program_.texts[x.message.index];
  std::string message;
  size_t next = 0;
  for (size_t i = 0; i < text.size(); i++) {
    if (text.substr(i, 2) != "{}" || next >= x.args.size()) {
      message += text[i];
      continue;
    }
    Const c = num(x.args[next++]).value;
    if (c.type == Scalar::Bool) message += c.bits ? "true" : "false";
    else if (is_float(c.type)) message += fmt::format("{}", c.as_f64());
    else if (c.type == Scalar::U64) message += std::to_string(c.bits);
    else message += std::to_string(c.as_i64());
    i++;
  }
  fail(source, std::move(message));
}

void Interpreter::trace(const Stm& stm) {
  if (!options_.trace) return;
  for (const Attr& attr : stm.attrs) {
    if (attr.name != "trace") continue;
    std::vector<std::string> place = backtrace(stm.source);
    std::string tag = !attr.word.empty() ? attr.word : place.empty() ? "trace" : place[0];
    for (const Bind& b : stm.pattern)
      if (const Cell& c = cell(b.var); std::holds_alternative<Num>(c) || std::holds_alternative<Ref<Array>>(c)) options_.trace(tag, to_value(c));
  }
}

void Interpreter::stop(const Stm& stm) {
  auto here = std::get_if<Assert>(&stm.exp);
  if (!options_.stop || !here) return;
  for (const Attr& attr : stm.attrs) {
    if (attr.name != "break") continue;
    Stop at{backtrace(stm.source), attr.args.at(0), {}};
    for (const Atom& a : here->args) {
      Cell c = value(a);
      bool there = std::holds_alternative<Num>(c) || std::holds_alternative<Ref<Array>>(c);
      at.values.push_back(there ? std::optional(to_value(c)) : std::nullopt);
    }
    options_.stop(at);
  }
}

std::vector<Cell> Interpreter::evaluate(const Stm& stm, const StmInfo& info) {
  auto one = [](Cell c) {
    std::vector<Cell> r;
    r.push_back(std::move(c));
    return r;
  };
  return match(
      stm.exp,
      [&](const Identity& x) { return one(take(x.value, info)); },
      [&](const Apply& x) {
        std::vector<Num> args;
        for (const Atom& a : x.args) args.push_back(num(a));
        return one(scalar(x.op, working_type(x.op, args[0].value.type, args[args.size() > 1].value.type), args));
      },
      [&](const Convert& x) { counters_.work++; return one(convert_num(x.to, num(x.value))); },
      [&](const Assert& x) { assertion(x, stm.source); return one(Num{bool_const(true), {}}); },
      [&](const Call& x) { return call(x.callee, take_all(x.args, info), stm.source); },
      [&](const If& x) { return body(num(x.cond).value.bits ? x.then_ : x.else_); },
      [&](const For& x) { return loop(x, info); },
      [&](const While& x) { return loop(x, info); },
      [&](const Index& x) {
        Cell c = index(x);
        if (failed() && failure_->backtrace.empty()) failure_->backtrace = backtrace(stm.source);
        return one(std::move(c));
      },
      [&](const Update& x) {
        Cell c = update(x, info);
        if (failed() && failure_->backtrace.empty()) failure_->backtrace = backtrace(stm.source);
        return one(std::move(c));
      },
      [&](const Iota& x) { return one(iota(x)); },
      [&](const Replicate& x) { return one(replicate(x, stm.pattern[0])); },
      [&](const Scratch& x) { return one(memory_ ? output(stm.pattern[0]) : fresh(x.elem, integers(x.shape))); },
      [&](const ArrayLit& x) { return one(array_literal(x, stm.pattern[0])); },
      [&](const Data& x) { return one(data(x)); },
      [&](const Concat& x) { return one(concat(x, stm.pattern[0])); },
      [&](const Reshape& x) { return one(reshape(x)); },
      [&](const Permute& x) { return one(permute(x)); },
      [&](const Copy& x) { return one(copied(x.array, stm.pattern[0])); },
      [&](const Screma& x) { return screma(x, stm); },
      [&](const Hist& x) { return hist(x, info); },
      [&](const WithAcc& x) { return with_acc(x, info); },
      [&](const AccUpdate& x) { return one(acc_update(x)); },
      [&](const Jvp& x) { return jvp(x); },
      [&](const Vjp& x) { return vjp(x); },
      [&](const Custom& x) { return custom(x, stm.source); },
      [&](const Seg& x) { return seg(x, stm, info); },
      [&](const Tunable& x) { return one(value(x.fallback)); },
      [&](const Alloc& x) -> std::vector<Cell> {
        i64 bytes = integer(x.bytes);
        if (x.speculative) bytes = std::max<i64>(bytes, 0);
        if (bytes < 0) return fail(stm.source, fmt::format("Negative allocation of {} bytes attempted.", bytes)), std::vector<Cell>{};
        return one(block(bytes, stm.source));
      });
}
Cell Interpreter::block(i64 bytes, Source source) {
  if (bytes > options_.max_bytes) return fail(source, fmt::format("Out of memory: {} bytes.", bytes)), Cell{};
  Ref<Buffer> made(new Buffer(counters_));
  made->fill(size_t(bytes));
  return made;
}

std::vector<Cell> Interpreter::loop(const For& x, const StmInfo& info) {
  i64 n = integer(x.n);
  Scalar counter = std::get<ScalarType>(program_.type(x.i.var)).elem;
  std::vector<Cell> state = take_all(x.init, info);
  const bool apart = memory_ && ((x.any_order && !x.sums) || x.vectors == Vectors::Apart);
  if (apart) {
    apart_.emplace_back();
    auto note = [&](const Cell& c) { if (auto a = std::get_if<Ref<Array>>(&c)) apart_.back().blocks.push_back((*a)->buffer); };
    for (const Cell& c : state) {
      note(c);
      if (auto acc = std::get_if<Ref<Accumulator>>(&c); acc && x.vectors == Vectors::Apart) for (const Cell& array : (*acc)->arrays) note(array);
    }
  }
  // A program whose iterations need an order needs the other one. In lanes the first iteration that fails is the one that says so: those before
  // it read nothing that others have stored, so they still run.
  const bool lanes = side_by_side(x.vectors);
  const bool backwards = x.any_order || lanes || x.vectors == Vectors::Apart;
  std::optional<Failure> first;
  for (i64 k = 0; k < n && !failed(); k++) {
    if (apart) apart_.back().iteration = k;
    i64 i = backwards ? n - 1 - k : k;
    cell(x.i.var) = Num{integer_constant(counter, i), {}};
    std::vector<Cell> before;
    if (lanes) before = state;
    bind(x.state, std::move(state));
    if (!failed()) state = body(x.body);
    if (!lanes || !failed()) continue;
    first = std::exchange(failure_, {});
    state = std::move(before);
  }
  if (first) failure_ = std::move(first);
  if (apart) apart_.pop_back();
  return state;
}

std::vector<Cell> Interpreter::loop(const While& x, const StmInfo& info) {
  std::vector<Cell> state = take_all(x.init, info);
  while (!failed()) {
    std::vector<Cell> cond = apply(x.cond, state);
    if (failed() || !std::get<Num>(cond[0]).value.bits) break;
    for (const Bind& b : x.cond.params) cell(b.var) = {};  // they would keep the arrays shared
    bind(x.state, std::move(state));
    if (!failed()) state = body(x.body);
  }
  return state;
}

// ---- Entry ----

// The cells of all parameters of f: implicit sizes and blocks are found from the arrays.
std::optional<std::vector<Cell>> Interpreter::arguments(const Function& f, size_t sizes, const std::vector<Value>& args) {
  auto refuse = [&](std::string message) {
    failure_ = Failure{std::move(message), {}, true};
    return std::nullopt;
  };
  std::vector<Var> outside = outside_params(program_, f), explicit_params;
  size_t sizes_left = sizes;
  for (Var v : outside) {
    if (sizes_left > 0 && std::holds_alternative<ScalarType>(program_.type(v))) sizes_left--;
    else explicit_params.push_back(v);
  }
  if (explicit_params.size() != args.size())
    return refuse(fmt::format("`{}` takes {} values, {} were given", f.name, explicit_params.size(), args.size()));
  VarMap<std::optional<Cell>> known;
  for (size_t i = 0; i < args.size(); i++) {
    const Type& t = program_.type(explicit_params[i]);
    auto array_type = std::get_if<ArrayType>(&t);
    auto scalar_type = std::get_if<ScalarType>(&t);
    bool fits = array_type    ? array_type->elem == args[i].elem && array_type->shape.size() == args[i].shape.size()
                : scalar_type ? scalar_type->elem == args[i].elem && args[i].shape.empty()
                              : false;
    if (!fits) return refuse(fmt::format("argument {} of `{}` has the wrong type", i + 1, f.name));
    known[explicit_params[i]] = from_value(args[i]);
    if (failed()) return std::nullopt;
  }
  std::string mismatch;
  auto compare = [&](size_t i, size_t k, i64 wanted, i64 actual) {
    if (wanted == actual || !mismatch.empty()) return;
    mismatch = fmt::format("Argument `{}`: dimension {} should be {}, but is {}.", program_.hint(explicit_params[i]), k, wanted, actual);
  };
  for (size_t i = 0; i < args.size(); i++)
    if (auto t = std::get_if<ArrayType>(&program_.type(explicit_params[i]))) {
      Ref<Array> a = std::get<Ref<Array>>(*known[explicit_params[i]]);
      for (size_t k = 0; k < t->shape.size(); k++) {
        if (const Const* c = const_of(t->shape[k])) {
          compare(i, k, c->as_i64(), a->shape[k]);
        } else {
          std::optional<Cell>& size = known[*var_of(t->shape[k])];
          if (!size) size = Num{i64_const(a->shape[k]), {}};
          compare(i, k, std::get<Num>(*size).value.as_i64(), a->shape[k]);
        }
      }
      if (!t->place) continue;
      known[t->place->block] = Cell(a->buffer);
      auto place_param = [&](const Atom& atom, i64 value) {
        const Var* v = var_of(atom);
        if (v && std::find(outside.begin(), outside.end(), *v) == outside.end()) known[*v] = Num{i64_const(value), {}};
      };
      place_param(t->place->layout.offset, 0);
      for (size_t k = 0; k < a->strides.size(); k++) place_param(t->place->layout.strides[k], a->strides[k]);
    }
  if (!mismatch.empty()) return refuse("Error: entry point arguments have invalid sizes.\n" + mismatch);
  std::vector<Cell> cells;
  for (const Bind& b : f.lambda.params) {
    std::optional<Cell>& c = known[b.var];
    if (!c) return refuse(fmt::format("the size `{}` of `{}` is in no argument's shape", program_.hint(b.var), f.name));
    cells.push_back(*c);
  }
  return cells;
}

Outcome Interpreter::run(std::string_view name, const std::vector<Value>& args) {
  Outcome outcome;
  stack_limit_ = stack_limit();
  const EntryPoint* entry = nullptr;
  for (const EntryPoint& e : program_.entries)
    if (e.name == name) entry = &e;
  FunId function = entry ? entry->function : FunId{};
  for (uint32_t i = 0; i < program_.functions.size() && !entry; i++)
    if (program_.functions[i].name == name) function = {i};
  if (!function.valid()) {
    outcome.failure = Failure{fmt::format("Invalid entry point: {}", name), {}, true};
    return outcome;
  }
  frame_ = &globals_;
  execute(program_.constants.stms, infos_.find(&program_.constants)->second);
  std::vector<Cell> results;
  if (!failed()) {
    auto cells = arguments(program_.functions[function.index], entry ? entry->sizes : 0, args);
    if (cells) results = call(function, std::move(*cells), {});
  }
  outcome.failure = failure_;
  outcome.counters = counters_;
  if (failed()) return outcome;
  size_t sizes_left = entry ? entry->result_sizes : 0;
  bool placing = false;
  for (const Cell& c : results) {
    if (std::holds_alternative<Ref<Buffer>>(c)) { placing = true; continue; }
    bool is_array = std::holds_alternative<Ref<Array>>(c);
    if (placing && !is_array) continue;
    placing = false;
    if (sizes_left > 0) sizes_left--;
    else outcome.results.push_back(to_value(c));
  }
  return outcome;
}

Outcome interpret(const Program& program, std::string_view name, const std::vector<Value>& args,
                  const InterpretOptions& options) {
  return Interpreter(program, options).run(name, args);
}

std::string show(const Failure& failure) {
  std::string text = failure.message.starts_with("Error: ") ? failure.message : "Error: " + failure.message;
  if (failure.backtrace.empty()) return text;
  text += "\n\nBacktrace:";
  constexpr size_t first = 12, last = 4;               // of a long list only its ends
  size_t n = failure.backtrace.size(), skip = n > first + last + 1 ? n - first - last : 0;
  for (size_t i = 0; i < n; i++) {
    if (skip && i == first) {
      text += fmt::format("\n   ... {} calls", skip);
      i += skip;
    }
    text += fmt::format("\n{} #{}  {}", i == 0 ? "->" : "  ", i, failure.backtrace[i]);
  }
  return text;
}

}  // namespace raido::ir
