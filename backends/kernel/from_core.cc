// from_core.cc - see translator.h: the statements, names and addresses.
#include "backends/kernel/translator.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "backends/kernel/from_core.h"
#include "compiler/base/text.h"
#include "compiler/ir/costs.h"

namespace raido::kir::translation {
namespace {

bool is_ready(const std::vector<bool>& in_place, size_t k) { return !in_place.empty() && in_place[k]; }
std::string place_text(const SourceInfo& i) {
  std::string end = i.line == i.end_line ? std::to_string(i.end_column) : fmt::format("{}:{}", i.end_line, i.end_column);
  return fmt::format("{}:{}:{}-{}", i.file, i.line, i.column, end);
}
// The place and the calls that lead to it.
std::vector<std::string> backtrace(const Program& p, Source source) {
  std::vector<std::string> places;
  for (Source at = source; at.valid(); at = p.sources[at.index].caller) places.push_back(place_text(p.sources[at.index]));
  return places;
}

}  // namespace

FromCore::FromCore(const Program& p, Target target, bool places)
    : p_(p), target_(target), facts_(find_block_facts(p)), made_(p), marks_(places || target == Target::Gpu) {}

Module FromCore::run() {
  for (const Function& f : p_.functions) m_.functions.push_back(declare(f));
  constants();
  for (size_t k = 0; k < p_.functions.size(); k++) {
    function(k);
    IdSet<FunId> seen;
    m_.functions[k].recursive = reaches(p_.functions[k], {uint32_t(k)}, seen);
  }
  return std::move(m_);
}

Name FromCore::new_memory(Var block) {
  Space space = std::get<BlockType>(p_.type(block)).space;
  return m_.memory(p_.hint(block), facts_.elem[block].value_or(Scalar::I8), space);
}
Name FromCore::memory(Var block) {
  if (is_constant_.contains(block)) return Name{constant(block)};
  CHECK(block_[block].valid(), "block `{}` is used before it exists", p_.hint(block));
  return block_[block];
}
Name FromCore::constant(Var v) {
  Name field = *field_[v];
  if (loaded_in_[v] == function_ + 1) return block_[v];
  const NameInfo info = m_.names[field.index];
  Name local = info.memory ? m_.memory(p_.hint(v), info.type, info.space) : m_.name(p_.hint(v), info.type);
  prologue_->push_back({FromConstants{local, field}});
  loaded_in_[v] = function_ + 1;
  block_[v] = local;
  return local;
}
ExprId FromCore::atom(const Atom& a) {
  return match(a, [&](const Const& c) { return m_.constant(c); },
               [&](Var v) {
                 if (is_constant_.contains(v)) return m_.var(constant(v));
                 CHECK(scalar_[v].valid(), "`{}` is used before it has a value", p_.hint(v));
                 return scalar_[v];
               });
}
std::vector<ExprId> FromCore::atoms(const std::vector<Atom>& as) {
  std::vector<ExprId> out;
  for (const Atom& a : as) out.push_back(atom(a));
  return out;
}
Name FromCore::declare_scalar(Var v, std::optional<ExprId> init) {
  Name n = m_.name(p_.hint(v), elem_of(p_.type(v)));
  emit(Declare{n, init});
  scalar_[v] = m_.var(n);
  return n;
}

FromCore::Layout FromCore::layout(const Atom& a) {
  const Place& q = *array(a)->place;
  return {memory(q.block), atom(q.layout.offset), atoms(q.layout.strides)};
}
ExprId FromCore::address(const Layout& l, const std::vector<ExprId>& at) {
  if (short_addresses_) return short_address(l, at);
  ExprId sum = l.offset;
  for (size_t d = 0; d < at.size(); d++) {
    ExprId index = at[d];
    // The first indices of the thread's point, whose elements lie in their order: as far as the thread has counted.
    if (auto found = counted_.find(at[d].index); found != counted_.end()) {
      const Counted& point = found->second;
      for (size_t k = 1; k < point.at.size() && d + 1 < at.size() && at[d + 1] == point.at[k]; k++, d++) {
        if (!is_product(l.strides[d], point.extent[k], l.strides[d + 1])) break;
        index = point.number[k];
      }
    }
    sum = m_.add(sum, m_.mul(index, l.strides[d]));
  }
  return sum;
}
bool FromCore::is_product(ExprId stride, ExprId n, ExprId inner) {
  if (m_.mul(n, inner) == stride) return true;
  auto v = std::get_if<Name>(&m_.exprs[stride.index].node);
  auto known = v ? products_.find(v->index) : products_.end();
  return known != products_.end() && (known->second == std::pair(n, inner) || known->second == std::pair(inner, n));
}
ExprId FromCore::short_address(const Layout& l, const std::vector<ExprId>& at) {
  auto is = [&](ExprId e, int64_t n) { auto c = m_.const_of(e); return c && c->as_i64() == n; };
  auto cut = [&](ExprId e) {
    if (auto c = m_.const_of(e)) return m_.constant(convert(Scalar::I32, *c));
    auto wide = std::get_if<Cast>(&m_.exprs[e.index].node);
    return wide && m_.exprs[wide->value.index].type == Scalar::I32 ? wide->value : m_.expr({Cast{e}, Scalar::I32});
  };
  std::optional<ExprId> sum;
  auto add = [&](ExprId e) { sum = sum ? m_.prim(ScalarOp::add, {*sum, e}) : e; };
  if (!is(l.offset, 0)) add(cut(l.offset));
  for (size_t d = 0; d < at.size(); d++)
    if (!is(l.strides[d], 0) && !is(at[d], 0)) add(is(l.strides[d], 1) ? cut(at[d]) : m_.prim(ScalarOp::mul, {cut(at[d]), cut(l.strides[d])}));
  return sum ? *sum : m_.number(0);
}
FromCore::Layout FromCore::sliced(const Layout& l, const std::vector<Selector>& at) {
  Layout out{l.memory, l.offset, {}};
  for (size_t d = 0; d < at.size(); d++)
    match(at[d], [&](const Atom& i) { out.offset = m_.add(out.offset, m_.mul(atom(i), l.strides[d])); },
          [&](const Slice& s) {
            out.offset = m_.add(out.offset, m_.mul(atom(s.start), l.strides[d]));
            out.strides.push_back(m_.mul(atom(s.stride), l.strides[d]));
          });
  out.strides.insert(out.strides.end(), l.strides.begin() + ptrdiff_t(at.size()), l.strides.end());
  return out;
}
FromCore::Layout FromCore::row(const Layout& l, ExprId i) {
  return {l.memory, m_.add(l.offset, m_.mul(i, l.strides[0])), {l.strides.begin() + 1, l.strides.end()}};
}
ExprId FromCore::load(Name memory, ExprId index, const std::string& hint) {
  Name v = m_.name(hint, m_.names[memory.index].type);
  if (is_device(memory) && !in_kernel_) emit(ReadBack{v, memory, index});
  else emit(Declare{v, m_.expr({Load{memory, index}, m_.names[memory.index].type})});
  return m_.var(v);
}
ExprId FromCore::load_named(Var v, const Layout& l, const std::vector<ExprId>& at) { return load(l.memory, address(l, at), p_.hint(v)); }
void FromCore::store(Name memory, ExprId index, ExprId value) {
  if (is_device(memory) && !in_kernel_) emit(WriteOut{memory, index, value});
  else emit(Store{memory, index, value, stores_meet_});
}
// All points of a few constant extents. None: there are more, or no points, or a device has a thread for each.
std::optional<std::vector<FromCore::Point>> FromCore::few_points(const std::vector<ExprId>& extent) {
  std::vector<Point> points = {{}};
  for (ExprId n : extent) {
    auto known = m_.const_of(n);
    if (target_ == Target::Gpu || !known || known->as_i64() == 0 || i64(points.size()) * known->as_i64() > costs::cpu::straight_elements) return {};
    std::vector<Point> longer;
    for (const auto& at : points)
      for (int64_t k = 0; k < known->as_i64(); k++) longer.push_back(at), longer.back().push_back(m_.number(k));
    points = std::move(longer);
  }
  return points;
}
// C compilers that see a few elements one by one make vectors of the loop around them.
void FromCore::each(const std::vector<ExprId>& extent, bool on_device, const Fill& fill) {
  if (target_ == Target::Gpu && on_device && !in_kernel_) return kernel("fill", extent, fill);
  if (auto points = few_points(extent)) {
    for (const auto& at : *points) fill(at);
    return;
  }
  std::vector<ExprId> at;
  nest(extent, at, fill);
}
void FromCore::nest(const std::vector<ExprId>& extent, std::vector<ExprId>& at, const Fill& fill) {
  if (at.size() == extent.size()) return fill(at);
  Name i = m_.name("i", Scalar::I64);
  ExprId n = extent[at.size()];
  at.push_back(m_.var(i));
  Block body = block([&] { nest(extent, at, fill); });
  at.pop_back();
  emit(For{i, m_.number(0), n, std::move(body)});
}
void FromCore::copy(const Layout& to, const Layout& from, const std::vector<ExprId>& extent) {
  auto near = [&](const Layout& l) {                   // the dimension along which its elements lie beside each other
    return size_t(std::ranges::find(l.strides, m_.number(1)) - l.strides.begin());
  };
  size_t n = extent.size(), p = near(to), q = near(from);
  auto is_few = [&](size_t d) { return m_.const_of(extent[d]) && m_.const_of(extent[d])->as_i64() < costs::cpu::least_block; };
  bool on_host = !in_kernel_ && !is_device(to.memory) && !is_device(from.memory);
  if (on_host && p < n && q < n && p != q && !(is_few(p) && is_few(q))) return transpose(to, from, extent, p, q);
  if (copy_turned(to, from, extent)) return;
  Layout into = to, out_of = from;
  std::vector<ExprId> joined = extent;
  if (is_device(to.memory)) join_rows(joined, {&into, &out_of});
  if (auto points = few_points(joined)) {                // reads before all writes, which might be to where others read
    std::vector<ExprId> elements;
    for (const auto& at : *points) elements.push_back(load(out_of.memory, address(out_of, at), "x"));
    for (size_t k = 0; k < elements.size(); k++) store(into.memory, address(into, (*points)[k]), elements[k]);
    return;
  }
  each(joined, is_device(to.memory), [&](const std::vector<ExprId>& at) {
    store(into.memory, address(into, at), load(out_of.memory, address(out_of, at), "x"));
  });
}
void FromCore::join_rows(std::vector<ExprId>& extent, const std::vector<Layout*>& layouts) {
  if (target_ != Target::Gpu || in_kernel_) return;
  for (size_t d = extent.size(); d-- > 1;) {
    if (!std::ranges::all_of(layouts, [&](const Layout* l) { return is_product(l->strides[d - 1], extent[d], l->strides[d]); })) continue;
    extent[d - 1] = m_.mul(extent[d - 1], extent[d]);
    extent.erase(extent.begin() + ptrdiff_t(d));
    for (Layout* l : layouts) l->strides.erase(l->strides.begin() + ptrdiff_t(d - 1));
  }
}
// One transposition for each point of the other dimensions. Threads share the points, or the columns where it is only one.
void FromCore::transpose(const Layout& to, const Layout& from, const std::vector<ExprId>& extent, size_t near_to, size_t near_from) {
  size_t n = extent.size();
  std::vector<size_t> outer;
  for (size_t d = 0; d < n; d++) if (d != near_to && d != near_from) outer.push_back(d);
  Point at(n, m_.number(0));
  const ExprId all = extent[near_to];
  auto blocks = [&](ExprId first, ExprId last) {
    emit(Transpose{to.memory, address(to, at), to.strides[near_from], from.memory, address(from, at), from.strides[near_to], extent[near_from], all, first,
                   last});
  };
  auto from_dim = [&](auto& self, size_t k, ExprId begin, ExprId end) -> void {
    Name i = m_.name("i", Scalar::I64);
    at[outer[k]] = m_.var(i);
    Block body = block([&] {
      if (k + 1 == outer.size()) blocks(m_.number(0), all);
      else self(self, k + 1, m_.number(0), extent[outer[k + 1]]);
    });
    emit(For{i, begin, end, std::move(body)});
  };
  auto points = [&](ExprId begin, ExprId end) { from_dim(from_dim, 0, begin, end); };
  if (target_ != Target::Multicore || in_task_) return outer.empty() ? blocks(m_.number(0), all) : points(m_.number(0), extent[outer[0]]);
  Name first = m_.name("first", Scalar::I64), last = m_.name("last", Scalar::I64);
  ExprId columns = m_.number(costs::cpu::shared_columns);
  Block chunk = block([&] {
    if (marks_) mark(place_);
    if (outer.empty()) blocks(m_.mul(m_.var(first), columns), m_.prim(ScalarOp::min, {m_.mul(m_.var(last), columns), all}));
    else points(m_.var(first), m_.var(last));
  });
  ExprId parts = outer.empty() ? m_.prim(ScalarOp::div, {m_.add(all, m_.number(costs::cpu::shared_columns - 1)), columns}) : extent[outer[0]];
  emit(ParallelFor{first, last, parts, std::move(chunk), m_.sites++});
}
void FromCore::put(const Layout& to, const Atom& value) {
  if (array(value)) copy(to, layout(value), shape(value));
  else store(to.memory, to.offset, atom(value));
}

// ---- statements ----

void FromCore::statement(const ir::Stm& s) {
  std::string_view kind = marked_kind(s);
  if (kind.empty()) return operation(s);
  auto [known, is_new] = places_.try_emplace({std::string(kind), s.source.index}, int(m_.places.size()));
  if (is_new) m_.places.push_back({std::string(kind), join(backtrace(p_, s.source), " <- ")});
  int around = place_;
  mark(known->second);
  operation(s);
  mark(around);
}
void FromCore::mark(int place) {
  place_ = place;
  if (Mark* last = out_->empty() ? nullptr : std::get_if<Mark>(&out_->back().node)) last->place = place;
  else emit(Mark{place});
}
std::string_view FromCore::marked_kind(const ir::Stm& s) const {
  if (!marks_ || in_kernel_ || !s.source.valid()) return "";
  bool device = target_ == Target::Gpu;
  auto is_large = [&] {                        // what is written, in a C program
    return std::ranges::any_of(s.pattern, [&](Bind b) {
      auto a = std::get_if<ArrayType>(&p_.type(b.var));
      return a && std::ranges::any_of(a->shape, [](const Atom& n) { return !const_of(n); });
    });
  };
  auto if_large = [&](std::string_view kind) { return device || is_large() ? kind : ""; };
  return match(s.exp,
    [](const ir::For&) -> std::string_view { return "loop"; }, [](const ir::While&) -> std::string_view { return "loop"; },
    [](const Seg&) -> std::string_view { return "parallel"; }, [](const WithAcc&) -> std::string_view { return "updates"; },
    [](const ir::Call&) -> std::string_view { return "call"; },
    [&](const Copy&) { return if_large("copy"); }, [&](const Concat&) { return if_large("concat"); }, [&](const Replicate&) { return if_large("fill"); },
    [&](const Iota&) { return if_large("fill"); }, [&](const Data&) { return if_large("data"); }, [&](const Update&) { return if_large("update"); },
    [&](const ArrayLit&) -> std::string_view { return device ? "array" : ""; }, [&](const Index&) -> std::string_view { return device ? "element" : ""; },
    [](const auto&) -> std::string_view { return ""; });
}

void FromCore::operation(const ir::Stm& s) {
  Var v = s.pattern.empty() ? Var{} : s.pattern[0].var;
  match(s.exp,
    [&](const Identity& x) {
      if (is_scalar_var(v)) scalar_[v] = atom(x.value);
      trace(s, x.value);
    },
    [&](const Apply& x) { apply(v, x); },
    [&](const Convert& x) {
      ExprId value = atom(x.value);
      declare_scalar(v, m_.exprs[value.index].type == x.to ? value : m_.expr({Cast{value}, x.to}));
    },
    [&](const Assert& x) { check(x, s.source); },
    [&](const ir::Call& x) { call(s, x); },
    [&](const ir::If& x) { branch(s, x); },
    [&](const ir::For& x) { for_loop(s, x); },
    [&](const ir::While& x) { while_loop(s, x); },
    [&](const Index& x) {
      if (array(v)) return;
      if (taken_[v]) return void(scalar_[v] = *taken_[v]);
      std::vector<ExprId> at;
      for (const Selector& i : x.at) at.push_back(atom(std::get<Atom>(i)));
      scalar_[v] = load_named(v, layout(x.array), at);
    },
    [&](const Update& x) {
      if (x.in_place) return;
      put(sliced(layout(x.array), x.at), x.value);
    },
    [&](const Iota& x) { iota(v, x); },
    [&](const Replicate& x) { replicate(v, x); },
    [&](const ArrayLit& x) {
      Layout to = layout(v);
      for (size_t k = 0; k < x.elements.size(); k++)
        if (!is_ready(x.in_place, k)) put(row(to, m_.number(int64_t(k))), x.elements[k]);
    },
    [&](const Data& x) { data(v, x); },
    [&](const Concat& x) { concat(v, x); },
    [&](const Copy& x) { copy(layout(v), layout(x.array), shape(v)); },
    [&](const ir::Alloc& x) { alloc(v, x.bytes, x.speculative, s.source, x.space == Space::Device); },
    [&](const WithAcc& x) { with_acc(s, x); },
    [&](const AccUpdate& x) { acc_update(x); },
    [&](const Seg& x) { seg(s, x); },
    [&](const Tunable& x) { tunable(v, x); },
    [](const Scratch&) {}, [](const Reshape&) {}, [](const Permute&) {},
    [](const Screma&) { PANIC("screma at level memory"); }, [](const Hist&) { PANIC("hist at level memory"); },
    [](const Jvp&) { PANIC("jvp at level memory"); }, [](const Vjp&) { PANIC("vjp at level memory"); },
    [](const Custom&) { PANIC("custom at level memory"); });
}
void FromCore::apply(Var v, const Apply& x) {
  std::vector<ExprId> args = atoms(x.args);
  ExprId value = m_.prim(x.op, args);
  if (auto inside = unsigned_test(x)) value = *inside;
  Name n = declare_scalar(v, value);
  if (x.op == ScalarOp::mul && m_.names[n.index].type == Scalar::I64) products_[n.index] = {args[0], args[1]};
}
// 0 <= i and i < n  ==>  (u64)i < (u64)n, when n is the extent of an array and so not negative.
std::optional<ExprId> FromCore::unsigned_test(const Apply& x) {
  if (x.op != ScalarOp::and_) return {};
  for (size_t k : {0, 1}) {
    const Apply *low = made_.get<Apply>(x.args[k]), *high = made_.get<Apply>(x.args[1 - k]);
    if (!low || !high || low->op != ScalarOp::le || high->op != ScalarOp::lt || !is_const(low->args[0], 0)) continue;
    if (low->args[1] != high->args[0] || elem_of(p_, high->args[0]) != Scalar::I64) continue;
    auto n = var_of(high->args[1]);
    if (!(n ? facts_.extents.contains(*n) : const_of(high->args[1])->as_i64() >= 0)) continue;
    auto as_unsigned = [&](const Atom& a) { return m_.expr({Cast{atom(a)}, Scalar::U64}); };
    return m_.prim(ScalarOp::lt, {as_unsigned(high->args[0]), as_unsigned(high->args[1])});
  }
  return {};
}
void FromCore::branch(const ir::Stm& s, const ir::If& x) {
  std::vector<Name> names = live_outs(s.pattern);
  ExprId cond = atom(x.cond);
  std::vector<Var> owned = std::exchange(handed_, {});
  Block yes = block([&] { body(x.then_, owned); assign(names, x.then_.result); });
  Block no = block([&] { body(x.else_, owned); assign(names, x.else_.result); });
  emit(If{cond, std::move(yes), std::move(no)});
}
void FromCore::iota(Var v, const Iota& x) {
  Layout to = layout(v);
  Scalar t = elem_of(p_.type(v));
  ExprId start = atom(x.start), step = atom(x.step);
  each({atom(x.n)}, is_device(to.memory), [&](const std::vector<ExprId>& at) {
    ExprId i = t == Scalar::I64 ? at[0] : m_.expr({Cast{at[0]}, t});
    store(to.memory, address(to, at), m_.prim(ScalarOp::add, {start, m_.prim(ScalarOp::mul, {i, step})}));
  });
}
void FromCore::replicate(Var v, const Replicate& x) {
  Layout to = layout(v);
  size_t outer = x.shape.size();
  std::vector<ExprId> extent = shape(v);
  if (!array(x.value) && is_device(to.memory)) join_rows(extent, {&to});
  each(extent, is_device(to.memory), [&](const std::vector<ExprId>& at) {
    ExprId value = array(x.value) ? load(layout(x.value).memory, address(layout(x.value), {at.begin() + ptrdiff_t(outer), at.end()}), "x")
                                  : atom(x.value);
    store(to.memory, address(to, at), value);
  });
}
void FromCore::concat(Var v, const Concat& x) {
  Layout to = layout(v);
  for (size_t k = 0; k < x.arrays.size(); k++) {
    if (!is_ready(x.in_place, k)) copy(to, layout(x.arrays[k]), shape(x.arrays[k]));
    ExprId n = atom(array(x.arrays[k])->shape[size_t(x.dim)]);
    to.offset = m_.add(to.offset, m_.mul(n, to.strides[size_t(x.dim)]));
  }
}
void FromCore::tunable(Var v, const Tunable& x) {
  CHECK(!in_kernel_, "a tunable number inside a kernel");
  if (x.kind == "threads") {
    Name n = m_.name(p_.hint(v), elem_of(p_.type(v)));
    emit(Threads{n});
    scalar_[v] = m_.var(n);
    return;
  }
  auto known = std::ranges::find(m_.params, x.key, &Param::name);
  int number = int(known - m_.params.begin());
  std::string limit = const_of(x.fallback) ? std::to_string(const_of(x.fallback)->as_i64()) : "def";
  if (known == m_.params.end()) m_.params.push_back({x.key, x.kind == "threshold" ? fmt::format("threshold({},)", limit) : x.kind});
  Name n = m_.name(p_.hint(v), elem_of(p_.type(v)));
  emit(Tuned{n, number, atom(x.fallback)});
  scalar_[v] = m_.var(n);
}
// #[trace] and #[trace(tag)]: the value goes to the log. Of an array in a kernel each element has its line, since threads take turns.
void FromCore::trace(const ir::Stm& s, const Atom& value) {
  for (const Attr& a : s.attrs) {
    if (a.name != "trace") continue;
    std::string label = a.word.empty() ? "trace" : a.word;
    if (a.word.empty() && s.source.valid()) label = place_text(p_.sources[s.source.index]);
    int line = -1;
    if (in_kernel_) {
      m_.texts.push_back(label + ": ");
      line = int(m_.texts.size() - 1);
      kernel_traces_ = true;
    }
    auto text = [&](std::string t) { if (!in_kernel_) emit(Trace{std::move(t), {}}); };
    auto one = [&](ExprId x) { emit(Trace{" ", x, line}); };
    text(label + ":");
    std::vector<ExprId> at;
    auto element = [&](const std::vector<ExprId>& i) { one(load(layout(value).memory, address(layout(value), i), "x")); };
    if (array(value)) nest(shape(value), at, element);
    else if (is_scalar(p_.type(value))) one(atom(value));
    text(array(value) ? " \n" : "\n");
  }
}
void FromCore::check(const Assert& x, Source source) {
  if (auto c = const_of(x.cond); c && c->bits) return;
  ExprId holds = atom(x.cond);
  Block no = block([&] { emit(Fail{failure(x, source), atoms(x.args)}); });
  returns_checked_ = true;
  emit(If{holds, {}, std::move(no)});
}
int FromCore::failure(const Assert& x, Source source) {
  std::string text = p_.texts[x.message.index];
  if (!text.starts_with("Error: ")) text = "Error: " + text;
  m_.texts.push_back(text + places_text(source));
  return int(m_.texts.size() - 1);
}
std::string FromCore::places_text(Source source) const {
  std::string places;
  int n = 0;
  for (const std::string& place : backtrace(p_, source)) {
    places += fmt::format("\n{} #{}  {}", n == 0 ? "->" : "  ", n, place);
    n++;
  }
  return places.empty() ? "" : "\n\nBacktrace:" + places;
}
void FromCore::data(Var v, const Data& x) {
  const DataArray& d = p_.data[x.data.index];
  Name from = m_.memory("data", d.elem, Space::Host);
  m_.data.push_back({from, &d});
  Layout to = layout(v);
  int64_t count = 1;
  for (int64_t n : d.shape) count *= n;
  if (is_device(to.memory)) { emit(Upload{to.memory, from, m_.number(count)}); return; }
  ExprId stride = m_.number(1);
  Layout source{from, m_.number(0), std::vector<ExprId>(d.shape.size(), stride)};
  for (size_t k = d.shape.size(); k-- > 0; stride = m_.mul(stride, m_.number(d.shape[k]))) source.strides[k] = stride;
  copy(to, source, shape(v));
}

}  // namespace raido::kir::translation

namespace raido::kir {

Module from_core(const ir::Program& program, ir::Target target, bool places) { return translation::FromCore(program, target, places).run(); }

}  // namespace raido::kir
