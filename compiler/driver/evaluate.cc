// evaluate.cc - every expression is the last unit of a program of its own: the file, the declarations so far, the expression.
//
// The language has no effects, so evaluating a declaration again where it is used changes nothing.
#include "compiler/driver/evaluate.h"

#include "compiler/driver/show.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <set>

#include <fmt/format.h>

#include "compiler/base/panic.h"
#include "compiler/check/context.h"
#include "compiler/ir/interpret.h"

namespace raido {
namespace {

constexpr const char* value_name = " value";       // no program can have this name

}  // namespace

// Warnings are for the file, once; errors are always shown.
std::unique_ptr<check::Checked> Session::check(std::vector<check::Unit> units, bool warnings, std::string& messages, bool whole_prelude) const {
  check::Options how;
  how.warnings = warnings;
  how.earlier_names = earlier_names_;
  how.whole_prelude = whole_prelude;
  if (!units.empty() && units.back().is_expression) how.value = value_name;
  auto checked = check::check_units(file_, units, how);
  bool first = true;
  for (const Report& r : checked->diags.sorted()) {
    if (r.severity == Severity::Warning) {
      if (!warnings || file_was_shown_ || !r.span.valid()) continue;
      const std::string& where = checked->sources[r.span.file].name;
      if (std::any_of(units.begin(), units.end(), [&](const check::Unit& u) { return u.name == where; })) continue;
    }
    messages += (first ? "" : "\n") + render(checked->sources, r);
    first = false;
  }
  return checked;
}

void Session::moves_to(const std::string& folder) {
  auto from_there = [&](const std::string& path) {
    std::error_code error;
    std::filesystem::path there = std::filesystem::relative(path, folder, error);
    return error ? path : there.string();
  };
  if (!file_.empty()) file_ = from_there(file_);
  for (check::Unit& u : declared_) u.folder = from_there(u.folder.empty() ? "." : u.folder) + "/";
}

// A dotted start completes to members of the module.
std::vector<std::string> Session::names(const std::string& start) const {
  std::string ignored;
  std::vector<check::Unit> units = declared_;
  units.push_back({"", "0", true, ""});
  auto checked = check(units, false, ignored, true);
  std::set<std::string> found;
  auto text = [&](Name n) { return std::string(checked->program.names.text(n)); };
  std::function<void(const check::ModuleInfo&, const std::string&)> members = [&](const check::ModuleInfo& m, const std::string& path) {
    for (auto& [name, member] : m.terms) {
      std::string whole = path + text(name);
      if (member.module && !member.module->is_functor() && start.starts_with(whole + ".")) members(*member.module, whole + ".");
      else if (whole.starts_with(start) && whole != value_name) found.insert(member.module ? whole + "." : whole);
    }
  };
  if (const check::ModuleInfo* prelude = checked->program.prelude->module) members(*prelude, "");
  for (const ast::File* f : checked->program.files) if (!f->packed && f->module) members(*f->module, "");
  return {found.begin(), found.end()};
}

bool Session::check_file(bool warnings, std::string& messages) {
  if (file_.empty()) return true;
  bool ok = check({}, warnings, messages)->ok();
  file_was_shown_ = true;
  return ok;
}

bool Session::declare(const std::string& name, const std::string& text, bool warnings, std::string& messages) {
  std::vector<check::Unit> units = declared_;
  units.push_back({name, text, false, ""});
  if (!check(units, warnings, messages)->ok()) return false;
  declared_ = std::move(units);
  file_was_shown_ = true;
  return true;
}

const ast::Def* Session::value(const check::Checked& checked) const {
  for (const ast::Decl& d : checked.program.root->decls)
    if (auto* def = std::get_if<ast::Def*>(&d.node)) return *def;
  PANIC("an expression has no definition");
}

std::optional<std::string> Session::type_of(const std::string& name, const std::string& text, std::string& messages) {
  std::vector<check::Unit> units = declared_;
  units.push_back({name, text, true, ""});
  auto checked = check(units, false, messages);
  if (!checked->ok()) return {};
  return check::show(checked->result, checked->program, checked->sources, value(*checked)->scheme->type);
}

std::optional<std::string> Session::module_type(const std::string& name, const std::string& text, std::string& messages) {
  std::vector<check::Unit> units = declared_;
  units.push_back({name, "module it = " + text, false, ""});
  auto checked = check(units, false, messages, true);
  if (!checked->ok()) return {};
  for (const ast::Decl& d : checked->program.root->decls)
    if (auto* def = std::get_if<ast::ModDef*>(&d.node)) return check::show(checked->result, checked->program, checked->sources, *(*def)->self->module);
  PANIC("a module has no definition");
}

std::optional<Evaluated> Session::evaluate(const std::string& name, const std::string& text, bool warnings, std::string& messages) {
  std::vector<check::Unit> units = declared_;
  units.push_back({name, text, true, ""});
  auto checked = check(units, warnings, messages);
  file_was_shown_ = true;
  if (!checked->ok()) return {};
  const check::Scheme& scheme = *value(*checked)->scheme;
  if (checked->result.types.as<check::FunType>(scheme.type)) {
    Evaluated e;
    e.layout.kind = lower::Layout::Kind::Function;
    return e;
  }
  if (!scheme.types.empty() || !scheme.sizes.empty()) {
    std::vector<std::string> open;
    for (ast::TypeId t : scheme.types) open.emplace_back(checked->program.names.text(checked->result.types[t].name));
    for (const ast::Binding* b : scheme.sizes) open.emplace_back(b->name.valid() ? checked->program.names.text(b->name) : "n");
    messages += fmt::format("Inferred type of expression: {}\nThe following types are ambiguous: {}\n",
                            check::show(checked->result, checked->program, checked->sources, scheme.type), fmt::join(open, ", "));
    return {};
  }
  PanicContext running("lower", fmt::format("raido eval '{}'", text));
  std::vector<lower::EntryLayout> layouts;
  checked->diags = {};
  std::vector<lower::Breakpoint> breakpoints;
  lower::Options how_to_lower;
  if (on_stop) how_to_lower.breakpoints = &breakpoints;
  ir::Program program = lower::lower(*checked, how_to_lower, &layouts);
  if (!checked->ok()) {
    for (const Report& r : checked->diags.sorted()) messages += render(checked->sources, r);
    return {};
  }
  ir::InterpretOptions how;
  how.trace = print_trace;
  how.stop_at_nan = on_stop && stop_at_nan;
  if (on_stop) how.stop = [&](const ir::Stop& at) {
    Stopped here{!at.breakpoint, at.backtrace, {}};
    auto next = at.values.begin();
    if (at.breakpoint)
      for (const lower::Breakpoint::Local& l : breakpoints.at(size_t(*at.breakpoint)).locals) {
        Evaluated value{l.layout, {}};
        for (size_t i = 0; i < l.layout.leaves; i++, ++next)
          if (*next) value.leaves.push_back(**next);
        if (value.leaves.size() == l.layout.leaves) here.locals.push_back({l.name, l.type, std::move(value)});
      }
    on_stop(here);
  };
  ir::Outcome outcome = ir::interpret(program, value_name, {}, how);
  if (outcome.failure) {
    messages += show(*outcome.failure) + "\n";
    return {};
  }
  size_t i = 0;
  while (i < program.entries.size() && program.entries[i].name != value_name) i++;
  return Evaluated{layouts.at(i).result, std::move(outcome.results)};
}

}  // namespace raido
