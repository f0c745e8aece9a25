// divide.cc - large functions in parts (decision 057).
//
// A part is a run of statements with a loop that hands on nothing but numbers. It becomes a function: what it uses are the parameters, what it
// changes or declares for later are the results.
//
//   for .. { s = f (s, xs[i]) }   ==>   if (part (w, xs, s, &after)) return 1;  s = after;
//
// Outer loops are taken before those inside of them. What makes or gives back memory that others see stays where it is. So does what uses small
// arrays and vectors of the function around, which the C compiler keeps in registers.
//
// First the sums of a tile become a function, in functions of any size: from the declaration of the vectors to their last use. All products with one
// operator have the same text there, so one function serves them (merge.h). It takes the arrays of the tile by address.
#include "backends/kernel/divide.h"
#include "backends/kernel/walk.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "compiler/ir/costs.h"

namespace raido::kir {
namespace {

size_t size_of(const Stm& s) {
  size_t n = 1;
  each_body(s, [&](const Block& b) { for (const Stm& inner : b) n += size_of(inner); });
  return n;
}
bool is_loop(const Stm& s) { return std::holds_alternative<For>(s.node) || std::holds_alternative<While>(s.node); }
bool has_loop(const Stm& s) {
  bool found = is_loop(s);
  each_body(s, [&](const Block& b) { for (const Stm& inner : b) found = found || has_loop(inner); });
  return found;
}

class Division {
 public:
  Division(Module& m, size_t function) : m_(m), function_(function), last_(function + 1 == m.functions.size()) {
    for (const DataRef& d : m.data) data_.insert(d.name);
  }

  void sums_of_tiles() {
    Block body = std::move(self().body);
    tiles(body);
    self().body = std::move(body);
  }
  void run() {
    size_t size = 0;
    for (const Stm& s : self().body) size += size_of(s);
    self().lone = size > costs::part_statements;
    if (size <= costs::function_statements) return;
    note(self().body);
    Block body = std::move(self().body);
    block(body);
    self().body = std::move(body);
  }

 private:
  Module& m_;
  const size_t function_;
  const bool last_;                                        // and stays the last, although parts come before it
  IdSet<Name> data_;                                       // arrays of the program's text
  IdSet<Name> open_, kept_;                                // declared without a value; arrays and vectors of the function

  HostFunction& self() { return last_ ? m_.functions.back() : m_.functions[function_]; }

  void note(const Block& b) {
    for (const Stm& s : b) {
      match(s.node, [&](const Declare& x) { if (!x.init) open_.insert(x.var); }, [&](const DeclareArray& x) { kept_.insert(x.var); },
            [&](const DeclareVectors& x) { kept_.insert(x.var); }, [](const auto&) {});
      each_body(s, [&](const Block& inner) { note(inner); });
    }
  }

  using Later = IdMap<Name, int>;                          // statements of the block, not yet passed, that use it
  Later uses(const Block& b) const {
    Later later;
    for (const Stm& s : b) for (Name n : used_names(m_, s)) later[n]++;
    return later;
  }

  void tiles(Block& b) {
    Later later = uses(b);
    Block out, run;
    std::vector<Name> vectors;                             // of the run, which goes on to the last use of them
    for (auto& s : b.take()) {
      for (Name n : used_names(m_, *s)) later[n]--;
      each_body(*s, [&](Block& inner) { tiles(inner); });
      if (auto x = std::get_if<DeclareVectors>(&s->node)) vectors.push_back(x->var);
      (vectors.empty() ? out : run).push_back(std::move(s));
      if (vectors.empty() || std::ranges::any_of(vectors, [&](Name n) { return later.at(n) > 0; })) continue;
      vectors.clear();
      Block tile = std::exchange(run, {});
      if (!make_part(out, tile, later)) for (auto& t : tile.take()) out.push_back(std::move(t));
    }
    b = std::move(out);
  }

  void block(Block& b) {
    Later later = uses(b);
    Block out, run;
    size_t size = 0;
    auto end = [&] {
      finish(out, std::exchange(run, {}), size, later);
      size = 0;
    };
    for (auto& s : b.take()) {
      size_t more = size_of(*s);
      bool joins = more <= costs::part_statements && may_begin(*s);
      if (!joins || size + more > costs::run_statements) end();
      for (Name n : used_names(m_, *s)) later[n]--;
      if (joins) {
        run.push_back(std::move(s));
        size += more;
        continue;
      }
      match(s->node, [&](For& x) { block(x.body); }, [&](While& x) { block(x.body); }, [&](If& x) { block(x.then_); block(x.else_); },
            [&](ParallelFor& x) { block(x.body); }, [](auto&) {});       // others are small
      out.push_back(std::move(s));
    }
    end();
    b = std::move(out);
  }
  // Of a part. Memory that it makes or gives back is for this statement alone.
  bool may_begin(const Stm& s) const {
    bool hands_on = std::holds_alternative<Alloc>(s.node) || std::holds_alternative<Release>(s.node) || std::holds_alternative<Retain>(s.node) ||
                    std::holds_alternative<SetBlock>(s.node);
    return !hands_on && may_move(s);
  }
  static bool may_move(const Stm& s) {
    bool fine = match(s.node,
      [](const Declare&) { return true; }, [](const DeclareArray&) { return true; }, [](const Assign&) { return true; },
      [](const Store&) { return true; }, [](const For&) { return true; }, [](const While&) { return true; }, [](const If&) { return true; },
      [](const Fail&) { return true; }, [](const Transpose&) { return true; }, [](const DeclareVectors&) { return true; },
      [](const MoveVector&) { return true; }, [](const Settle&) { return true; }, [](const Alloc&) { return true; },
      [](const Retain&) { return true; }, [](const Release&) { return true; }, [](const SetBlock&) { return true; },
      [](const Call& x) { return x.results.empty(); }, [](const auto&) { return false; });
    each_body(s, [&](const Block& b) { for (const Stm& inner : b) fine = fine && may_move(inner); });
    return fine;
  }

  // Free numbers that a run assigns, and the blocks that it hands on, in order.
  struct Changes { std::vector<Name> numbers, blocks; };
  static void find_changes(const Block& b, Changes& c) {
    for (const Stm& s : b) {
      match(s.node, [&](const Assign& x) { c.numbers.push_back(x.var); }, [&](const Retain& x) { c.blocks.push_back(x.block); },
            [&](const Release& x) { c.blocks.push_back(x.block); }, [&](const SetBlock& x) { c.blocks.insert(c.blocks.end(), {x.block, x.from}); },
            [](const auto&) {});
      each_body(s, [&](const Block& inner) { find_changes(inner, c); });
    }
  }
  bool uses(ExprId e, Name n) const {
    Block b;
    b.push_back({Return{{e}}});
    return std::ranges::count(free_names(m_, b), n) > 0;
  }
  // Whether the name gets a value before anything reads it.
  bool is_set_first(const Block& b, Name n) const {
    for (const Stm& s : b) {
      if (auto x = std::get_if<Declare>(&s.node); x && x->var == n && !x->init) continue;
      if (auto x = std::get_if<Assign>(&s.node); x && x->var == n) return !uses(x->value, n);
      if (std::ranges::count(used_names(m_, s), n) == 0) continue;
      auto x = std::get_if<If>(&s.node);
      return x && !uses(x->cond, n) && is_set_first(x->then_, n) && is_set_first(x->else_, n);
    }
    return false;
  }

  // A run that is over becomes a function, if it may be one and is worth it.
  void finish(Block& out, Block run, size_t size, const Later& later) {
    bool part = size >= costs::least_part && std::any_of(run.begin(), run.end(), has_loop) && make_part(out, run, later);
    if (!part) for (auto& s : run.take()) out.push_back(std::move(s));
  }
  bool make_part(Block& out, Block& run, const Later& later) {
    const std::vector<Name> used = free_names(m_, run);
    const std::unordered_set<Name> free(used.begin(), used.end());
    Changes changes;
    find_changes(run, changes);
    for (Name n : used) if (kept_.contains(n) || m_.names[n.index].constant) return false;
    for (Name n : changes.blocks) if (free.contains(n)) return false;
    std::vector<Name> results, open;                       // of the part: the declared ones first; what only others will set
    auto add = [&](Name n) { if (std::ranges::count(results, n) == 0) results.push_back(n); };
    for (const Stm& s : run) {
      auto x = std::get_if<Declare>(&s.node);
      auto array = std::get_if<DeclareArray>(&s.node);
      auto vectors = std::get_if<DeclareVectors>(&s.node);
      if (x && later.at(x->var) > 0) {
        if (m_.names[x->var.index].memory) return false;
        if (!x->init && std::ranges::count(changes.numbers, x->var) == 0) { open.push_back(x->var); continue; }
        if (!x->init && !is_set_first(run, x->var)) return false;
        add(x->var);
      }
      if ((array && later.at(array->var) > 0) || (vectors && later.at(vectors->var) > 0)) return false;
    }
    const size_t declared = results.size();
    for (Name n : changes.numbers) if (free.contains(n)) add(n);
    for (Name n : results) if (m_.names[n.index].memory) return false;

    HostFunction part;
    part.lone = true;
    std::vector<ExprId> args, values;
    Block body, afterwards;
    for (Name n : used) {
      if (data_.contains(n)) continue;
      bool assigned = std::ranges::count(results, n) > 0;
      if (assigned && open_.contains(n)) {
        if (!is_set_first(run, n)) return false;
        body.push_back({Declare{n, {}}});
        continue;
      }
      part.params.push_back(n);
      args.push_back(m_.var(n));
    }
    part.name = m_.unique(self().name);
    std::vector<Name> given;                               // what the call fills: a number whose address is known stays in memory
    for (size_t k = 0; k < results.size(); k++) {
      const NameInfo info = m_.names[results[k].index];
      part.results.push_back(m_.name("out", info.type));
      given.push_back(m_.name(info.text, info.type));
      for (Name n : {part.results[k], given[k]}) m_.names[n.index].wide = info.wide;
      values.push_back(m_.var(results[k]));
      out.push_back({Declare{given[k], {}}});
      if (k < declared) afterwards.push_back({Declare{results[k], m_.var(given[k])}});
      else afterwards.push_back({Assign{results[k], m_.var(given[k])}});
    }
    for (auto& s : run.take()) {
      auto x = std::get_if<Declare>(&s->node);
      if (x && std::ranges::count(open, x->var) > 0) afterwards.push_back(std::move(s));
      else body.push_back(std::move(s));
    }
    body.push_back({Return{std::move(values)}});
    part.body = std::move(body);
    const size_t number = m_.functions.size() - 1;
    out.push_back({Call{int(number), std::move(args), std::move(given)}});
    for (auto& s : afterwards.take()) out.push_back(std::move(s));
    m_.functions.insert(m_.functions.begin() + ptrdiff_t(number), std::move(part));
    return true;
  }
};

}  // namespace

bool divide_functions(Module& m) {
  if (!m.kernels.empty()) return false;
  const size_t before = m.functions.size();
  for (size_t k = before; k-- > 0;) Division(m, k).sums_of_tiles();
  Division(m, m.functions.size() - 1).run();
  for (size_t k = before - 1; k-- > 0;) Division(m, k).run();
  return m.functions.size() > before;
}

}  // namespace raido::kir
