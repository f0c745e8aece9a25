// parse.cc - text back to a program: one get() for each type of field. The first error drops the rest of the text
// (text_tokens.h), so every loop below terminates.
#include "compiler/ir/text.h"
#include "compiler/ir/text_tokens.h"
#include "compiler/ir/transform.h"
#include "compiler/ir/types.h"
#include "compiler/ir/verify.h"

namespace raido::ir {
namespace {

constexpr int max_depth = 1000;

class Parser : TextTokens {
 public:
  explicit Parser(std::string_view text) : TextTokens(text) {}

  Parsed run() {
    find_functions();
    if (accept("level")) {
      std::string word = next();
      if (word == "parallel") p_.level = Parallel;
      else if (word == "memory") p_.level = Memory;
      else fail("unknown level `" + word + "`");
      level_given_ = true;
    }
    while (ok() && peek() == "data") data();
    if (accept("constants")) get(p_.constants);
    auto shared = names_;
    while (ok() && (peek() == "fun" || peek() == "#")) { names_ = shared; function(); }
    while (ok() && accept("entry")) entry();
    if (ok() && !peek().empty()) fail("expected `fun` or `entry`, found `" + std::string(peek()) + "`");
    if (ok()) finish();
    return {std::move(p_), std::move(error_)};
  }

 private:
  Program p_;
  std::unordered_map<std::string, Var> names_;
  std::unordered_map<std::string, FunId> functions_;
  bool level_given_ = false;
  int depth_ = 0;

  // ---- fields ----
  void get(Var& v) {
    std::string token = next();
    auto found = names_.find(token);
    if (found == names_.end()) return fail("unknown name `" + token + "`");
    v = found->second;
  }
  void get(Atom& a) {
    std::string token(peek());
    if (token == "true" || token == "false") { next(); a = bool_const(token == "true"); return; }
    bool special = token.starts_with("inff") || token.starts_with("nanf");
    if (!token.empty() && (isdigit(static_cast<unsigned char>(token[0])) || token[0] == '-' || special) && !names_.contains(token)) {
      for (int i = 1; i < scalar_count; i++) {
        std::string_view suffix = name_of(Scalar(i));
        Const c;
        if (token.size() > suffix.size() && token.ends_with(suffix) &&
            number(std::string_view(token).substr(0, token.size() - suffix.size()), Scalar(i), c)) {
          next();
          a = c;
          return;
        }
      }
      return fail("malformed constant `" + token + "`");
    }
    Var v;
    get(v);
    a = v;
  }
  void get(ScalarOp& op) {
    std::string token = next();
    if (auto found = scalar_op_named(token)) op = *found;
    else fail("unknown scalar operation `" + token + "`");
  }
  void get(Scalar& s) {
    std::string token = next();
    if (auto found = scalar_named(token)) s = *found;
    else fail("unknown scalar type `" + token + "`");
  }
  void get(int& n) { n = int(integer()); }
  void get(std::string& s) { s = string(); }
  void get(TextId& t) { t = p_.text(string()); }
  void get(DataId& d) {
    expect("#");
    d.index = uint32_t(integer());
    if (ok() && d.index >= p_.data.size()) fail("no such data");
  }
  void get(FunId& f) {
    std::string token = next();
    auto found = functions_.find(token);
    if (found == functions_.end()) return fail("unknown function `" + token + "`");
    f = found->second;
  }
  template <class E> requires std::is_enum_v<E> void get(E& e) {
    if (!word_of(e)) fail("unknown word `" + std::string(peek()) + "`");
  }
  template <class E> bool word_of(E& e) {
    const auto& words = EnumWords<E>::words;
    for (size_t i = 0; i < std::size(words); i++)
      if (accept(words[i])) { e = E(i); return true; }
    return false;
  }
  void dims(std::vector<Dim>& shape) {
    while (accept("[")) { dim(shape.emplace_back()); expect("]"); }
  }
  void dim(Dim& d) {
    std::string_view token = peek();
    if (!token.empty() && isdigit(static_cast<unsigned char>(token[0]))) d = i64_const(integer());
    else get(d);
  }
  void get(ElemType& t) { dims(t.shape); get(t.elem); }
  void get(Type& t) {
    if (accept("check")) { t = CheckType{}; return; }
    if (accept("block")) { BlockType b{}; get(b.space); t = b; return; }
    if (accept("acc")) {
      AccType a;
      get(a.token);
      get(a.space);
      if (accept("(")) list(a.elems, ")");
      else get(a.elems.emplace_back());
      t = std::move(a);
      return;
    }
    ElemType e{};
    get(e);
    if (e.shape.empty()) { t = ScalarType{e.elem}; return; }
    ArrayType a{e.elem, std::move(e.shape), {}};
    if (accept("@")) {
      Place place;
      get(place.block);
      expect("+");
      get(place.layout.offset);
      expect("{");
      list(place.layout.strides, "}");
      a.place = std::move(place);
    }
    t = std::move(a);
  }
  void get(Attr& a) {
    expect("#");
    expect("[");
    a.name = next();
    if (accept("(") && !accept(")")) {
      do {
        if (peek().empty() || isdigit(static_cast<unsigned char>(peek()[0])) || peek()[0] == '-') a.args.push_back(integer());
        else a.word = next();
      } while (ok() && accept(","));
      expect(")");
    }
    expect("]");
  }
  void attributes(std::vector<Attr>& attrs) { while (ok() && peek() == "#") get(attrs.emplace_back()); }
  Var define(const std::string& name, Type type) {
    Var v = p_.fresh(name.substr(0, name.find('.')), std::move(type));
    names_[name] = v;
    return v;
  }
  std::string fresh_name() {
    std::string name = next();
    if (name.empty() || !word_char(name[0])) fail("expected a name, found `" + name + "`");
    return name;
  }
  void get(Bind& b) {
    std::string name = fresh_name();
    expect(":");
    Type t = ScalarType{Scalar::I64};
    get(t);
    b.var = define(name, std::move(t));
    p_.vars[b.var.index].batched = accept("batched");
    attributes(p_.vars[b.var.index].attrs);
  }
  void list(auto& items, std::string_view close) {
    if (accept(close)) return;
    do get(items.emplace_back()); while (ok() && accept(","));
    expect(close);
  }
  template <class T> void get(std::vector<T>& items) { expect("["); list(items, "]"); }
  template <class T> void get(std::optional<T>& x) { if (!accept("none")) get(x.emplace()); }
  void get(Selector& s) {
    Atom first;
    get(first);
    if (!accept("+:")) { s = first; return; }
    Slice slice{first, {}, {}};
    get(slice.count);
    expect("*");
    get(slice.stride);
    s = std::move(slice);
  }
  void get(Stm& s) {
    attributes(s.attrs);
    expect("let");
    if (!accept("=")) {
      do get(s.pattern.emplace_back()); while (ok() && accept(","));
      expect("=");
    }
    get(s.exp);
    if (accept("checks")) get(s.checks);
  }
  void get(Body& b) {
    if (++depth_ > max_depth) fail("nested too deeply");
    expect("{");
    while (ok() && (peek() == "let" || peek() == "#")) {
      Stm s;
      get(s);
      b.stms.push_back(std::move(s));
    }
    expect("in");
    list(b.result, "}");
    depth_--;
  }
  void get(Lambda& l) { expect("\\"); expect("("); list(l.params, ")"); get(l.body); }
  // An operator: a lambda, or the name of a scalar operation whose type is that of the neutral element after it.
  void op(Combine& c) {
    std::string token(peek());
    if (token == "\\") { get(c.op); get(c.neutral); return; }
    auto name = scalar_op_named(token);
    if (!name) return fail("expected an operator, found `" + token + "`");
    next();
    get(c.neutral);
    if (!ok()) return;
    Type neutral = c.neutral.size() == 1 ? p_.type(c.neutral[0]) : Type{CheckType{}};
    if (!is_scalar(neutral) || !find_row(*name, elem_of(neutral)) || arity_of(*name) != 2)
      return fail("`" + token + "` is no operator at this type");
    Scalar t = elem_of(neutral);
    Var a = p_.fresh("a", neutral), b = p_.fresh("b", neutral);
    Var r = p_.fresh("c", scalar_type(result_type(*name, t)));
    c.op.params = {{a}, {b}};
    c.op.body.stms.push_back(Stm{{{r}}, Apply{*name, {a, b}}, {}, {}, {}});
    c.op.body.result = {r};
    c.commutative = is_commutative(*name, t);
  }
  void get(Combine& c) {
    expect("(");
    op(c);
    if (accept("shape")) get(c.shape);
    if (accept("comm")) c.commutative = true;
    expect(")");
  }
  void section(std::string_view word, std::vector<Combine>& ops) {
    if (!accept(word)) return;
    do get(ops.emplace_back()); while (ok() && peek() == "(");
  }
  void get(Dest& d) {
    get(d.arrays);
    if (accept("rank")) get(d.rank);
    word_of(d.conflict);
    if (peek() == "(") get(d.combine.emplace());
  }
  void dests(std::vector<Dest>& ds) { do get(ds.emplace_back()); while (ok() && accept(",")); }
  void state(std::vector<Bind>& binds, std::vector<Atom>& init) {
    expect("(");
    if (accept(")")) return;
    do {
      get(binds.emplace_back());
      expect("=");
      get(init.emplace_back());
    } while (ok() && accept(","));
    expect(")");
  }
  Bind counter() { return {define(fresh_name(), scalar_type(Scalar::I64))}; }

  void get(Vectors& x) {
    if (accept("vectors")) x = Vectors::Yes;
    else if (accept("scalar")) x = Vectors::No;
    else if (accept("lanes")) x = Vectors::Lanes;
    else if (accept("interleaved")) x = Vectors::Interleaved;
    else if (accept("apart")) x = Vectors::Apart;
    else if (accept("alone")) x = Vectors::Alone;
  }
  void group(std::optional<Group>& x) {
    if (!accept("own")) return;
    get(x.emplace().own);
    expect("into");
    get(x->sums);
    expect("if");
    get(x->when);
  }
  void get(For& x) {
    x.i = counter();
    expect("<");
    get(x.n);
    if (accept("any_order")) get(x.any_order.emplace());
    word_if("sums", x.sums);
    get(x.vectors);
    group(x.group);
    word_if("blocks", x.blocks);
    if (accept("budget")) get(x.budget.emplace());
    state(x.state, x.init);
    get(x.body);
  }
  void get(While& x) { state(x.state, x.init); get(x.cond); get(x.body); }
  void get(If& x) { get(x.cond); get(x.then_); expect("else"); get(x.else_); }
  void parts(auto& x) {
    section("reduces", x.reduces);
    section("scans", x.scans);
    if (accept("post")) get(x.post);
    section("post_reduces", x.post_reduces);
  }
  void get(Screma& x) { get(x.width); get(x.pre); get(x.inputs); parts(x); word_if("ordered", x.ordered); }
  // reduce n OP [ne] [xs], scan likewise: the map part is the identity.
  void short_form(Screma& x, std::vector<Combine>& ops) {
    get(x.width);
    op(ops.emplace_back());
    get(x.inputs);
    if (!ok()) return;
    for (Var v : x.inputs) {
      Var e = p_.fresh("x", row_type(p_.type(v)));
      x.pre.params.push_back({e});
      x.pre.body.result.push_back(e);
    }
    word_if("ordered", x.ordered);
  }
  void get(Hist& x) { get(x.width); get(x.pre); get(x.inputs); expect("into"); dests(x.dests); }
  void get(WithAcc& x) { dests(x.dests); get(x.scope); }
  void get(Workspace& w) { get(w.block); expect("="); get(w.bytes); }
  void get(Seg& x) {
    get(x.level);
    expect("(");
    if (!accept(")")) {
      do {
        x.index.push_back(counter());
        expect("<");
        get(x.extent.emplace_back());
      } while (ok() && accept(","));
      expect(")");
    }
    get(x.vectors);
    if (accept("with")) get(x.workspaces);
    group(x.group);
    get(x.body);
    parts(x);
    if (accept("into")) dests(x.dests);
    if (accept("parts")) get(x.parts.emplace());
    word_if("collective", x.collective);
  }
  void get(Budget& x) {
    expect("[");
    x.levels = integer();
    expect(",");
    x.bytes = integer();
    expect(",");
    x.memory = integer();
    expect("]");
  }
  void word_if(std::string_view word, bool& holds) { holds = accept(word); }
  void word_if(std::string_view word, std::vector<bool>& holds) {
    if (!accept(word)) return;
    expect("[");
    do holds.push_back(truth()); while (ok() && accept(","));
    expect("]");
  }
  bool truth() {
    bool yes = accept("true");
    if (!yes) expect("false");
    return yes;
  }
  template <class... Fields> void simple(Fields&... fields) { (get(fields), ...); }
  void get(Update& x) { simple(x.array, x.at, x.value); word_if("in_place", x.in_place); }
  void get(ArrayLit& x) { simple(x.elements); word_if("in_place", x.in_place); }
  void get(Concat& x) { simple(x.dim, x.arrays, x.size); word_if("in_place", x.in_place); }
  void get(AccUpdate& x) { simple(x.acc, x.at, x.values); word_if("in_range", x.in_range); }
  void get(Alloc& x) { simple(x.space, x.bytes); word_if("speculative", x.speculative); }
  template <class Op> requires requires { Op::levels; } void get(Op& x) {
    std::apply([&](auto&... field) { simple(field...); }, Op::fields(x));
  }
  void get(Exp& e) {
    std::string name = next();
    if (auto scalar = scalar_op_named(name)) {
      Apply a{*scalar, {}};
      get(a.args);
      if (ok() && isize(a.args) != arity_of(a.op)) fail("`" + name + "` takes " + std::to_string(arity_of(a.op)) + " operands");
      e = std::move(a);
    } else if (name == "map") { Screma s; get(s); e = std::move(s); }
    else if (name == "reduce") { Screma s; short_form(s, s.reduces); e = std::move(s); }
    else if (name == "scan") { Screma s; short_form(s, s.scans); e = std::move(s); }
    else if (!named<0>(name, e)) fail("unknown operation `" + name + "`");
  }
  template <size_t I> bool named(const std::string& name, Exp& e) {
    if constexpr (I == std::variant_size_v<Exp>) return false;
    else {
      using Op = std::variant_alternative_t<I, Exp>;
      if (!Op::name.empty() && name == Op::name) {
        Op op{};
        get(op);
        e = std::move(op);
        return true;
      }
      return named<I + 1>(name, e);
    }
  }

  // ---- whole program ----
  void find_functions() {                    // calls may precede definitions
    std::string_view saved = rest_;
    std::string_view previous;
    for (std::string_view token = peek(); !token.empty(); token = peek()) {
      if (previous == "fun") functions_.emplace(std::string(token), FunId{uint32_t(functions_.size())});
      previous = token;
      rest_.remove_prefix(token.size());
    }
    rest_ = saved;
  }
  void data() {
    expect("data");
    expect("#");
    if (integer() != isize(p_.data)) fail("data out of order");
    expect(":");
    DataArray d{};
    i64 count = 1;
    while (accept("[")) { d.shape.push_back(integer()); count *= std::max<i64>(d.shape.back(), 0); expect("]"); }
    get(d.elem);
    expect("=");
    expect("[");
    i64 found = 0;
    if (!accept("]")) {
      do {
        Const c;
        std::string token = next();
        if (!number(token, d.elem, c)) return fail("malformed number `" + token + "`");
        for (int byte = 0; byte < bytes_of(d.elem); byte++) d.bytes += char(c.bits >> (8 * byte));
        found++;
      } while (ok() && accept(","));
      expect("]");
    }
    if (ok() && (found != count || d.shape.empty())) return fail("the number of values does not match the shape");
    p_.data.push_back(std::move(d));
  }
  void function() {
    Function f;
    attributes(f.attrs);
    expect("fun");
    f.name = fresh_name();
    if (ok() && functions_.at(f.name).index != p_.functions.size()) return fail("function `" + f.name + "` is defined twice");
    expect("\\");
    expect("(");
    if (!accept(")")) {
      do {
        f.consumes.push_back(accept("*"));
        get(f.lambda.params.emplace_back());
      } while (ok() && accept(","));
      expect(")");
    }
    bool typed = accept("->");
    if (typed) {
      expect("(");
      if (!accept(")")) {
        do {
          get_returned(f.returns.emplace_back());
        } while (ok() && accept(","));
        expect(")");
      }
    }
    get(f.lambda.body);
    if (ok() && !typed) f.returns = returns_of(p_, f.lambda);
    p_.functions.push_back(std::move(f));
  }
  // A type in which a size may be `#k`: result number k.
  void get_returned(Type& t) {
    std::vector<Dim> shape;
    if (peek() != "[") return get(t);
    while (accept("[")) {
      Dim d;
      if (accept("#")) d = result_number(size_t(integer()));
      else dim(d);
      shape.push_back(d);
      expect("]");
    }
    Scalar elem = Scalar::I64;
    get(elem);
    t = array_type(elem, std::move(shape));
  }
  void external(ExternalType& t) {
    t.name = string();
    t.values = size_t(integer());
    t.opaque = accept("opaque");
    t.unique = accept("unique");
  }
  void entry() {
    EntryPoint e;
    e.name = string();
    get(e.function);
    expect("sizes");
    e.sizes = size_t(integer());
    e.result_sizes = size_t(integer());
    expect("(");
    if (!accept(")")) {
      do {
        e.param_names.push_back(string());
        external(e.params.emplace_back());
      } while (ok() && accept(","));
      expect(")");
    }
    expect("(");
    if (!accept(")")) {
      do external(e.results.emplace_back()); while (ok() && accept(","));
      expect(")");
    }
    p_.entries.push_back(std::move(e));
  }
  void finish() {
    if (p_.functions.size() != functions_.size()) return fail("a function is used but not defined");
    if (level_given_) return;
    p_.level = Core;
    auto look = [&](const Stm& s) {
      match(s.exp, [&](const auto& op) {
        if ((std::decay_t<decltype(op)>::levels & Core) == 0 && p_.level == Core) p_.level = Ad;
      });
    };
    p_.each_body([&](const Body& b) { each_stm(b, look); });
  }
};

}  // namespace

Parsed parse(std::string_view text) { return Parser(text).run(); }

}  // namespace raido::ir
