// info.cc - what is known about a program: check-syntax, imports, defs, query, hash, tokens.
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "compiler/base/files.h"
#include "compiler/base/text.h"
#include "compiler/driver/commands.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/fingerprint.h"
#include "compiler/driver/output.h"
#include "compiler/driver/query.h"
#include "compiler/syntax/lexer.h"

namespace raido {
namespace {

// Parsed with its imports; none after messages.
std::unique_ptr<check::Checked> parsed(const Options& options) {
  auto unit = check::load_file(options.words[0]);
  if (!print_reports(*unit, options)) return nullptr;
  return unit;
}

void list_definitions(const check::Checked& unit, std::span<const ast::Decl> decls);

void list_in_module(const check::Checked& unit, const ast::ModExp& e) {
  match(e.node,
        [&](const ast::MBody& b) { list_definitions(unit, b.decls); },
        [&](const ast::MLambda& l) { list_in_module(unit, *l.body); },
        [&](const ast::MApply& a) { list_in_module(unit, *a.fun), list_in_module(unit, *a.arg); },
        [&](const ast::MAscribe& a) { list_in_module(unit, *a.exp); },
        [](const auto&) {});   // names and imports define nothing here
}

void list_definitions(const check::Checked& unit, std::span<const ast::Decl> decls) {
  auto line = [&](std::string_view kind, Name name, Span at) {
    print("{} {} {}\n", kind, unit.program.names.text(name), unit.sources.place(at));
  };
  for (const ast::Decl& d : decls)
    match(d.node,
          [&](const ast::Def* def) { line("value", def->self->name, def->span); },
          [&](const ast::TypeDef* t) { line("type", t->name, t->span); },
          [&](const ast::ModTypeDef* m) { line("module type", m->name, m->span); },
          [&](const ast::ModDef* m) {
            line("module", m->self->name, m->span);
            list_in_module(unit, *m->exp);
          },
          [&](const ast::Open* o) { list_in_module(unit, *o->exp); });
}

std::optional<size_t> number(const std::string& word) {
  size_t n = 0;
  for (char c : word) {
    if (c < '0' || c > '9' || n > 1000000000) return {};
    n = n * 10 + size_t(c - '0');
  }
  if (word.empty()) return {};
  return n;
}

}  // namespace

int command_check_syntax(const Options& options) { return parsed(options) ? 0 : 2; }

int command_imports(const Options& options) {
  auto unit = parsed(options);
  if (!unit) return 2;
  for (const ast::File* f : unit->program.files)
    if (!f->packed) print("{}\n", std::filesystem::path(f->path).lexically_normal().string());
  return 0;
}

int command_defs(const Options& options) {
  auto unit = parsed(options);
  if (!unit) return 2;
  for (const ast::File* f : unit->program.files)
    if (!f->packed) list_definitions(*unit, f->decls);
  return 0;
}

int command_hash(const Options& options) {
  auto unit = parsed(options);
  if (!unit) return 2;
  Fingerprint hash;
  for (const ast::File* f : unit->program.files) {
    if (f->packed) continue;
    ast::Tokens tokens = ast::lex(unit->program, unit->sources, f->id, unit->diags);
    for (const ast::Token& t : tokens.items)
      if (t.kind != ast::Tok::Doc) hash.add(unit->sources.text(t.span));
  }
  print("{}\n", hash.digits());
  return 0;
}

int command_tokens(const Options& options) {
  const std::string& path = options.words[0];
  FileContents file = read_file(path);
  if (!file.text) {
    fmt::print(stderr, "{}: {}\n", path, file.error);
    return 2;
  }
  check::Checked unit;
  FileId id = unit.sources.add(path, *file.text);
  ast::Tokens tokens = ast::lex(unit.program, unit.sources, id, unit.diags);
  for (const ast::Token& t : tokens.items) {
    if (t.kind == ast::Tok::Eof) break;
    std::string_view text = unit.sources.text(t.span);
    print("{:<11} {}\n", unit.sources.range(t.span), text.find('\n') != text.npos ? quote(text) : std::string(text));
  }
  return print_reports(unit, options) ? 0 : 2;
}

int command_query(const Options& options) {
  auto line = number(options.words[1]), column = number(options.words[2]);
  if (!line || !column) {
    fmt::print(stderr, "raido: '{}' is not a positive integer.\n", line ? options.words[2] : options.words[1]);
    return 2;
  }
  check::Options how = check_options(options);
  how.warnings = false;
  auto checked = check::check_file(options.words[0], how);
  if (!checked->ok()) return print_reports(*checked, options), 2;      // warnings are no answer
  std::optional<QueryAnswer> answer = query(*checked, uint32_t(*line), uint32_t(*column));
  if (!answer) {
    print("No information available.\n");
    return 0;
  }
  print("Name: {}\nPosition: {}\n", answer->name, checked->sources.place(answer->position));
  if (answer->type.valid())
    print("Type: {}\n", check::show(checked->result, checked->program, checked->sources, answer->type));
  if (answer->definition.valid()) print("Definition: {}\n", checked->sources.place(answer->definition));
  return 0;
}

}  // namespace raido
