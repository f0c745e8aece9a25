// flattened.cc - what runs over a flattened array runs over its rows.
//
// Where a map makes the rows, what reads the flattened array fuses with it then, and the array need not be made:
//
//   let a = map n f xs ; let v = reshape a [n * m]            let b = reshape ys [n, m]
//   let s, zs = screma (n * m) pre reduces v ys         ==>   let s, z = map n (\row yrow -> screma m pre reduces row yrow) a b, reduced
//                                                             let zs = reshape z [n * m]
//
// An associative operator may reduce the rows first. Only arrays that a map makes and nobody else reads are taken; their elements, and
// those of the other arrays, are numbers.
//
// On devices a map whose results are only read in rows runs over rows. So the adjoint of a flattened window meets the updates that it is for:
//
//   let v = map (n * m) f flat ; let a = reshape v [n, m]   ==>   let b = reshape flat [n, m] ; let a = map n (map m f) b
//
// A map over the places of an array in rows asks for the row and the column of each place. Then it knows them, without a division:
//
//   let zs = map (n * m) (\i -> .. i / m .. i % m ..) is  ==>   let z = map n (\q -> map m (\r -> .. q .. r ..) ..) .. ; reshape
//
// Places such as i / m * m + i % m - 1 then show how they move from one iteration to the next. The width may be known to be a multiple
// of m, with factors that are sizes. Otherwise `whole_rows` lets processors ask when the program runs, and keeps the map for the case that
// it is none.
#include <algorithm>
#include <unordered_map>

#include "compiler/ir/analysis/facts.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/term.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

// A product of variables and a positive number.
struct Product {
  i64 number = 1;
  std::vector<Var> of = {};            // in order
  bool is_one() const { return number == 1 && of.empty(); }
};
Product operator*(Product a, const Product& b) {
  a.number *= b.number;
  a.of.insert(a.of.end(), b.of.begin(), b.of.end());
  std::ranges::sort(a.of);
  return a;
}
// None: b does not divide a.
std::optional<Product> operator/(const Product& a, const Product& b) {
  if (a.number % b.number != 0 || !std::ranges::includes(a.of, b.of)) return {};
  Product rest{a.number / b.number};
  std::ranges::set_difference(a.of, b.of, std::back_inserter(rest.of));
  return rest;
}
Term term(Builder& b, const Product& p) {
  Term all = b.term(i64_const(p.number));
  for (Var v : p.of) all = all * b.term(v);
  return all;
}

class Flattened {
 public:
  Flattened(Program& p, PassContext& c, bool asks) : p_(p), c_(c), facts_(p), asks_(asks) {
    p.each_body([&](const Body& b) {
      each_use(p, b, [&](Var v) { uses_[v]++; });
      each_stm(b, [&](const Stm& s) { if (auto x = std::get_if<Reshape>(&s.exp)) shapes_[x->array].push_back({x->shape, s.checks}); });
    });
    for (const Function& f : p.functions) for (Bind b : f.lambda.params) facts_.bound(b.var);
  }

  void body(Body& whole) {
    auto outside = std::exchange(made_, {});
    size_t seen = 0;
    auto note_new = [&] { for (; seen < whole.stms.size(); seen++) note(whole.stms[seen]); };
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst&) {
      note_new();
      const bool parallel = kind_of(s.exp) == Kind::Parallel;
      parallel_ += parallel;
      facts_.in_bodies(s, [&](Body& inner) { body(inner); });
      parallel_ -= parallel;
      auto x = std::get_if<Screma>(&s.exp);
      if (!x || !x->scans.empty() || !x->post_reduces.empty() || !identity_post(*x) || x->ordered) return false;
      for (const Combine& op : x->reduces)
        if (!std::ranges::all_of(op.op.params, [&](Bind p) { return is_scalar(p_.type(p.var)); })) return false;
      if (auto rows = rows_of(*x); rows && c_.allow()) return over_rows(b, s, *x, *rows), true;
      if (auto shape = read_in(*x, s); shape && c_.allow()) return over_shape(b, s, *x, *shape), true;
      if (auto places = places_of(*x)) return over_places(b, s, *x, *places);
      return false;
    });
    note_new();
    made_ = std::move(outside);
  }

 private:
  Program& p_;
  PassContext& c_;
  Facts facts_;
  bool asks_;
  size_t parallel_ = 0;                                    // operations around the body at hand
  std::unordered_map<Var, size_t> uses_;
  struct Shape {
    std::vector<Dim> shape;
    std::vector<Var> checks;
  };
  std::unordered_map<Var, std::vector<Shape>> shapes_;     // that an array is given
  VarSet noted_;                                           // what has been bound so far
  std::unordered_map<Var, Iota> ranges_;
  static constexpr size_t most_factors = 8;                // more than the extents of any array: chains of products have as many as they like
  std::unordered_map<Var, Product> products_;              // of more than one factor
  std::unordered_map<Var, Var> is_zero_, not_zero_;        // what is asked about which variable
  // In the body at hand: what a map makes, and what has another shape.
  struct Made { bool by_map = false; Var before = {}; };
  std::unordered_map<Var, Made> made_;

  void note(const Stm& s) {
    for (Bind x : s.pattern) facts_.bound(x.var), facts_.define(x.var, s.exp), noted_.insert(x.var);
    if (auto x = std::get_if<Screma>(&s.exp); x && x->scans.empty() && x->post_reduces.empty() && identity_post(*x))
      for (size_t k = width_of(x->reduces); k < s.pattern.size(); k++) made_[s.pattern[k].var] = {.by_map = true};
    if (auto x = std::get_if<Reshape>(&s.exp)) made_[s.pattern[0].var] = {.before = x->array};
    if (auto x = std::get_if<Iota>(&s.exp)) ranges_.emplace(s.pattern[0].var, *x);
    auto x = std::get_if<Apply>(&s.exp);
    if (x && x->op == ScalarOp::eq && x->args[0] == Atom(i64_const(0)) && var_of(x->args[1])) is_zero_.emplace(s.pattern[0].var, *var_of(x->args[1]));
    if (x && x->op == ScalarOp::not_ && var_of(x->args[0]))
      if (auto zero = is_zero_.find(*var_of(x->args[0])); zero != is_zero_.end()) not_zero_.emplace(s.pattern[0].var, zero->second);
    if (!x || x->op != ScalarOp::mul) return;
    auto left = product(x->args[0]), right = product(x->args[1]);
    const bool small = left && right && left->of.size() + right->of.size() <= most_factors && left->number * right->number < (i64{1} << 31);
    if (small) products_.emplace(s.pattern[0].var, *left * *right);
  }
  std::optional<Product> product(const Atom& a) const {
    if (elem_of(p_, a) != Scalar::I64) return {};
    if (const Const* c = const_of(a)) {
      const i64 number = c->as_i64();
      return number > 0 && number < (i64{1} << 31) ? std::optional(Product{number}) : std::nullopt;
    }
    auto known = products_.find(*var_of(a));
    return known == products_.end() ? Product{1, {*var_of(a)}} : known->second;
  }

  // ---- over the rows of a map ----

  // A map has made this array, and an input of the operator is its flattened form.
  std::optional<Var> rows_of(const Screma& x) const {
    if (asks_ || p_.level == Ad) return {};                // rules differentiate operators over one dimension at lower cost
    std::optional<Var> found;
    for (Var v : x.inputs) {
      if (is_acc(p_.type(v))) continue;
      if (shape_of(p_.type(v)).size() != 1) return {};
      auto made = made_.find(v);
      if (found || made == made_.end() || !made->second.before.valid() || uses_.at(v) != 1) continue;
      Var a = made->second.before;
      auto by = made_.find(a);
      if (by != made_.end() && by->second.by_map && uses_.at(a) == 1 && shape_of(p_.type(a)).size() > 1) found = a;
    }
    return found;
  }
  void over_rows(Builder& b, Stm& s, Screma& x, Var rows) {
    b.checks = s.checks;
    b.attrs = s.attrs;
    const std::vector<Dim> shape = shape_of(p_.type(rows));
    Term m = b.term(shape[1]);
    for (size_t d = 2; d < shape.size(); d++) m = m * b.term(shape[d]);
    const size_t numbers = width_of(x.reduces);
    c_.stats.count("flattened.rows");
    std::vector<Var> made = in_rows(b, hints_of(s), std::move(x), shape[0], m.atom, nullptr);
    for (size_t k = 0; k < made.size(); k++) {
      const Var old = s.pattern[k].var;
      Exp e = reshaped(made[k], old, k < numbers);
      const bool array = std::holds_alternative<Reshape>(e);
      b.emit({{{old}}, std::move(e), {}, b.source, {}});
      if (!array) continue;
      made_[made[k]] = {.by_map = true};
      uses_[made[k]] = 1;
    }
  }

  // ---- over the rows in which the results are read ----

  // The shape in which all results of a map are read, and only so. It is known before the map that they have it.
  std::optional<Shape> read_in(const Screma& x, const Stm& s) const {
    if (asks_ || p_.level == Ad || c_.target != Target::Gpu || !is_map(x) || s.pattern.empty()) return {};
    for (Var v : x.inputs) if (is_acc(p_.type(v)) || ranges_.contains(v) || shape_of(p_.type(v)).size() != 1) return {};
    const Shape* shape = nullptr;
    for (Bind result : s.pattern) {
      auto given = shapes_.find(result.var);
      if (given == shapes_.end() || given->second.size() != uses_.at(result.var) || shape_of(p_.type(result.var)).size() != 1) return {};
      for (const Shape& one : given->second) {
        const bool known = std::ranges::all_of(one.checks, [&](Var c) { return noted_.contains(c); });
        if (one.shape.size() < 2 || !known || (shape && shape->shape != one.shape)) return {};
        shape = &one;
      }
    }
    return *shape;
  }
  void over_shape(Builder& b, Stm& s, Screma& x, const Shape& given) {
    c_.stats.count("flattened.shape");
    const std::vector<Dim>& shape = given.shape;
    b.checks = s.checks;
    b.checks.insert(b.checks.end(), given.checks.begin(), given.checks.end());
    b.attrs = s.attrs;
    std::vector<Var> inputs;
    for (Var v : x.inputs) inputs.push_back(b.bind1(p_.hint(v), Reshape{v, shape}));
    const std::vector<Var> made = b.map_all(p_.hint(s.pattern[0].var), shape, inputs, [&](const std::vector<Var>& elements) {
      return b.inline_once(std::move(x.pre), {elements.begin(), elements.end()});
    });
    for (size_t k = 0; k < made.size(); k++) b.emit({{s.pattern[k]}, Reshape{made[k], shape_of(p_.type(s.pattern[k].var))}, {}, b.source, {}});
  }

  // ---- over the places of rows ----

  struct Places {
    std::vector<Var> index;                                // parameters that are 0, 1, 2 ..
    Product width;
    std::vector<Product> lengths;                          // by which they are divided, the shortest one first
    bool known = false;                                    // that the first length divides the width, and no factor is negative
  };
  static bool divides(const Apply& x) {
    return x.op == ScalarOp::div || x.op == ScalarOp::quot || x.op == ScalarOp::mod || x.op == ScalarOp::rem;
  }
  std::optional<Places> places_of(const Screma& x) {
    if (p_.level == Ad && !x.reduces.empty()) return {};
    Places out;
    for (size_t k = 0; k < x.inputs.size(); k++) {
      auto range = ranges_.find(x.inputs[k]);
      if (range != ranges_.end() && range->second.start == Atom(i64_const(0)) && range->second.step == Atom(i64_const(1)) && elem_of(p_.type(x.inputs[k])) == Scalar::I64)
        out.index.push_back(x.pre.params[k].var);
    }
    auto width = product(x.width);
    if (out.index.empty() || !width) return {};
    out.width = *width;
    VarSet outside;
    for (Var v : free_vars(p_, x.pre)) outside.insert(v);
    size_t statements = 0;
    each_stm(x.pre.body, [&](const Stm& s) {
      statements++;
      auto d = std::get_if<Apply>(&s.exp);
      if (!d || !divides(*d) || !is_index(out, d->args[0])) return;
      const Var* by = var_of(d->args[1]);
      auto length = by && !outside.contains(*by) ? std::nullopt : product(d->args[1]);
      if (length && (!length->of.empty() || length->number > costs::cpu::unrolled)) out.lengths.push_back(std::move(*length));
    });
    std::ranges::stable_sort(out.lengths, {}, [](const Product& p) { return std::pair(p.of.size(), p.number); });
    auto is_size = [&](Var v) { return facts_.less_equal(i64_const(0), v) == true; };
    if (std::ranges::all_of(out.width.of, is_size)) {
      Places exact = out;
      std::erase_if(exact.lengths, [&](const Product& p) { return !(out.width / p); });
      exact.known = true;
      if (!exact.lengths.empty()) return exact;
    }
    // The body is there twice.
    if (!asks_ || out.lengths.empty() || parallel_ > 0 || statements > costs::cpu::tile_statements) return {};
    const Product longest = out.lengths.back();
    if (longest.of.empty() && out.width.of.empty()) return {};         // known not to divide it
    std::erase_if(out.lengths, [&](const Product& p) { return !(longest / p); });
    return out;
  }
  bool is_index(const Places& places, const Atom& a) const {
    const Var* v = var_of(a);
    return v && std::ranges::find(places.index, *v) != places.index.end();
  }

  bool over_places(Builder& b, Stm& s, Screma& x, Places& places) {
    if (!c_.allow()) return false;
    b.checks = s.checks;
    b.attrs = s.attrs;
    const size_t numbers = width_of(x.reduces);
    const std::vector<std::string> hints = hints_of(s);
    auto results = [&](Screma&& map) {
      std::vector<Atom> out;
      std::vector<Var> made = by_place(b, hints, std::move(map), places);
      for (size_t k = 0; k < made.size(); k++) out.push_back(b.bind1(hints[k], reshaped(made[k], s.pattern[k].var, k < numbers)));
      return out;
    };
    c_.stats.count(places.known ? "flattened.places" : "flattened.asked");
    std::vector<Atom> made;
    if (places.known) {
      made = results(std::move(x));
    } else {
      const Atom width = x.width;
      const Product longest = places.lengths.back();
      const std::optional<Product> rows_named = places.width / longest;
      Screma as_it_was = clone(p_, x);
      Atom fits = is_multiple(b, width, longest, rows_named);
      Body rows = b.body([&] {
        if (!rows_named) places.width = longest * Product{1, {*var_of((b.term(width) / term(b, longest)).atom)}};
        return results(std::move(x));
      });
      Body flat = b.body([&] {
        std::vector<Atom> out;
        for (Var v : b.bind(hints, std::move(as_it_was))) out.push_back(v);
        return out;
      });
      for (Var v : b.bind(hints, If{fits, std::move(rows), std::move(flat)})) made.push_back(v);
    }
    for (size_t k = 0; k < made.size(); k++) b.emit({{s.pattern[k]}, Identity{made[k]}, {}, b.source, {}});
    return true;
  }
  // Asks whether the product divides the width. Its factors have to be positive, and so small that the product does not wrap around.
  // `times`: the quotient, unless it wraps around.
  Atom is_multiple(Builder& b, const Atom& width, const Product& length, const std::optional<Product>& times) {
    const i64 most = i64{1} << (62 / (length.of.size() + (length.number > 1)));
    Term small = b.term(bool_const(length.number < most));
    for (Var v : length.of) {
      Term positive = lt(b.term(i64_const(0)), b.term(v));
      small = all_of({small, positive, lt(b.term(v), b.term(i64_const(most)))});
    }
    Body divided = b.body([&] {
      Term m = term(b, length);
      Term long_enough = lt(b.term(i64_const(costs::cpu::unrolled)), m);
      Term count = b.term(width) / m;
      Term exact = times ? eq(count, term(b, *times)) : eq(count * m, b.term(width));
      Term some = lt(b.term(i64_const(0)), count);
      return std::vector<Atom>{all_of({long_enough, exact, some}).atom};
    });
    return b.bind1("fits", If{small.atom, std::move(divided), Body{{}, {bool_const(false)}}});
  }
  // In rows of the shortest length, and what runs over these rows in turn so, if it divides by their number.
  std::vector<Var> by_place(Builder& b, const std::vector<std::string>& hints, Screma&& x, Places& places) {
    const Product length = places.lengths.front(), count = *(places.width / length);
    const Atom n = term(b, count).atom, m = term(b, length).atom;
    return in_rows(b, hints, std::move(x), n, m, &places);
  }
  // What is asked of a place at (row, column). A remainder may be written i - i / m * m.
  struct Asked {
    const Places& places;
    Var row, column;
    std::unordered_map<Var, Product> quotients = {}, multiples = {};    // i / m, and i / m * m, by m
  };
  void replace(Body& body, Asked& asked) {
    rewrite(p_, body, [&](Builder& b, Stm& s, Subst& results) {
      walk_parts(s, [&](Body& inner) { replace(inner, asked); });
      if (auto check = std::get_if<Assert>(&s.exp); check && var_of(check->cond))
        if (auto v = not_zero_.find(*var_of(check->cond)); v != not_zero_.end())
          if (auto by = product(v->second); by && asked.places.width / *by) check->cond = bool_const(true);
      auto x = std::get_if<Apply>(&s.exp);
      if (!x || x->args.size() != 2) return false;
      std::optional<Product> by;
      if (x->op == ScalarOp::mul) note_multiple(asked, s.pattern[0].var, *x);
      if (!is_index(asked.places, x->args[0])) return false;
      if (divides(*x)) by = product(x->args[1]);
      if (auto start = var_of(x->args[1]); start && x->op == ScalarOp::sub)
        if (auto m = asked.multiples.find(*start); m != asked.multiples.end()) by = m->second;
      auto times = by ? *by / asked.places.lengths.front() : std::nullopt;
      if (!times) return false;
      const bool quotient = x->op == ScalarOp::div || x->op == ScalarOp::quot;
      Term place = quotient ? row_of(b, asked, *times) : column_of(b, asked, *times);
      if (auto v = var_of(place.atom); v && quotient) asked.quotients.emplace(*v, *by);
      results.emplace(s.pattern[0].var, place.atom);
      return true;
    });
  }
  void note_multiple(Asked& asked, Var v, const Apply& mul) const {
    auto left = product(mul.args[0]), right = product(mul.args[1]);
    if (!left || !right) return;
    const Product all = *left * *right;
    for (Var factor : all.of)
      if (auto q = asked.quotients.find(factor); q != asked.quotients.end())
        if (auto rest = all / (Product{1, {factor}} * q->second); rest && rest->is_one()) asked.multiples.emplace(v, q->second);
  }
  // Of `times` rows each.
  static Term row_of(Builder& b, const Asked& asked, const Product& times) {
    Term row = b.term(asked.row);
    return times.is_one() ? row : row / term(b, times);
  }
  static Term column_of(Builder& b, const Asked& asked, const Product& times) {
    Term column = b.term(asked.column);
    if (times.is_one()) return column;
    Term row = apply(ScalarOp::mod, {b.term(asked.row), term(b, times)});
    return row * term(b, asked.places.lengths.front()) + column;
  }

  // ---- both ----

  std::vector<std::string> hints_of(const Stm& s) const {
    std::vector<std::string> hints;
    for (Bind bind : s.pattern) hints.push_back(p_.hint(bind.var));
    return hints;
  }
  Exp reshaped(Var made, Var old, bool number) const {
    if (number || is_acc(p_.type(old))) return Identity{made};
    return Reshape{made, shape_of(p_.type(old))};
  }
  std::vector<Var> in_rows(Builder& b, const std::vector<std::string>& hints, Screma&& x, const Dim& n, const Dim& m, const Places* places) {
    Screma outer{.width = n, .inputs = {}, .pre = {}, .reduces = {}, .scans = {}, .post = {}, .post_reduces = {}};
    Builder::Params params;
    for (Var v : x.inputs) {
      outer.inputs.push_back(by_rows(b, v, n, m));
      params.push_back({p_.hint(v), is_acc(p_.type(v)) ? p_.type(v) : row_type(p_.type(outer.inputs.back()))});
    }
    if (places) {
      outer.inputs.insert(outer.inputs.begin(), iota(b, n));
      params.insert(params.begin(), {"row", scalar_type(Scalar::I64)});
    }
    outer.reduces = clone(p_, x.reduces);
    Places rest;
    outer.pre = b.lambda(params, [&](const std::vector<Var>& row) {
      for (size_t k = 0; k < x.inputs.size(); k++) x.inputs[k] = one_row(b, x.inputs[k], row[k + (places != nullptr)], m);
      x.width = m;
      if (places) {
        Var column = p_.fresh("column", scalar_type(Scalar::I64));
        x.inputs.insert(x.inputs.begin(), iota(b, m));
        x.pre.params.insert(x.pre.params.begin(), {column});
        Asked asked{*places, row[0], column};
        replace(x.pre.body, asked);
        rest = rows_of_rows(*places, row[0]);
      }
      std::vector<Atom> results;
      for (Var v : b.bind(hints, std::move(x))) results.push_back(v);
      return results;
    });
    return rest.lengths.empty() ? b.bind(hints, std::move(outer)) : by_place(b, hints, std::move(outer), rest);
  }
  static Places rows_of_rows(const Places& places, Var row) {
    Places rest{{row}, *(places.width / places.lengths.front()), {}, true};
    for (const Product& p : places.lengths)
      if (auto length = p / places.lengths.front(); length && !length->is_one() && rest.width / *length) rest.lengths.push_back(*length);
    return rest;
  }
  Var iota(Builder& b, const Dim& n) {
    Var v = b.iota(n);
    ranges_.emplace(v, Iota{n, i64_const(0), i64_const(1)});
    return v;
  }
  // The input in rows: of a range, where each row begins.
  Var by_rows(Builder& b, Var v, const Dim& n, const Dim& m) {
    if (is_acc(p_.type(v))) return v;
    if (auto range = ranges_.find(v); range != ranges_.end()) {
      Term step = b.term(range->second.step) * convert(elem_of(p_.type(v)), b.term(m));
      return b.bind1(p_.hint(v), Iota{n, range->second.start, step.atom});
    }
    std::vector<Dim> shape = shape_of(p_.type(v));
    shape.insert(shape.begin(), n);
    shape[1] = m;
    return b.bind1(p_.hint(v), Reshape{v, shape});
  }
  Var one_row(Builder& b, Var v, Var row, const Dim& m) {
    auto range = ranges_.find(v);
    return range != ranges_.end() ? b.bind1(p_.hint(v), Iota{m, row, range->second.step}) : row;
  }
};

}  // namespace

void flattened(Program& program, PassContext& context) {
  Flattened pass(program, context, false);
  program.each_body([&](Body& b) { pass.body(b); });
}
void whole_rows(Program& program, PassContext& context) {
  Flattened pass(program, context, true);
  program.each_body([&](Body& b) { pass.body(b); });
}

}  // namespace raido
