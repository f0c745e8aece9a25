// context.h - what all parts of the checker share: the program, the type table, the names in scope.
//
// Scope: one dense table per namespace from Name to what it means now, with a log of what to restore when a scope ends.
#pragma once
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/base/flat_map.h"
#include "compiler/check/check.h"

namespace raido::check {

// What a type name means: parameters (TypeId for types, Binding for sizes) and a body that may be an ExistsType.
struct TypeMember {
  struct Param { TypeId type; Binding* size = nullptr; };
  std::vector<Param> params;
  TypeRef body;
  Lifted lifted = Lifted::No;
  Span span;
};

struct ModuleInfo;

// What a term name means: a value (scheme) or a module.
struct TermMember {
  const Scheme* scheme = nullptr;
  const ModuleInfo* module = nullptr;
  Span span;
  Binding* origin = nullptr;             // of a value: what sizes call it, however it is reached
};

struct AbstractAt { TypeId type; std::vector<Name> path; };

// A module type: what is known of the members. A functor has param and result instead.
struct ModuleInfo {
  std::map<Name, TermMember> terms;
  std::map<Name, TypeMember> types;
  // Values of a module type that later ones of their name hide from users; an implementation must satisfy them all the same.
  std::vector<std::pair<Name, TermMember>> hidden;
  std::map<Name, const struct ModTypeInfo*> mod_types;
  // A parametric module: `abstracts` of the parameter are bound by the argument; those of the result are new on each application.
  const ModuleInfo* param = nullptr;
  Name param_name;
  std::vector<AbstractAt> param_abstracts;
  const ModuleInfo* result = nullptr;
  std::vector<AbstractAt> result_abstracts;
  bool unknown = false;                  // its definition has a mistake that was reported: it may have any members
  bool is_functor() const { return result != nullptr; }
};

// A module type with the types it leaves open.
struct ModTypeInfo {
  const ModuleInfo* info;
  std::vector<AbstractAt> abstracts;
  Span definition = {};                  // of its name, if it has one
};

struct TermEntry {
  Binding* root = nullptr;               // null: not in scope
  std::span<Name> members;               // how to get there from root
  const Scheme* scheme = nullptr;        // of a member
  const ModuleInfo* module = nullptr;
};

template <class T> class ScopeTable {
 public:
  const T* find(Name name) const {
    return name.index < now_.size() && now_[name.index].set ? &now_[name.index].value : nullptr;
  }
  void bind(Name name, T value) {
    if (name.index >= now_.size()) now_.resize(name.index + 1 + now_.size() / 2);
    log_.emplace_back(name, now_[name.index]);
    now_[name.index] = {true, std::move(value)};
  }
  size_t mark() const { return log_.size(); }
  void restore(size_t mark) {
    while (log_.size() > mark) {
      now_[log_.back().first.index] = std::move(log_.back().second);
      log_.pop_back();
    }
  }
  template <class F> void each(F&& f) const {
    for (size_t i = 0; i < now_.size(); i++) if (now_[i].set) f(Name{uint32_t(i)}, now_[i].value);
  }

 private:
  struct Slot { bool set = false; T value{}; };
  std::vector<Slot> now_;
  std::vector<std::pair<Name, Slot>> log_;
};

class Context {
 public:
  Context(ast::Program& p, const Sources& s, Diagnostics& d, Types& t) : program(p), sources(s), diags(d), types(t) {}

  ast::Program& program;
  const Sources& sources;
  Diagnostics& diags;
  size_t unknown_uses = 0;               // of modules with mistakes: nothing else tells of them
  Types& types;

  // Memory for what is forgotten after the declaration or specification that is being checked.
  static constexpr size_t scratch_size = 1 << 16;
  std::unique_ptr<std::byte[]> scratch_space = std::make_unique_for_overwrite<std::byte[]>(scratch_size);
  std::pmr::monotonic_buffer_resource scratch{scratch_space.get(), scratch_size};

  ScopeTable<TermEntry> terms;
  ScopeTable<TypeMember> type_names;
  ScopeTable<const ModTypeInfo*> mod_types;
  struct Mark { size_t terms, types, mod_types; };
  Mark mark() const { return {terms.mark(), type_names.mark(), mod_types.mark()}; }
  void restore(Mark m) { terms.restore(m.terms); type_names.restore(m.types); mod_types.restore(m.mod_types); }

  std::string_view text(Name name) const { return program.names.text(name); }
  Name intern(std::string_view text) { return program.names.intern(text); }
  Name numeral(size_t i) {                         // the name of a component of a tuple
    while (numerals_.size() <= i) numerals_.push_back(intern(std::to_string(numerals_.size())));
    return numerals_[i];
  }
  // Numerals by value, then names by text.
  void sort_fields(std::vector<Field>& fields) const;
  std::string shown(const ast::Path& path) const;

  void bind(Binding* b) { terms.bind(b->name, TermEntry{b, {}, b->scheme, b->module}); }
  // All members of a module, through the Open binding.
  void open(const ModuleInfo& module, Binding* through);
  // Of a module with a mistake that was reported: from here on any name may be one of its members.
  void open_unknown() { terms.bind(intern("open"), {}); }
  bool any_name() { return terms.find(intern("open")); }

  const Scheme* scheme(Scheme s);                   // allocates
  const ModuleInfo* module(ModuleInfo m);
  const ModTypeInfo* mod_type(ModTypeInfo m);

  std::shared_ptr<void> take_owned() { return owned_; }

  // The longest prefix of `path` that is a module path followed by a term; how many names it takes. Fills root and members.
  // Reports an unknown name (and returns nothing).
  // `intrinsics.x` for something built in, unless the program has its own `intrinsics`.
  // Of what the compiler provides, unless the program has something of that name.
  bool names_intrinsics(const ast::Path& path) const {
    if (text(path.names[0]) != "intrinsics") return false;
    const TermEntry* t = terms.find(path.names[0]);
    return !t || t->root == program.prelude;
  }
  bool earlier_names = false;                       // Options::earlier_names
  // Names that are being defined and cannot be used yet, with what they are: "a constant".
  std::vector<std::pair<Name, const char*>> defining;
  std::vector<std::span<ast::Decl>> lists;                 // of declarations: those around what is checked, innermost last
  bool in_size = false;         // the names that are looked up now stand in a written size
  Name own_type;                // that is being defined
  void report_unknown(const ast::Path& path, size_t used, const ModuleInfo* module, bool want_module);
  Span defined_later(Name name, Span use, bool type) const;
  std::string modules_with(Name name, bool type = false);
  struct Found { TermEntry entry; size_t used; };
  std::optional<Found> lookup(ast::Path& path, bool want_module);
  std::optional<Found> lookup_intrinsic(ast::Path& path);
  // What a resolved path with members names.
  const Scheme* member_scheme(const ast::Path& path) const;
  // The value that a resolved path ends at, as sizes know it; null if it has no such name.
  Binding* origin_of(const ast::Path& path) const;
  // The overloaded operator of that name.
  Binding* builtin(Name op);
  // Brings all overloaded operators into scope.
  void bind_builtins();
  void bind_builtin(const char* op);
  // What stands in `intrinsics.(..)` sees these, the functions among them, and the prelude's module of that name.
  void open_intrinsics();
  const TypeMember* lookup_type(ast::Path& path);
  void unapplied(Span at, std::string_view functor);       // reports a parametric module where a module has to be
  const ModTypeInfo* lookup_mod_type(ast::Path& path);

  std::string show(TypeRef t) const;
  std::string show(SizeRef s) const;
  std::string show_exp(const ast::Expr& e) const;

  // --- substitution ---
  struct Subst {
    FlatMap<TypeId, TypeMember> types;                     // the parameters and body of each
    FlatMap<Binding*, SizeRef> sizes;
    bool empty() const { return types.empty() && sizes.empty(); }
  };
  TypeRef substitute(TypeRef t, const Subst& s, bool in_sizes = true);
  SizeRef substitute(SizeRef size, const Subst& s);
  // A size of an expression: constants and names in their own form, parentheses and annotations dropped.
  SizeRef size_of(const ast::Expr* e);
  const ast::Expr* exp_of(SizeRef s);
  // The expression rebuilt with `f` answering for Refs (null: keep), and `retype` for types. Only for expressions that may be sizes.
  const ast::Expr* rewrite(const ast::Expr* e, const std::function<const ast::Expr*(const ast::Expr*)>& f,
                           const std::function<TypeRef(TypeRef)>& retype = {});
  bool mentions(TypeRef t, Binding* b) const;
  void each_size_name(TypeRef t, const std::function<void(Binding*)>& f) const;
  std::optional<size_t> field_index(const RecordType& r, Name name) const;
  bool mentions(SizeRef s, Binding* b) const;
  // Every Binding that a size mentions, also in SizeHoles.
  void each_name(SizeRef s, const std::function<void(Binding*)>& f) const;
  void each_name(const ast::Expr* e, const std::function<void(Binding*)>& f) const;

  // Resolution of solved size variables, set by the size pass; else sizes stand for themselves.
  std::function<SizeRef(SizeRef)> resolve_size;
  std::function<TypeRef(TypeRef)> resolve_type;

  // How messages call a type variable, set by inference.
  std::function<std::string(uint32_t)> show_variable;
  // Sizes without a name of their own are numbered as messages mention them, anew for each definition.
  std::string anonymous_name(const Binding* b) const;
  std::string open_size_name(uint32_t var) const;          // of a size variable that is not solved
  void forget_anonymous_names() { anonymous_.clear(), open_sizes_.clear(), reported_.clear(), foreign_ = false; }

  Lifted liftedness(TypeRef t) const;
  bool has_function(TypeRef t) const;                      // contains a function type or a lifted parameter
  TypeRef strip_unique(TypeRef t);                         // everywhere outside of functions
  TypeRef strip_pointless(TypeRef t);                      // `*` on what holds no memory, everywhere
  bool holds_nothing(TypeRef t) const;                     // a constructor that is alone and bare, and what is made of it
  // Is `size` alone the size of an array in t, outside of functions? By values: of one whose elements hold something.
  bool witnesses(TypeRef t, const Binding* size, bool by_values = false) const;
  bool any_unique(TypeRef t) const;                        // some component is *

 private:
  struct Owned {
    std::deque<Scheme> schemes;
    std::deque<ModuleInfo> modules;
    std::deque<ModTypeInfo> mod_types;
  };
  mutable std::unordered_map<const Binding*, size_t> anonymous_;
  mutable std::unordered_map<uint32_t, size_t> open_sizes_;
  std::unordered_map<uint32_t, Binding*> builtins_;
  std::vector<Name> numerals_;
  // Nobody reads the hundredth suggestion, and a search of all names for each unknown one is quadratic.
  bool suggests() { return suggestions_++ < 100; }
  uint32_t suggestions_ = 0;
  std::unordered_set<std::string> reported_;               // unknown names of this definition: each is reported once
  bool foreign_ = false;                                   // one was a word of another language: more of them may follow from it
  std::shared_ptr<Owned> owned_ = std::make_shared<Owned>();
};

}  // namespace raido::check
