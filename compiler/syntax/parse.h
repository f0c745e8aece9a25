// parse.h - the parser's state and methods, shared by the four parse_*.cc files.
//
// Recursive descent; binary operators by precedence climbing. An error is reported once. From then on every look at the input answers
// "end of file", so all loops end and the calls unwind to the declaration list. That list goes on at the next declaration that begins a
// line. Depth is bounded, so that no input can exhaust the stack.
#pragma once
#include <algorithm>
#include <string_view>
#include <tuple>
#include <vector>

#include "compiler/syntax/lexer.h"
#include "compiler/syntax/parser.h"

namespace raido::ast {

// How tightly an operator binds, from 5 (pipes) to 14: the fixity of the longest built-in operator that begins it.
int operator_level(std::string_view op);

class Parser {
 public:
  Parser(Program& program, const Sources& sources, FileId file, Diagnostics& diags)
      : program_(program), sources_(sources), file_(file), diags_(diags), builtin_(sources[file].builtin), tokens_(lex(program, sources, file, diags)) {}
  File* file();
  File* expression(std::string_view name);

 private:
  File* new_file();
  // The input.
  const Token& peek(size_t ahead = 0) const {
    return failed_ ? eof_ : tokens_.items[std::min(pos_ + ahead, tokens_.items.size() - 1)];
  }
  Tok kind(size_t ahead = 0) const { return peek(ahead).kind; }
  bool is(Tok k) const { return kind() == k; }
  bool is_op(std::string_view text, size_t ahead = 0) const {
    const Token& t = peek(ahead);
    return t.kind == Tok::Operator && name_text(t.name) == text;
  }
  std::string_view text(const Token& t) const { return sources_.text(t.span); }
  std::string_view name_text(Name n) const { return program_.names.text(n); }
  Token take() {
    Token t = peek();
    if (!failed_ && pos_ + 1 < tokens_.items.size()) pos_++;
    return t;
  }
  bool accept(Tok k) {
    if (!is(k)) return false;
    take();
    return true;
  }
  Token expect(Tok k, std::string_view where) {
    if (is(k)) return take();
    return expected(k, where);
  }
  Token expected(Tok k, std::string_view where);      // reports that it is not there
  Span since(const Token& first) const { return since(first.span); }
  Span since(Span first) const;
  void unexpected(std::string_view expected, std::string help = "", std::vector<Label> labels = {});
  void missing_in(const Token& let);
  std::vector<Label> opened(std::string_view expected) const;
  std::string_view habit_before() const;
  template <int N, class... Args> void fail_with(std::string help, Span at, const Diag<N>& kind, const Args&... args) {
    fail_with(std::move(help), {}, at, kind, args...);
  }
  template <int N, class... Args> void fail_with(std::string help, std::vector<Label> labels, Span at, const Diag<N>& kind, const Args&... args) {
    bool said = failed_ || is(Tok::Bad);                                                     // what is bad about a token was reported
    failed_ = true;
    if (said) return;
    auto draft = diags_.report(at, kind, args...).help(std::move(help));
    for (Label& l : labels) draft.label(l.span, std::move(l.text));
  }
  template <int N, class... Args> void fail(Span at, const Diag<N>& kind, const Args&... args) { fail_with("", at, kind, args...); }
  // Levels of the tree. Each nested construct of a user costs up to eight of them. A thousand of any construct pass, and the stack of
  // everything that walks the tree holds them.
  static constexpr uint32_t max_depth = 8000;
  void too_deep();
  // Counts nesting while it lives; too deep is an error.
  struct Depth {
    explicit Depth(Parser& parser) : p(parser), outer_height(parser.height_) {
      p.height_ = 0;
      if (++p.depth_ > max_depth) p.too_deep();
    }
    ~Depth() {
      p.depth_--;
      p.height_ = std::max(outer_height, p.height_ + 1);
      if (p.height_ > max_depth) p.too_deep();
    }
    Parser& p;
    uint32_t outer_height;
  };

  template <class N> Expr* expr(Span span, N node) { return program_.arena.make<Expr>(span, std::move(node), TypeRef{}); }
  template <class N> Pat* pat(Span span, N node) { return program_.arena.make<Pat>(span, std::move(node), TypeRef{}); }
  template <class N> TypeExpr* type_expr(Span span, N node) { return program_.arena.make<TypeExpr>(span, std::move(node), TypeRef{}); }
  // A list while it is parsed: on top of a stack that the lists of its type share, each above those it is inside of.
  template <class T> class List {
   public:
    explicit List(Parser& p) : stack_(std::get<std::vector<T>>(p.stacks_)), from_(stack_.size()) {}
    ~List() { stack_.erase(stack_.begin() + std::ptrdiff_t(from_), stack_.end()); }
    List(const List&) = delete;
    void push_back(T item) { stack_.push_back(item); }
    size_t size() const { return stack_.size() - from_; }
    bool empty() const { return size() == 0; }
    T& operator[](size_t i) { return stack_[from_ + i]; }
    std::span<const T> items() const { return std::span<const T>(stack_).subspan(from_); }

   private:
    std::vector<T>& stack_;
    size_t from_;
  };
  template <class T> std::span<T> copy(const std::vector<T>& items) { return program_.arena.copy(items); }
  template <class T> std::span<T> copy(const List<T>& list) { return program_.arena.copy(list.items()); }
  Name numeral(size_t i);
  void mention(Lookup how, Name name, Span at) {
    if (!name.valid()) return;           // after an error
    if (builtin_) mentions_.push_back({at.begin, name, how});
    else program_.mentioned[size_t(how)].insert(name);
  }
  Expr* broken(Span span) { return expr(span, Hole{}); }

  // parse_decl.cc
  std::vector<Decl> decls(Tok end);
  Decl decl(bool nested);
  void resynchronise(size_t start);
  std::string_view doc_text(Span span) const;
  std::span<Attr> attrs();
  Attr attr();
  void end_attribute();                  // the `]` after it
  Def* value_decl(const Token& first, bool entry, std::span<Attr> attributes);
  TypeDef* type_decl();
  Decl module_decl(const Token& first);
  std::vector<ModParam*> mod_params();
  ModExp* mod_exp();
  ModExp* mod_atom();
  ModExp* wrap_params(const std::vector<ModParam*>& params, ModType* type, ModExp* body, Span span);
  ModType* mod_type();
  ModType* mod_type_atom();
  Spec spec();
  Path path(Lookup how);                              // how what it stands for is looked up: Scope, Type or ModType
  TypeParam::Kind lifted_marker();
  std::span<TypeParam> type_params();
  bool at_type_param() const;
  TypeParam type_param();
  Binding* bound_name(Binding::Kind kind);
  bool at_infix_op(size_t ahead = 0) const;
  Token infix_op();                                   // unqualified; also `name`

  // parse_expr.cc
  Expr* exp();
  Expr* binary(int min_level);
  Expr* open_ended(Expr* e) { open_end_ = pos_; return e; }
  Expr* operand_of(int min_level);                    // binary, one level deeper
  Expr* operand();
  Expr* application();
  bool at_atom() const;
  Expr* atom();
  Expr* postfix(Expr* e);
  Expr* atom_start();
  Expr* parenthesised();
  Expr* section_after_paren(const Token& open);
  Expr* access_section(const Token& open);
  Expr* lambda();
  Expr* if_();
  Expr* let_chain();
  Expr* loop();
  Expr* match_();
  Expr* assert_();
  Expr* attributed();
  std::span<Step> steps(bool update);
  std::span<Selector> selectors();
  Selector selector();
  Expr* op_ref();                                     // the operator at hand as an expression
  int op_level(size_t ahead = 0) const;               // 0: none
  Expr* pattern_as_exp(Pat* p);
  Expr* name_exp(Name name, Span span);
  Token field_name();

  // parse_pattern.cc
  Pat* pattern();
  Pat* inner_pattern();
  bool at_param() const;
  Pat* param();
  Pat* record_pattern();
  Pat* paren_pattern();

  // parse_type.cc
  TypeExpr* type();
  TypeExpr* type_term();
  TypeExpr* type_app();
  TypeExpr* type_atom();
  bool at_type_atom() const;
  SizeExpr size();

  Program& program_;
  const Sources& sources_;
  FileId file_;
  Diagnostics& diags_;
  bool builtin_;                         // the file is part of the prelude
  Tokens tokens_;
  std::vector<Mention> mentions_;        // where it is
  size_t pos_ = 0;
  size_t open_end_ = 0;                  // where the last expression ended that would have taken all that follows
  bool failed_ = false;
  uint32_t depth_ = 0, height_ = 0;
  std::tuple<std::vector<Expr*>, std::vector<Pat*>, std::vector<TypeExpr*>, std::vector<Name>, std::vector<Span>, std::vector<TypeParam>,
             std::vector<TypeArg>, std::vector<Selector>, std::vector<Step>, std::vector<Case>, std::vector<Attr>> stacks_;
  Token eof_{Tok::Eof, {}, {}, 0};
};

}  // namespace raido::ast
