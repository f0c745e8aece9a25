// modules.h - declarations, module expressions and module types.
//
// A module type is a ModuleInfo with a list of the types it leaves open (abstract TypeIds and their paths). Ascription and functor
// application match a module against it. That yields what each open type is. Then they make new abstract types for what is hidden.
#pragma once
#include <set>

#include "compiler/check/sizes.h"

namespace raido::check {

class Modules {
 public:
  explicit Modules(Context& context) : c(context), types(context.types) {}
  void file(ast::File& file);

 private:
  using Abstracts = std::vector<AbstractAt>;

  // ---- modules.cc: declarations ----
  ModuleInfo decls(std::span<ast::Decl> decls, Abstracts& abstracts);
  void decl(ast::Decl& d, ModuleInfo& out, Abstracts& abstracts);
  const Scheme* sized(ast::Def& def, Infer& infer);
  const Scheme* sized(ast::Def& def, Infer& infer, StayOpen way, bool& matters);
  void value(ast::Decl& d, ast::Def& def, ModuleInfo& out);
  const Scheme* checked(ast::Def& def);
  const Scheme* with_earlier_name(ast::Def& def);
  std::string way_to(const TermEntry& entry, std::string_view name) const;
  bool def_is_builtin(const ast::Def& def) const;
  void type(ast::Decl& d, ast::TypeDef& t, ModuleInfo& out);
  void open(ast::Decl& d, ast::Open& o, ModuleInfo& out, Abstracts& abstracts);
  std::vector<TypeMember::Param> type_params(std::span<ast::TypeParam> params) const;
  static Lifted lifted_of(ast::TypeParam::Kind k) {
    return k == ast::TypeParam::Kind::Lifted ? Lifted::Full : k == ast::TypeParam::Kind::SizeLifted ? Lifted::Size : Lifted::No;
  }
  void check_abbreviation(ast::TypeParam::Kind kind, TypeRef body, std::span<ast::TypeParam> params, Span at, const Infer& infer);

  // ---- module_exps.cc ----
  // Null: an error was reported. `prefix` is how messages call the abstract types that come into being.
  const ModuleInfo* mod_exp(ast::ModExp* e, const std::string& prefix, Abstracts& abstracts);
  const ModuleInfo* apply(ast::ModExp* e, const ModuleInfo& functor, const ModuleInfo& arg, const std::string& prefix, Abstracts& abstracts, Span at);
  std::span<ast::Abstract> record(const Abstracts& abstracts);

  // ---- module_types.cc ----
  ModTypeInfo mod_type(ast::ModType* t);
  ModTypeInfo specs(ast::SSpecs& s);
  void specify(ModuleInfo& out, Name name, const TermMember& member);
  void spec_value(ast::SpecVal& v, ModuleInfo& out);
  void spec_type(ast::SpecType& t, ModuleInfo& out, Abstracts& abstracts);
  void spec_module(ast::SpecModule& m, ModuleInfo& out, Abstracts& abstracts);
  void include(ast::SpecInclude& i, ModuleInfo& out, Abstracts& abstracts);
  ModTypeInfo refine(ast::SWith& w, Span at);
  ModTypeInfo fresh_copy(const ModTypeInfo& t, const std::string& prefix);
  const ModuleInfo* substitute(const ModuleInfo& m, const Context::Subst& s);
  TypeMember substitute(const TypeMember& m, const Context::Subst& s);
  void each_origin(const ModuleInfo& module, const std::function<void(const std::vector<Name>&, const TermMember&)>& f);
  std::span<ast::Origin> record_origins(const ModuleInfo& m);
  void new_origins(const ModuleInfo& m, Context::Subst& s);
  void match_origins(const ModuleInfo& impl, const ModuleInfo& sig, Context::Subst& found);

  // ---- module_match.cc ----
  // Does `impl` have all that `sig` shows? Fills `found` with what the open types are.
  bool takes_as_much(const TypeMember& t, const TypeDecl& abstract) const;
  bool matches(const ModuleInfo& impl, const ModTypeInfo& sig, Context::Subst& found, Span at);
  bool members_match(const ModuleInfo& impl, const ModuleInfo& sig, const Context::Subst& found, Span at);
  bool value_matches(Name name, const TermMember& given, const TermMember& wanted, const Context::Subst& found, Span at);
  void show_both(Diagnostics::Draft draft, Span impl, Span spec) const;
  bool has_unknown(const ModuleInfo& m) const;
  const TypeMember* type_at(const ModuleInfo& m, const std::vector<Name>& path) const;
  void no_duplicate(std::map<Name, Span>& seen, Name name, Span at, const char* what,
                    const Diag<3>& kind = err::duplicate_definition);

  Context& c;
  Types& types;
  struct Seen { std::map<Name, Span> terms, types, mod_types; };
  Seen* seen_ = nullptr;
};

}  // namespace raido::check
