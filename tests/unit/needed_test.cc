// How much of the prelude is checked: what a program needs is enough for it, and nothing else is there.
#include <set>
#include <string>

#include "compiler/check/context.h"
#include "compiler/check/load.h"

#include "tests/unit/test.h"

using namespace raido;

namespace {

using Declared = std::set<std::string>;

// The names that the prelude declares in the checked program; those inside of a module as `m.x`.
void collect(const check::Checked& checked, std::span<const ast::Decl> decls, const std::string& prefix, Declared& out) {
  auto text = [&](Name n) { return prefix + std::string(checked.program.names.text(n)); };
  for (const ast::Decl& d : decls)
    match(d.node,
        [&](const ast::Def* x) { out.insert(text(x->self->name)); },
        [&](const ast::TypeDef* x) { out.insert(text(x->name)); },
        [&](const ast::ModTypeDef* x) { out.insert(text(x->name)); },
        [&](const ast::ModDef* x) { out.insert(text(x->self->name)); },
        [](const ast::Open*) {});
}
Declared of_prelude(const check::Checked& checked) {
  Declared out;
  for (const ast::File* file : checked.program.files) if (file->builtin) collect(checked, file->decls, "", out);
  return out;
}
Declared needed(const std::string& text) {
  auto checked = check::check_text("test.fut", text, {});
  EXPECT(checked->ok());
  EXPECT(!checked->whole_prelude);
  return of_prelude(*checked);
}
std::string first_error(const std::string& text) {
  auto checked = check::check_text("test.fut", text, {});
  EXPECT((checked->ok() || checked->whole_prelude));
  for (const Report& r : checked->diags.sorted()) if (r.severity == Severity::Error) return std::string(r.code);
  return "";
}

}  // namespace

TEST_CASE("of the prelude only what is needed is checked") {
  EXPECT(needed("").empty());
  EXPECT(needed("def f (x: i64): f32 = if x > 0 then 1 else 0").empty());
  EXPECT(needed("def f (x: i32) = id x") == Declared{"id"});
  EXPECT(needed("def map (x: i32) = x  def g = map 1") == Declared{"map"});       // a name is enough
  Declared exscan = needed("def f xs = exscan (+) 0i32 xs");
  EXPECT(exscan == Declared{"exscan", "iota", "map", "scan"});
  Declared sqrt = needed("def f (x: f32) = f32.sqrt x");
  EXPECT(sqrt.contains("mk_float"));
  EXPECT(!sqrt.contains("f64"));
  EXPECT(!sqrt.contains("reduce"));
}

TEST_CASE("messages see the whole prelude") {
  EXPECT(first_error("def f xs = filtre (\\x -> x) xs") == "B01");
  auto checked = check::check_text("test.fut", "def f xs = filtre (\\x -> x) xs", {});
  EXPECT(checked->diags.sorted()[0].help == "did you mean `filter`?");
}

TEST_CASE("a module type that a program names is needed as a whole") {
  std::string members = "type t = i32  def sgn (x: t) = x";
  EXPECT(first_error("module m: numeric = { " + members + " }") == "I02");
  EXPECT(first_error("module type mine = { include integral }  module m: mine = { " + members + " }") == "I02");
  EXPECT(first_error("module f (t: numeric) = { def sum2 = t.(i32 1 + i32 2) }  module m = f { " + members + " }") == "I15");
  EXPECT(needed("module f (t: real) = { def g (x: t.t) = t.sqrt x }  module m = f f64").contains("f64"));
}

TEST_CASE("who reaches around the names gets all of it") {
  auto whole = [](const std::string& text) { return check::check_text("test.fut", text, {})->whole_prelude; };
  EXPECT(whole("module s = import \"/prelude/soacs\"  def f (x: i32) = s.map"));
  EXPECT(whole("def f (x: i32) = intrinsics.map"));
}

TEST_CASE("whatever of the prelude a program names, what it needs is enough") {
  check::Options options;
  options.whole_prelude = true;
  auto whole = check::check_text("empty.fut", "", options);
  EXPECT(whole->diags.sorted().empty());
  const check::ModuleInfo& all = *whole->program.prelude->module;
  auto text = [&](Name n) { return std::string(whole->program.names.text(n)); };
  auto use = [&](const std::string& name) {
    size_t op = name.find_first_of("+-*/%=!><|&^");
    needed("def use () = " + (op == std::string::npos ? name : "(" + name + ")"));
  };
  for (auto& [name, member] : all.terms) {
    if (text(name) == "intrinsics") continue;          // asks for all of the prelude
    if (!member.module) use(text(name));
    else for (auto& [inner, value] : member.module->terms) use(text(name) + "." + text(inner));
  }
  for (auto& [name, sig] : all.mod_types) needed("module type use = " + text(name));
}
