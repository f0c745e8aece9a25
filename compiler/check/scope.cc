// Names to what they mean. A dotted name is the longest prefix that is a path of modules followed by a value; what is left
// is projection.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/base/similar.h"
#include "compiler/check/context.h"
#include "compiler/source/habits.h"

namespace raido::check {

const Scheme* Context::scheme(Scheme s) { return &owned_->schemes.emplace_back(std::move(s)); }
const ModuleInfo* Context::module(ModuleInfo m) { return &owned_->modules.emplace_back(std::move(m)); }
const ModTypeInfo* Context::mod_type(ModTypeInfo m) { return &owned_->mod_types.emplace_back(std::move(m)); }

void Context::open(const ModuleInfo& module, Binding* through) {
  for (auto& [name, member] : module.terms)
    terms.bind(name, TermEntry{through, program.arena.copy(std::span<const Name>(&name, 1)), member.scheme, member.module});
  for (auto& [name, member] : module.types) type_names.bind(name, member);
  for (auto& [name, member] : module.mod_types) mod_types.bind(name, member);
}

namespace {
std::string meant(const Similar& similar, std::string_view wanted) {
  std::string_view help = habit(wanted);
  return help.empty() ? similar.help() : std::string(help);
}

bool behind_slashes(const Sources& sources, Span name) {
  std::string_view before = sources.text({name.file, 0, name.begin});
  size_t last = before.find_last_not_of(' ');
  return last != std::string_view::npos && before.substr(0, last + 1).ends_with("//");
}
}  // namespace

constexpr std::string_view usual_modules[] = {"f64", "f32", "i64", "i32"};

// Up to three modules in scope that have such a value or type, those of the usual numbers first.
std::string Context::modules_with(Name name, bool type) {
  std::vector<std::string> found;
  auto offer = [&](Name module, const TermEntry& entry) {
    if (!entry.module || entry.module->is_functor()) return;
    if (type) {
      auto member = entry.module->types.find(name);
      bool written = member != entry.module->types.end() && member->second.span.valid() && !sources[member->second.span.file].builtin;
      if (written) found.push_back(fmt::format("`{}.{}`", text(module), text(name)));
      return;
    }
    auto member = entry.module->terms.find(name);
    std::string shown = fmt::format("`{}.{}`", text(module), text(name));
    if (member != entry.module->terms.end() && member->second.scheme && std::ranges::count(found, shown) == 0) found.push_back(shown);
  };
  for (std::string_view usual : type ? std::span<const std::string_view>() : std::span<const std::string_view>(usual_modules))
    if (Name n = program.names.intern(usual); auto entry = terms.find(n)) offer(n, *entry);
  terms.each([&](Name n, const TermEntry& entry) { offer(n, entry); });
  if (found.size() > 3) found.resize(3);
  return fmt::format("{}", fmt::join(found, ", "));
}

// Where a definition of this name comes too late for its use, if one does.
Span Context::defined_later(Name name, Span use, bool type) const {
  for (size_t i = lists.size(); i-- > 0;)
    for (const ast::Decl& d : lists[i]) {
      auto* def = std::get_if<ast::Def*>(&d.node);
      auto* type_def = std::get_if<ast::TypeDef*>(&d.node);
      Span at = def && !type && (*def)->self->name == name ? (*def)->name_span : type_def && type && (*type_def)->name == name ? (*type_def)->name_span : Span{};
      if (at.valid() && at.begin > use.end) return at;
    }
  return {};
}

// Nothing is called so: `used` names of the path are known, the last of them as `module` (null: none is known).
void Context::report_unknown(const ast::Path& path, size_t used, const ModuleInfo* module, bool want_module) {
  std::string name = shown(path);
  std::string_view wanted = text(path.names[used < path.names.size() ? used : used - 1]);
  Similar similar(wanted);
  if (module) {
    ast::Path head = path;
    head.names = path.names.subspan(0, used);
    if (suggests()) for (auto& [n, member] : module->terms) if (want_module || member.scheme || used + 1 < path.names.size()) similar.offer(text(n));
    diags.report(path.span, err::unknown_member, name, shown(head), wanted).help(similar.help(shown(head) + "."));
    return;
  }
  if (foreign_ || !reported_.emplace(wanted).second) {
    unknown_uses++;
    return;
  }
  bool is_module = want_module || path.names.size() > 1;
  foreign_ = !habit(wanted).empty();
  if (suggests()) terms.each([&](Name n, const TermEntry& entry) { if (!entry.module || is_module) similar.offer(text(n)); });
  bool is_type = mod_types.find(path.names[0]);
  if (is_module)
    diags.report(path.span, err::unknown_module, name, wanted)
        .help(is_type ? fmt::format("`{0}` is a module type: a module that has it is `module m : {0} = ..`", wanted) : similar.help());
  else if (Span later = defined_later(path.names[0], path.span, false); later.valid())
    diags.report(path.span, err::unknown_name, name).label(later, "defined here").help("a definition can use only what stands before it");
  else if (auto it = std::find_if(defining.begin(), defining.end(), [&](auto& d) { return d.first == path.names[0]; }); it != defining.end())
    diags.report(path.span, err::self_reference, name, it->second).help(it->second == std::string_view("a constant") ? "" : "only functions at the top level are recursive; use a loop");
  else if (auto in = modules_with(path.names[0]); !in.empty() && suggests()) diags.report(path.span, err::unknown_name, name).help(fmt::format("it is a member of modules: {}", in));
  else if (std::string help = meant(similar, wanted); !help.empty()) diags.report(path.span, err::unknown_name, name).help(help);
  else if (behind_slashes(sources, path.span)) diags.report(path.span, err::unknown_name, name).help("a comment begins with `--`; `//` divides"), foreign_ = true;
  else diags.report(path.span, err::unknown_name, name).help(in_size ? fmt::format("a size is declared after the function's name: `def f [{0}] (xs: [{0}]i32)`", name) : "");
}

std::optional<Context::Found> Context::lookup(ast::Path& path, bool want_module) {
  auto unknown = [&](size_t used, const ModuleInfo* module) -> std::optional<Found> {
    if (module ? module->unknown : any_name()) unknown_uses++;
    else report_unknown(path, used, module, want_module);
    return {};
  };
  if (!want_module && names_intrinsics(path)) return lookup_intrinsic(path);
  const TermEntry* first = terms.find(path.names[0]);
  if (!first) return unknown(0, nullptr);
  Found found{*first, 1};
  std::vector<Name> members;                       // those after the ones that the first name stands for
  while (found.entry.module && found.used < path.names.size()) {
    const ModuleInfo& m = *found.entry.module;
    if (m.is_functor()) {
      unapplied(path.span, text(path.names[found.used - 1]));
      return {};
    }
    auto it = m.terms.find(path.names[found.used]);
    if (it == m.terms.end()) return unknown(found.used, &m);
    members.push_back(it->first);
    found.entry.scheme = it->second.scheme;
    found.entry.module = it->second.module;
    found.used++;
  }
  if (want_module && (!found.entry.module || found.used < path.names.size())) {
    diags.report(path.span, err::unknown_module, shown(path), text(path.names[found.used - 1])).note("this is the name of a value");
    return {};
  }
  if (!want_module && found.entry.module) {
    bool is_type = path.names.size() == 1 && type_names.find(path.names[0]);
    diags.report(path.span, err::module_as_value, shown(path)).help(
        is_type ? fmt::format("a conversion says what it converts, too: `{}.{} x`", shown(path), shown(path) == "f64" ? "i64" : "f64") : "name a member: `" + shown(path) + ".x`");
    return {};
  }
  for (size_t i = 0; i < path.names.size(); i++)
    if (text(path.names[i]).starts_with("_")) {
      diags.report(path.spans[i], err::underscore_name, text(path.names[i]));
      break;
    }
  if (!members.empty()) {
    members.insert(members.begin(), first->members.begin(), first->members.end());
    found.entry.members = program.arena.copy(members);
  }
  path.root = found.entry.root;
  path.members = found.entry.members;
  path.root->used = true;
  if (want_module && found.entry.module->unknown) {
    unknown_uses++;
    return {};
  }
  return found;
}

const Scheme* Context::member_scheme(const ast::Path& path) const {
  const ModuleInfo* m = path.root->module;
  for (size_t i = 0; m && i < path.members.size(); i++) {
    auto it = m->terms.find(path.members[i]);
    if (it == m->terms.end()) return nullptr;
    if (i + 1 == path.members.size()) return it->second.scheme;
    m = it->second.module;
  }
  return nullptr;
}

Binding* Context::origin_of(const ast::Path& path) const {
  if (path.members.empty()) return path.root;
  const ModuleInfo* m = path.root->module;
  for (size_t i = 0; m && i < path.members.size(); i++) {
    auto it = m->terms.find(path.members[i]);
    if (it == m->terms.end()) return nullptr;
    if (i + 1 == path.members.size()) return it->second.origin;
    m = it->second.module;
  }
  return nullptr;
}

namespace {
constexpr const char* builtin_operators[] = {"+", "-", "*", "/", "%", "**", "//", "%%", "&", "|", "^", "<<", ">>",
                                             "<", "<=", ">", ">=", "==", "!=", "&&", "||"};
constexpr const char* builtin_functions[] = {"neg", "!"};     // only members of `intrinsics`
}

void Context::bind_builtin(const char* op) {
  Name name = intern(op);
  terms.bind(name, TermEntry{builtin(name), {}, nullptr, nullptr});
}

void Context::bind_builtins() { for (const char* op : builtin_operators) bind_builtin(op); }

void Context::open_intrinsics() {
  bind_builtins();
  for (const char* f : builtin_functions) bind_builtin(f);
  Name module = intern("intrinsics");
  auto own = program.prelude->module->terms.find(module);
  if (own == program.prelude->module->terms.end()) return;
  for (auto& [name, member] : own->second.module->terms) {
    Name path[] = {module, name};
    terms.bind(name, TermEntry{program.prelude, program.arena.copy(std::span<const Name>(path)), member.scheme, member.module});
  }
  for (auto& [name, member] : own->second.module->types) type_names.bind(name, member);
}

// An operator, a member of the prelude's module `intrinsics`, or one of the prelude.
std::optional<Context::Found> Context::lookup_intrinsic(ast::Path& path) {
  diags.report(path.span, err::direct_intrinsic);
  auto is_member = [&](const char* op) { return path.names.size() == 2 && text(path.names[1]) == op; };
  if (std::ranges::any_of(builtin_operators, is_member) || std::ranges::any_of(builtin_functions, is_member)) {
    path.root = builtin(path.names[1]);
    return Found{{path.root, {}, nullptr, nullptr}, 2};
  }
  auto member = [&](const ModuleInfo* m, std::vector<Name> at) -> std::optional<Found> {
    auto it = m->terms.find(path.names[1]);
    if (it == m->terms.end() || !it->second.scheme) return {};
    at.push_back(path.names[1]);
    path.root = program.prelude;
    path.members = program.arena.copy(at);
    return Found{{path.root, path.members, it->second.scheme, nullptr}, 2};
  };
  if (path.names.size() > 1 && program.prelude->module) {
    const ModuleInfo& prelude = *program.prelude->module;
    if (auto own = prelude.terms.find(path.names[0]); own != prelude.terms.end() && own->second.module)
      if (auto found = member(own->second.module, {path.names[0]})) return found;
    if (auto found = member(&prelude, {})) return found;
  }
  diags.report(path.span, err::unknown_name, shown(path));
  return {};
}

Binding* Context::builtin(Name op) {
  Binding*& b = builtins_[op.index];
  if (!b) b = program.bind(op, {}, Binding::Kind::Builtin);
  return b;
}

void Context::unapplied(Span at, std::string_view functor) {
  diags.report(at, err::unapplied_functor, functor).help("give it all modules that it takes: `module applied = " + std::string(functor) + " ..`");
}

const TypeMember* Context::lookup_type(ast::Path& path) {
  Name last = path.names.back();
  const ModuleInfo* m = nullptr;
  auto unknown = [&]() -> const TypeMember* {
    if (m ? m->unknown : any_name()) {
      unknown_uses++;
      return nullptr;
    }
    Similar similar(text(last));
    if (!suggests()) {}
    else if (m) for (auto& [n, member] : m->types) similar.offer(text(n));
    else if (path.names.size() == 1) type_names.each([&](Name n, const TypeMember&) { similar.offer(text(n)); });
    std::string prefix = shown(path);
    if (!reported_.insert("type " + prefix).second) {
      unknown_uses++;
      return nullptr;
    }
    std::string in = path.names.size() == 1 ? modules_with(last, true) : "";
    const TermEntry* term = terms.find(last);
    bool itself = last == own_type && path.names.size() == 1;
    std::string help = !in.empty() ? fmt::format("it is a member of modules: {}", in)
        : term && term->module && path.names.size() == 1 ? fmt::format("`{0}` is a module: name a type in it, as `{0}.t`", prefix)
        : itself ? "no type contains itself: keep the parts in an array, and let indices refer to them"
        : m ? similar.help(std::string_view(prefix).substr(0, prefix.size() - text(last).size())) : meant(similar, text(last));
    Span later = path.names.size() == 1 ? defined_later(last, path.span, true) : Span{};
    if (later.valid()) diags.report(path.span, err::unknown_type, prefix).label(later, "defined here").help("a definition can use only what stands before it");
    else if (help.empty() && prefix.size() == 1)
      diags.report(path.span, err::unknown_type, prefix)
          .help(fmt::format("a type parameter is declared with `'`: `def f '{0} (x: {0}) = ..` or `type t '{0} = ..`", prefix));
    else diags.report(path.span, err::unknown_type, prefix).help(help);
    return nullptr;
  };
  if (path.names.size() == 1) {
    const TypeMember* t = type_names.find(last);
    return t ? t : unknown();
  }
  const TermEntry* first = terms.find(path.names[0]);
  if (!first || !first->module) return unknown();
  if (first->root) first->root->used = true;
  m = first->module;
  for (size_t i = 1; i + 1 < path.names.size(); i++) {
    if (m->is_functor()) { unapplied(path.span, text(path.names[i - 1])); return nullptr; }
    auto it = m->terms.find(path.names[i]);
    if (it == m->terms.end() || !it->second.module) return unknown();
    m = it->second.module;
  }
  if (m->is_functor()) { unapplied(path.span, text(path.names[path.names.size() - 2])); return nullptr; }
  auto it = m->types.find(last);
  return it == m->types.end() ? unknown() : &it->second;
}

const ModTypeInfo* Context::lookup_mod_type(ast::Path& path) {
  Name last = path.names.back();
  const ModuleInfo* m = nullptr;
  auto unknown = [&]() -> const ModTypeInfo* {
    if (m ? m->unknown : any_name()) {
      unknown_uses++;
      return nullptr;
    }
    Similar similar(text(last));
    if (path.names.size() == 1 && suggests()) mod_types.each([&](Name n, const ModTypeInfo*) { similar.offer(text(n)); });
    diags.report(path.span, err::unknown_mod_type, shown(path)).help(similar.help());
    return nullptr;
  };
  if (path.names.size() == 1) {
    const ModTypeInfo* const* t = mod_types.find(last);
    return t ? *t : unknown();
  }
  const TermEntry* first = terms.find(path.names[0]);
  if (!first || !first->module) return unknown();
  m = first->module;
  for (size_t i = 1; i + 1 < path.names.size(); i++) {
    auto it = m->terms.find(path.names[i]);
    if (it == m->terms.end() || !it->second.module) return unknown();
    m = it->second.module;
  }
  auto it = m->mod_types.find(last);
  return it == m->mod_types.end() ? unknown() : it->second;
}

}  // namespace raido::check
