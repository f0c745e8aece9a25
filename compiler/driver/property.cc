// property.cc - property tests. An entry point that should hold of every value is tried on random values, and a value that
// breaks it is made small. The interpreter runs them, so properties may be about values of any type.
#include "compiler/driver/property.h"

#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "compiler/driver/compile.h"
#include "compiler/driver/generate.h"
#include "compiler/driver/output.h"
#include "compiler/driver/show.h"
#include "compiler/ir/interpret.h"
#include "compiler/syntax/parser.h"

namespace raido {
namespace {

using ir::Value;

Property property_of(const ast::Program& program, const ast::Def& def, const ast::Attr& attr) {
  Property p;
  p.name = program.names.text(def.self->name);
  for (const ast::Attr& a : attr.args) {
    if (a.is_integer || a.args.size() != 1) continue;
    std::string_view what = program.names.text(a.name);
    if (what == "size" && a.args[0].is_integer) p.size = int64_t(a.args[0].integer);
    else if (a.args[0].is_integer) continue;
    else if (what == "gen") p.generator = program.names.text(a.args[0].name);
    else if (what == "shrink") p.shrinker = program.names.text(a.args[0].name);
  }
  return p;
}

std::vector<Property> properties_of(const ast::Program& program, const ast::File& file) {
  std::vector<Property> out;
  for (const ast::Decl& d : file.decls)
    if (auto* def = std::get_if<ast::Def*>(&d.node))
      for (const ast::Attr& a : d.attrs)
        if (!a.is_integer && program.names.text(a.name) == "prop") out.push_back(property_of(program, **def, a));
  return out;
}

class Tester {
 public:
  Tester(Compiled& compiled, const Property& property, const Options& options)
      : compiled_(compiled), property_(property), options_(options) {}

  int run() {
    const check::EntryPoint* p = entry(property_.name);
    if (!p) return wrong(fmt::format("Unknown entry point: {}", property_.name));
    if (p->params.size() != 1 || p->result.type_name != "bool")
      return wrong(fmt::format("Property {} is not a function from one value to bool.", property_.name));
    generator_ = property_.generator;
    if (generator_.empty() && !can_generate(p->params[0].type)) generator_ = "gen_" + p->params[0].type_name;
    for (const std::string& needed : {generator_, property_.shrinker})
      if (!needed.empty() && !entry(needed)) return wrong(fmt::format("Unknown entry point: {}", needed));
    if (!generator_.empty() && !has_params(generator_, {"i64", "u64"}, p->params[0].type_name))
      return wrong(fmt::format("Generator {} is not of type i64 -> u64 -> {}.", generator_, p->params[0].type_name));
    if (!property_.shrinker.empty() && !has_params(property_.shrinker, {p->params[0].type_name, "u64"}, p->params[0].type_name))
      return wrong(fmt::format("Shrinker {0} is not of type {1} -> u64 -> {1}.", property_.shrinker, p->params[0].type_name));

    Random seeds(std::strtoull(options_.seed.c_str(), nullptr, 10));
    int64_t size = property_.size >= 0 ? property_.size : options_.max_size;
    for (int64_t test = 1; test <= options_.num_tests; test++) {
      uint64_t seed = seeds.next();
      auto candidate = generate(size, seed);
      if (!candidate) return wrong(failure_);
      if (holds(*candidate)) continue;
      if (!property_.shrinker.empty()) {
        if (!shrink(*candidate, seeds)) return wrong(failure_);
      } else {
        for (int64_t smaller = 0; smaller < size; smaller++) {
          auto other = generate(smaller, seed);
          if (!other || holds(*other)) continue;
          candidate = other;
          size = smaller;
          break;
        }
      }
      holds(*candidate);           // for the message
      print("Property {} (size={}, seed={}) failed after {} tests:\n", property_.name, size, seed, test);
      print("Counterexample: {}\n", show_value(layout(property_.name).params[0], *candidate, true));
      if (!failure_.empty()) print("{}\n", failure_);
      return 3;
    }
    return 0;
  }

 private:
  static int wrong(const std::string& message) {
    fmt::print(stderr, "{}\n", message);
    return 1;
  }
  const check::EntryPoint* entry(const std::string& name) const {
    for (const check::EntryPoint& e : compiled_.checked->result.entry_points)
      if (e.name == name) return &e;
    return nullptr;
  }
  const lower::EntryLayout& layout(const std::string& name) const {
    return compiled_.layouts[size_t(entry(name) - compiled_.checked->result.entry_points.data())];
  }
  bool has_params(const std::string& name, const std::vector<std::string>& types, const std::string& result) const {
    const check::EntryPoint& e = *entry(name);
    if (e.params.size() != types.size() || e.result.type_name != result) return false;
    for (size_t i = 0; i < types.size(); i++)
      if (e.params[i].type_name != types[i]) return false;
    return true;
  }

  std::optional<std::vector<Value>> call(const std::string& name, const std::vector<Value>& args) {
    ir::Outcome outcome = ir::interpret(compiled_.program, name, args);
    failure_ = outcome.failure ? raido::ir::show(*outcome.failure) : "";
    if (outcome.failure) return {};
    return std::move(outcome.results);
  }
  // A failing run breaks the property, too.
  bool holds(const std::vector<Value>& candidate) {
    auto result = call(property_.name, candidate);
    return result && result->at(0).at<uint8_t>(0) != 0;
  }

  template <class T> static Value scalar(Scalar elem, T x) {
    Value v{elem, {}, {}};
    v.push(x);
    return v;
  }
  std::optional<std::vector<Value>> generate(int64_t size, uint64_t seed) {
    if (!generator_.empty()) return call(generator_, {scalar(Scalar::I64, size), scalar(Scalar::U64, seed)});
    Random random(seed);
    Bounds bounds;
    bounds.of[size_t(Scalar::F32)].from = -1;
    std::vector<Value> leaves;
    by_type(entry(property_.name)->params[0].type, {}, size, bounds, random, leaves);
    return leaves;
  }

  // Up to as many candidates in a row that do not break the property as --num-tries says.
  bool shrink(std::vector<Value>& candidate, Random& random) {
    int64_t tries = 0;
    for (int64_t steps = 0; tries < options_.num_tries && steps < 100000; steps++) {
      std::vector<Value> args = candidate;
      args.push_back(scalar(Scalar::U64, random.next()));
      auto next = call(property_.shrinker, args);
      if (!next) return false;
      if (holds(*next)) {
        tries++;
      } else {
        tries = *next == candidate ? tries + 1 : 0;
        candidate = std::move(*next);
      }
    }
    return true;
  }

  bool can_generate(ast::TypeRef t) const {
    return match(compiled_.checked->result.types[t],
        [](const check::PrimType&) { return true; },
        [&](const check::ArrayType& a) { return can_generate(a.elem); },
        [&](const check::UniqueType& u) { return can_generate(u.inner); },
        [&](const check::RecordType& r) {
          for (auto& f : r.fields)
            if (!can_generate(f.second)) return false;
          return true;
        },
        [](const auto&) { return false; });
  }
  void by_type(ast::TypeRef t, std::vector<int64_t> dims, int64_t size, const Bounds& bounds, Random& random, std::vector<Value>& out) const {
    const check::Types& types = compiled_.checked->result.types;
    match(types[t],
        [&](const check::PrimType& p) { out.push_back(random_value(*scalar_named(check::prim_name(p.prim)), dims, bounds, random)); },
        [&](const check::ArrayType& a) {
          auto* constant = types.as<check::ConstSize>(a.size);
          dims.push_back(constant ? constant->value : size);
          by_type(a.elem, dims, size, bounds, random, out);
        },
        [&](const check::UniqueType& u) { by_type(u.inner, dims, size, bounds, random, out); },
        [&](const check::RecordType& r) {
          for (auto& f : r.fields) by_type(f.second, dims, size, bounds, random, out);
          if (!r.fields.empty()) return;
          Value unit{Scalar::Bool, dims, ""};                     // stored as truth values
          unit.bytes.assign(size_t(unit.count()), '\0');
          out.push_back(std::move(unit));
        },
        [](const auto&) {});   // can_generate said no
  }

  Compiled& compiled_;
  const Property& property_;
  const Options& options_;
  std::string generator_, failure_;
};

}  // namespace

std::vector<Property> properties_in(const std::string& text) {
  ast::Program program;
  Sources sources;
  Diagnostics diags;
  ast::File* file = ast::parse(program, sources, sources.add("program", text), diags);
  return properties_of(program, *file);
}

int test_property(const Options& options) {
  Options asked = options;
  auto parsed = check::load_file(options.words[0]);
  const Property* property = nullptr;
  std::vector<Property> all;
  if (parsed->program.root) all = properties_of(parsed->program, *parsed->program.root);
  for (const Property& p : all)
    if (p.name == options.property) property = &p;
  if (property) {
    asked.entry_points.push_back(property->name);
    for (const std::string& other : {property->generator, property->shrinker})
      if (!other.empty()) asked.entry_points.push_back(other);
  }
  auto compiled = front_end(options.words[0], asked);
  if (!compiled) return 2;
  if (!property) {
    fmt::print(stderr, "Entry point \"{}\" declared as property, but has no #[prop(...)] attribute.\n", options.property);
    return 1;
  }
  return Tester(*compiled, *property, options).run();
}

}  // namespace raido
