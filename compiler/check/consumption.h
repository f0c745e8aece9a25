// consumption.h - the class that follows aliases and consumption; included by the `consume*.cc` of this folder only.
//
// An abstract evaluation in the order of the language, where a value is the set of variables that may share memory with it
// (`aliases.h`). Consuming a value marks all its variables; using a marked one is an error.
#pragma once
#include <string>
#include <unordered_map>

#include "compiler/check/aliases.h"

namespace raido::check {

class Consumption {
 public:
  explicit Consumption(Context& context) : c(context), types(context.types) {}

  TypeRef definition(ast::Def& def, TypeRef type);

 private:
  // `by`: the variable named there; `loop`: the loop that started with it.
  struct Consumed { Span at; Binding* by; const ast::Loop* loop; };
  // Where each variable was consumed. It only grows; what a branch added is taken back by position.
  class State {
   public:
    using Delta = std::vector<std::pair<Binding*, Consumed>>;
    const Consumed* find(Binding* b) const {
      auto it = at_.find(b);
      return it == at_.end() ? nullptr : &it->second;
    }
    void add(Binding* b, Consumed at) { if (at_.emplace(b, at).second) order_.push_back(b); }
    // The same for what a branch consumed; its places are the ones to show.
    void add(const Delta& delta) {
      for (auto [b, at] : delta) if (at_.insert_or_assign(b, at).second) order_.push_back(b);
    }
    size_t size() const { return order_.size(); }
    Delta take(size_t from) {
      Delta out;
      for (size_t i = from; i < order_.size(); i++) {
        auto it = at_.find(order_[i]);
        out.push_back(*it);
        at_.erase(it);
      }
      order_.resize(from);
      return out;
    }

   private:
    std::unordered_map<Binding*, Consumed> at_;
    std::vector<Binding*> order_;
  };

  // ---- consume.cc: what has memory, variables, functions ----
  bool has_memory(TypeRef t) const;
  bool find_memory(TypeRef t) const;
  Aliases by_type(TypeRef t, const Vars& vars) const;
  Aliases arrays_of(TypeRef t, Binding* b) const;
  bool holds_array(TypeRef t) const;
  Vars data_of(const Aliases& a, TypeRef t) const;
  TypeRef as_unique_as(TypeRef t, TypeRef other);
  Aliases cut(Aliases a, TypeRef t) const;
  void bind(Binding* b, TypeRef t, const Aliases& value, bool consumable);
  void bind_pattern(const ast::Pat* p, TypeRef t, const Aliases& value, bool consumable);
  void bind_param(const ast::Pat* p, TypeRef t);
  void sizes(const ast::TypeExpr* t);
  std::string text_of(const ast::Expr* e) const;
  std::string name_of(Binding* b) const;
  void mention(const ast::Path& p);
  Binding* local(const ast::Expr* e) const;
  void report_use(Binding* b, const ast::Expr* use, const Consumed& consumed, Binding* through);
  void observe(Binding* b, const ast::Expr* use);
  static Binding* root_of(const ast::Expr* e);
  void consume(const Aliases& value, Span at, const ast::Expr* of, const ast::Loop* loop = nullptr);
  TypeRef function(std::span<ast::Pat*> params, const ast::TypeExpr* written, ast::Expr* body, TypeRef type, bool infer_unique);
  bool outside(Binding* v) const;
  bool captured(Binding* v) const;
  void check_result(const Aliases& whole, TypeRef t, Span at);
  TypeRef without_captured(const Aliases& a, TypeRef t);
  void keeps_promises(const Aliases& a, TypeRef wanted, Span at);
  TypeRef inferred_result(const Aliases& a, TypeRef t, const Aliases& whole);
  // What is entered runs any number of times, so it may consume nothing of what is bound outside.
  enum class Inside : uint8_t { Function, Loop, Size };
  struct Inner { uint32_t depth, barrier; size_t consumed; Inside inside; };
  Inner enter(Inside what);
  Vars leave(const Inner& saved);
  Aliases without_consumed(Aliases a) const;

  // ---- consume_expr.cc: expressions and calls ----
  Aliases exp(ast::Expr* e);
  Aliases lets(ast::Expr* e);
  void let(ast::Let& l);
  void let_function(ast::LetFun& l);
  Aliases ifs(ast::Expr* e);
  static std::string_view builtin(Context& c, const ast::Operator& o);
  Aliases operators(ast::Expr* e);
  Aliases exp_to_consume(ast::Expr* e);
  enum class Order { AsWritten, LastFirst };
  using Argument = std::pair<ast::Expr*, Aliases>;
  Vars call(TypeRef fun, std::vector<Argument>& args, Order order, size_t evaluated = 0);
  TypeRef type_of(const ast::Expr* fun, const Aliases& value);
  Aliases result_of(TypeRef fun, size_t arity, Vars shared, Span at);
  void selectors(std::span<ast::Selector> at);
  Aliases node(ast::Expr* e);
  Aliases ref(ast::Expr* e, ast::Ref& r);
  Aliases project(ast::Project& p);
  Aliases apply(ast::Expr* e, ast::Apply& a);
  Aliases section(ast::Expr* e, ast::Section& s);
  Aliases match_cases(ast::Match& m);
  Aliases with(ast::With& w);
  Aliases with_field(ast::With& w);
  Aliases update(ast::With& w);

  // ---- consume_loop.cc ----
  // A name that the state of a loop binds.
  struct LoopParam {
    Binding* var;
    Aliases value;
    enum Mark : int8_t { None = -1, Plain, Unique } mark;   // written type: none, without `*`, with one
  };
  void loop_params(const ast::Pat* p, const Aliases& a, LoopParam::Mark mark, std::vector<LoopParam>& out);
  std::vector<LoopParam> loop_params(const ast::Loop& l, const Aliases& a);
  Aliases loop_body(ast::Loop& l, const std::vector<LoopParam>& params);
  std::vector<bool> consuming_params(ast::Loop& l, const std::vector<LoopParam>& params);
  void consume_starts(ast::Loop& l, const std::vector<LoopParam>& params, const std::vector<bool>& consuming, const Aliases& iterated);
  void check_ends(const ast::Loop& l, const std::vector<LoopParam>& params, const std::vector<bool>& consuming, const std::vector<LoopParam>& ends);
  TypeRef returned(const ast::Pat* p, TypeRef t, const std::vector<LoopParam>& params, const std::vector<bool>& consuming);
  Aliases loop(ast::Expr* e, ast::Loop& l);

  Context& c;
  Types& types;
  struct Known { Aliases value; Vars all; };
  FlatMap<const Binding*, Known> aliases_{&c.scratch};
  FlatMap<const Binding*, uint32_t> depths_{&c.scratch};
  std::unordered_map<const ast::Expr*, std::vector<bool>> consuming_;
  std::unordered_map<const Binding*, const ast::Path*> members_;    // of modules, where they were used; null: several
  State consumed_;
  std::vector<Vars> captures_;
  struct RunningLoop { const ast::Loop* loop; bool in_condition; };
  std::vector<RunningLoop> loops_;
  const ast::Expr* to_consume_ = nullptr;            // the expression whose value is about to be consumed
  Inside inside_ = Inside::Function;
  uint32_t depth_ = 1, barrier_ = 1;
};

}  // namespace raido::check
