// The grammar's precedences and ambiguities: each expression is parsed and shown with all its parentheses.
#include <string>

#include "compiler/base/text.h"
#include "compiler/syntax/children.h"
#include "compiler/syntax/parser.h"

#include "tests/unit/test.h"

using namespace raido;

namespace {

struct Shown {
  const ast::Program& program;
  const Sources& sources;

  std::string text(Name n) const { return std::string(program.names.text(n)); }
  std::string list(std::span<ast::Expr*> items, const char* separator) const {
    return join(items, separator, [&](ast::Expr* e) { return exp(e); });
  }
  std::string selectors(std::span<ast::Selector> at) const {
    return "[" + join(at, ",", [&](const ast::Selector& s) {
      if (!s.slice) return exp(s.at);
      auto part = [&](ast::Expr* e) { return e ? exp(e) : std::string(); };
      return part(s.from) + ":" + part(s.to) + (s.step ? ":" + part(s.step) : "");
    }) + "]";
  }
  std::string steps(std::span<ast::Step> all) const {
    return join(all, "", [&](const ast::Step& s) { return s.is_field ? "." + text(s.field) : selectors(s.at); });
  }
  std::string exp(const ast::Expr* e) const {
    return match(e->node,
        [&](const ast::Literal&) { return std::string(sources.text(e->span)); },
        [&](const ast::Ref& r) { return join(r.path.names, ".", [&](Name n) { return text(n); }); },
        [&](const ast::Tuple& t) { return "(" + list(t.parts, ", ") + ")"; },
        [&](const ast::Project& p) { return exp(p.record) + "." + text(p.field); },
        [&](const ast::Index& i) { return exp(i.array) + selectors(i.at); },
        [&](const ast::ArrayLit& a) { return "[" + list(a.elems, ", ") + "]"; },
        [&](const ast::Apply& a) { return "(" + exp(a.fun) + " " + list(a.args, " ") + ")"; },
        [&](const ast::Construct& k) { return "(#" + text(k.name) + (k.args.empty() ? "" : " ") + list(k.args, " ") + ")"; },
        [&](const ast::Operator& o) { return "(" + exp(o.left) + " " + exp(o.op) + " " + exp(o.right) + ")"; },
        [&](const ast::Unary& u) { return std::string(u.op == ast::Unary::Op::Negate ? "-" : "!") + exp(u.operand); },
        [&](const ast::Section& s) {
          return "(" + (s.left ? exp(s.left) + " " : "") + exp(s.op) + (s.right ? " " + exp(s.right) : "") + ")";
        },
        [&](const ast::AccessSection& s) { return "(" + steps(s.steps) + ")"; },
        [&](const ast::Lambda& l) { return "(\\.. -> " + exp(l.body) + ")"; },
        [&](const ast::If& i) { return "(if " + exp(i.cond) + " then " + exp(i.then_) + " else " + exp(i.else_) + ")"; },
        [&](const ast::With& w) { return "(" + exp(w.base) + " with " + steps(w.steps) + " = " + exp(w.value) + ")"; },
        [&](const ast::Ascribe& a) { return "(" + exp(a.exp) + " : " + std::string(sources.text(a.type->span)) + ")"; },
        [&](const ast::Coerce& a) { return "(" + exp(a.exp) + " :> " + std::string(sources.text(a.type->span)) + ")"; },
        [&](const ast::Range& r) {
          const char* dots = r.kind == ast::Range::Kind::Inclusive ? "..." : r.kind == ast::Range::Kind::UpTo ? "..<" : "..>";
          return "(" + exp(r.first) + (r.second ? ".." + exp(r.second) : "") + dots + exp(r.last) + ")";
        },
        [&](const ast::Assert& a) { return "(assert " + exp(a.cond) + " " + exp(a.body) + ")"; },
        [&](const ast::Attributed& a) { return "(#[" + text(a.attr.name) + "] " + exp(a.body) + ")"; },
        [&](const ast::LocalOpen& o) { return text(o.module.names[0]) + ".(" + exp(o.body) + ")"; },
        [&](const ast::Let& l) { return "(let " + exp(l.value) + " in " + exp(l.body) + ")"; },
        [&](const auto&) { return std::string("?"); });
  }
};

// The expression, or "error".
std::string parsed(const std::string& text) {
  Sources sources;
  ast::Program program;
  Diagnostics diags;
  FileId id = sources.add("test.fut", "def x = " + text);
  ast::File* file = ast::parse(program, sources, id, diags);
  if (diags.has_errors() || file->decls.size() != 1) return "error";
  return Shown{program, sources}.exp(std::get<ast::Def*>(file->decls[0].node)->body);
}

}  // namespace

TEST_CASE("operators bind as the language says") {
  EXPECT(parsed("-x ** 2") == "(-x ** 2)");
  EXPECT(parsed("2 ** 3 ** 2") == "((2 ** 3) ** 2)");
  EXPECT(parsed("- f x") == "-(f x)");
  EXPECT(parsed("f -x") == "(f - x)");
  EXPECT(parsed("(x -)") == "(x -)");
  EXPECT(parsed("!a && b") == "(!a && b)");
  EXPECT(parsed("x & 3 == y") == "((x & 3) == y)");
  EXPECT(parsed("0..<n+1") == "(0..<(n + 1))");
  EXPECT(parsed("0..<-n") == "(0..<-n)");
  EXPECT(parsed("a + b `f` c * d") == "((a + b) f (c * d))");
  EXPECT(parsed("xs with [i] = v |> g") == "(xs with [i] = (v |> g))");
  EXPECT(parsed("xs with [i] = a with [j] = b") == "((xs with [i] = a) with [j] = b)");
  EXPECT(parsed("x + ys with [0] = 1") == "((x + ys) with [0] = 1)");
  EXPECT(parsed("1 + if c then 2 else 3 + 4") == "(1 + (if c then 2 else (3 + 4)))");
  EXPECT(parsed("x + #[unsafe] y + z : t") == "(x + (#[unsafe] ((y + z) : t)))");
  EXPECT(parsed("assert c x + 1") == "(assert c (x + 1))");
  EXPECT(parsed("e : t1 -> t2") == "(e : t1 -> t2)");
  EXPECT(parsed("a + b |> f") == "((a + b) |> f)");
  EXPECT(parsed("f <| g <| x") == "(f <| (g <| x))");
  EXPECT(parsed("a || b && c") == "(a || (b && c))");
  EXPECT(parsed("a <|> b <| c") == "(a <|> (b <| c))");
  EXPECT(parsed("a >-> b < c") == "((a >-> b) < c)");
  EXPECT(parsed("1 << 2 + 3") == "(1 << (2 + 3))");
  EXPECT(parsed("a m.+ b * c") == "(a m.+ (b * c))");
  EXPECT(parsed("a m.n.* b + c") == "((a m.n.* b) + c)");
}

TEST_CASE("application, constructors and sections") {
  EXPECT(parsed("#some #none") == "(#some (#none))");
  EXPECT(parsed("f #some x") == "(f (#some) x)");
  EXPECT(parsed("map \\x -> x + 1") == "(map (\\.. -> (x + 1)))");
  EXPECT(parsed("(1 * 2 +)") == "((1 * 2) +)");
  EXPECT(parsed("(1 + 2 +)") == "((1 + 2) +)");
  EXPECT(parsed("(1 + 2 *)") == "error");
  EXPECT(parsed("((1 + 2) *)") == "((1 + 2) *)");
  EXPECT(parsed("(+ 1 |> f)") == "(+ (1 |> f))");
  EXPECT(parsed("(.a.b)") == "(.a.b)");
  EXPECT(parsed("(.rows[0].x)") == "(.rows[0].x)");
  EXPECT(parsed("(.[i, j])") == "([i,j])");
  EXPECT(parsed("(m.+)") == "(m.+)");
  EXPECT(parsed("m.(x + y)") == "m.((x + y))");
}

TEST_CASE("brackets index only directly after a name, a parenthesis or a bracket") {
  EXPECT(parsed("a[i][j]") == "a[i][j]");
  EXPECT(parsed("f x[0]") == "(f x[0])");
  EXPECT(parsed("f [0]") == "(f [0])");
  EXPECT(parsed("[1,2,3][0]") == "[1, 2, 3][0]");
  EXPECT(parsed("t.1[0]") == "t.1[0]");
  EXPECT(parsed("a[i:j:s, ::2, :]") == "a[i:j:s,::2,:]");
  EXPECT(parsed("a[]") == "a");
  EXPECT(parsed("if c then[1] else [2]") == "error");
  EXPECT(parsed("a[0] [1]") == "error");
}

TEST_CASE("lexical corners") {
  EXPECT(parsed("t.0.1") == "t.0.1");
  EXPECT(parsed("x<-1") == "(x <- 1)");
  EXPECT(parsed("1e3_0") == "(1e3 _0)");
  EXPECT(parsed("'a'") == "'a'");
  EXPECT(parsed("''") == "error");
  EXPECT(parsed("1..10") == "error");
  EXPECT(parsed("(1,)") == "error");
  EXPECT(parsed("let x = 1 let y = 2 in x") == "(let 1 in (let 2 in x))");
  EXPECT(parsed("let x[i] = 1 in x") == "(let (x with [i] = 1) in x)");
  EXPECT(parsed("let x = 1") == "error");
}

TEST_CASE("a syntax error loses one declaration only") {
  Sources sources;
  ast::Program program;
  Diagnostics diags;
  FileId id = sources.add("test.fut", "def a = 1\ndef b = )\n  2\ndef c = 3\ndef d = (\ndef e = 5\n");
  ast::File* file = ast::parse(program, sources, id, diags);
  EXPECT(diags.error_count() == 2);
  EXPECT(file->decls.size() == 3);
}
