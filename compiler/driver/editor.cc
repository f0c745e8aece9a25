// editor.cc - places and texts of the protocol; what is known about a place; symbols and layout.
#include "compiler/driver/editor.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "compiler/base/files.h"
#include "compiler/base/text.h"
#include "compiler/check/context.h"
#include "compiler/driver/fmt.h"
#include "compiler/syntax/children.h"

namespace raido {

namespace {

// The byte length of the character that begins here, and its length in UTF-16.
std::pair<size_t, int64_t> character(std::string_view text, size_t at) {
  auto byte = static_cast<unsigned char>(text[at]);
  size_t length = byte < 0x80 ? 1 : byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
  return {std::min(length, text.size() - at), length == 4 ? 2 : 1};
}

Json position(const SourceFile& file, uint32_t at) {
  auto after = std::upper_bound(file.line_starts.begin(), file.line_starts.end(), at);
  auto line = size_t(after - file.line_starts.begin()) - 1;
  size_t i = file.line_starts[line];
  if (file.ascii) return {{"line", line}, {"character", at - i}};
  int64_t units = 0;
  while (i < at) {
    auto [bytes, more] = character(file.text, i);
    i += bytes, units += more;
  }
  return {{"line", line}, {"character", units}};
}

}  // namespace

// --- JSON ---

const Json& member(const Json& object, std::string_view path) {
  static const Json none;
  const Json* at = &object;
  while (!path.empty()) {
    std::string_view key = path.substr(0, path.find('.'));
    path.remove_prefix(std::min(path.size(), key.size() + 1));
    auto it = at->is_object() ? at->find(key) : at->end();
    if (!at->is_object() || it == at->end()) return none;
    at = &*it;
  }
  return *at;
}

std::string text_at(const Json& object, std::string_view path) {
  const Json& value = member(object, path);
  return value.is_string() ? value.get<std::string>() : "";
}

int64_t number_at(const Json& object, std::string_view path) {
  const Json& value = member(object, path);
  return value.is_number_integer() ? value.get<int64_t>() : 0;
}

std::string path_of(const std::string& uri) {
  if (!uri.starts_with("file://")) return uri;
  std::string path;
  auto digit = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1; };
  for (size_t i = uri.find('/', 7); i < uri.size(); i++) {
    bool escape = uri[i] == '%' && i + 2 < uri.size() && digit(uri[i + 1]) >= 0 && digit(uri[i + 2]) >= 0;
    path += escape ? char(digit(uri[i + 1]) * 16 + digit(uri[i + 2])) : uri[i];
    if (escape) i += 2;
  }
  return std::filesystem::path(path).lexically_normal().string();
}

std::string uri_of(const std::string& path) {
  if (!path.starts_with("/")) return path;
  std::string uri = "file://";
  for (char c : path) {
    auto byte = static_cast<unsigned char>(c);
    bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || std::string_view("/-._~").find(c) != std::string_view::npos;
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return uri;
}

size_t byte_of(std::string_view text, const Json& position) {
  int64_t line = number_at(position, "line"), units = number_at(position, "character");
  size_t at = 0;
  for (; line > 0; line--) {
    size_t end = text.find('\n', at);
    if (end == text.npos) return text.size();
    at = end + 1;
  }
  while (units > 0 && at < text.size() && text[at] != '\n' && text.substr(at, 2) != "\r\n") {
    auto [bytes, more] = character(text, at);
    if (more > units) break;                     // the middle of a pair
    at += bytes, units -= more;
  }
  return at;
}

void change(std::string& text, const Json& change) {
  const Json& part = member(change, "range");
  if (!part.is_object()) {
    text = text_at(change, "text");
    return;
  }
  size_t from = byte_of(text, member(part, "start")), to = byte_of(text, member(part, "end"));
  text.replace(from, std::max(from, to) - from, text_at(change, "text"));
}

// --- programs ---

// What the editor holds, or else the file.
std::string Editor::text_of(const std::string& path) const {
  auto it = documents_.find(path);
  return it == documents_.end() ? read_source(path).text.value_or("") : it->second.text;
}

Editor::Unit Editor::checked(const std::string& path, const std::string& text, bool whole_prelude) const {
  check::Options how;
  how.whole_prelude = whole_prelude;
  how.unsaved = [this](const std::string& name) {
    auto it = documents_.find(name);
    return it == documents_.end() ? std::nullopt : std::optional(it->second.text);
  };
  return check::check_text(path, text, how);
}

// The innermost one; the cursor may stand just after it.
std::optional<NameUse> Editor::name_at(const check::Checked& unit, uint32_t at) const {
  std::optional<NameUse> best;
  auto rank = [&](const NameUse& u) { return std::pair(u.at.end == at, u.at.end - u.at.begin); };
  if (!unit.program.root) return best;
  each_name(unit, *unit.program.root, [&](const NameUse& use) {
    bool covers = use.at.file == unit.program.root->id && use.at.begin <= at && at <= use.at.end;
    if (covers && (!best || rank(use) < rank(*best) || (rank(use) == rank(*best) && !best->definition.valid()))) best = use;
  });
  return best;
}

namespace {

void each_body(std::span<const ast::Decl> decls, const std::function<void(const ast::Decl&, const ast::Def&)>& f) {
  std::function<void(const ast::ModExp&)> module = [&](const ast::ModExp& e) {
    match(e.node,
          [&](const ast::MBody& b) { each_body(b.decls, f); },
          [&](const ast::MLambda& l) { module(*l.body); },
          [&](const ast::MApply& a) { module(*a.fun), module(*a.arg); },
          [&](const ast::MAscribe& a) { module(*a.exp); },
          [](const auto&) {});        // names and imports have no bodies here
  };
  for (const ast::Decl& d : decls) {
    if (auto* def = std::get_if<ast::Def*>(&d.node)) f(d, **def);
    else if (auto* m = std::get_if<ast::ModDef*>(&d.node)) module(*(*m)->exp);
    else if (auto* o = std::get_if<ast::Open*>(&d.node)) module(*(*o)->exp);
  }
}

// The text of the declaration whose name is here, or else the name.
std::string declaration_of(const check::Checked& unit, Span name) {
  Span all = name;
  std::function<void(std::span<const ast::Decl>)> look = [&](std::span<const ast::Decl> decls) {
    for (const ast::Decl& d : decls) {
      if (name.file != d.span.file || name.begin < d.span.begin || name.end > d.span.end) continue;
      all = d.span;
      if (auto* m = std::get_if<ast::ModDef*>(&d.node))
        if (auto* b = std::get_if<ast::MBody>(&(*m)->exp->node)) look(b->decls);
    }
  };
  for (const ast::File* file : unit.program.files) look(file->decls);
  return std::string(unit.sources.text(all));
}

bool same(Span a, Span b) { return a.valid() && a.file == b.file && a.begin == b.begin && a.end == b.end; }

}  // namespace

void each_expression_of(const check::Checked& unit, const std::function<void(const ast::Expr&)>& f) {
  if (!unit.program.root) return;
  each_body(unit.program.root->decls, [&](const ast::Decl&, const ast::Def& def) {
    ast::each_expression<const ast::Expr>(def.body, [&](const ast::Expr* e) { return f(*e), true; });
  });
}

const ast::Expr* Editor::expression_at(const check::Checked& unit, uint32_t at) const {
  const ast::Expr* best = nullptr;
  each_expression_of(unit, [&](const ast::Expr& e) {
    bool covers = e.span.file == unit.program.root->id && e.span.begin <= at && at < e.span.end && e.type.valid();
    if (covers && (!best || e.span.end - e.span.begin < best->span.end - best->span.begin)) best = &e;
  });
  return best;
}

// Where the name of a definition is bound.
std::optional<NameUse> Editor::binding_of(const check::Checked& unit, Span definition) const {
  std::optional<NameUse> found;
  for (const ast::File* file : unit.program.files)
    if (definition.valid() && file->id == definition.file)
      each_name(unit, *file, [&](const NameUse& use) {
        if (use.defines && same(use.definition, definition)) found = use;
      });
  return found;
}

std::string Editor::shown(const check::Checked& unit, ast::TypeRef type) const {
  // Showing may name things; the unit is ours alone.
  auto& own = const_cast<check::Checked&>(unit);
  return check::show(own.result, own.program, own.sources, type);
}

// --- places ---

// A file of the prelude is not on disk: it is written where it can be looked at.
std::string Editor::uri(const SourceFile& file) const {
  if (!file.name.starts_with("/prelude/") || documents_.contains(file.name)) return uri_of(file.name);
  std::filesystem::path path = prelude_ + file.name.substr(8);
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  if (!std::filesystem::exists(path, error)) write_file(path, file.text);
  return uri_of(path.string());
}
Json Editor::range(const Sources& sources, Span span) const {
  const SourceFile& file = sources[span.file];
  return {{"start", position(file, span.begin)}, {"end", position(file, span.end)}};
}
Json Editor::location(const Sources& sources, Span span) const {
  return {{"uri", uri(sources[span.file])}, {"range", range(sources, span)}};
}

// --- messages ---

Json Editor::report(const check::Checked& unit, const Report& r) const {
  Span at = r.span.valid() ? r.span : Span{unit.program.root ? unit.program.root->id : FileId{0}, 0, 0};
  std::string text = r.text;
  for (const std::string& note : r.notes) text += "\nnote: " + note;
  if (!r.help.empty()) text += "\nhelp: " + r.help;
  Json out = {{"range", range(unit.sources, at)}, {"severity", r.severity == Severity::Error ? 1 : 2}, {"code", r.code}, {"source", "raido"}, {"message", text}};
  if (r.code == err::unused_name.code) out["tags"] = {1};
  for (const Label& l : r.labels)
    if (l.span.valid()) out["relatedInformation"].push_back({{"location", location(unit.sources, l.span)}, {"message", l.text.empty() ? "see here" : l.text}});
  return out;
}

Json Editor::diagnostics(const std::string& path) const {
  Unit unit = checked(path);
  Json messages = Json::object(), files = Json::array();
  messages[path] = Json::array();
  for (const ast::File* f : unit->program.files)
    if (!f->packed) files.push_back(unit->sources[f->id].name);
  for (const Report& r : unit->diags.sorted()) {
    std::string file = r.span.valid() ? unit->sources[r.span.file].name : path;
    messages[file].push_back(report(*unit, r));
  }
  return {{"parsed", unit->parsed}, {"files", files}, {"diagnostics", messages}};
}

// --- one place ---

Json Editor::hover(const Json& params) const {
  std::string path = path_of(text_at(params, "textDocument.uri"));
  Unit unit = checked(path);
  auto at = uint32_t(byte_of(text_of(path), member(params, "position")));
  auto use = name_at(*unit, at);
  std::string text, doc;
  Span place;
  if (use && (use->definition.valid() || use->type.valid() || use->module)) {
    place = use->at;
    std::string name(unit->sources.text(use->at));
    if (use->module) text = "module " + name + (use->module->is_functor() ? "" : ": ") + [&] {
      std::string all = check::show(unit->result, unit->program, unit->sources, *use->module);
      return use->module->is_functor() ? ": " + all : all;
    }();
    else if (use->kind == NameUse::Kind::Value || use->kind == NameUse::Kind::Field) text = name + (use->type.valid() ? ": " + shown(*unit, use->type) : "");
    else text = declaration_of(*unit, use->definition);
    constexpr size_t most = 2000;
    if (text.size() > most) text = text.substr(0, text.rfind('\n', most)) + "\n...";
    for (const ast::File* file : unit->program.files)
      if (use->definition.valid() && file->id == use->definition.file)
        each_body(file->decls, [&](const ast::Decl& d, const ast::Def& def) { if (same(def.span, use->definition)) doc = d.doc; });
  } else if (const ast::Expr* e = expression_at(*unit, at)) {
    place = e->span;
    text = shown(*unit, e->type);
  } else {
    return nullptr;
  }
  std::string shown = "```futhark\n" + text + "\n```";
  while (doc.ends_with("\n")) doc.pop_back();
  if (!doc.empty()) shown += "\n---\n" + doc;
  return {{"contents", {{"kind", "markdown"}, {"value", shown}}}, {"range", range(unit->sources, place)}};
}

Json Editor::definition(const Json& params) const {
  std::string path = path_of(text_at(params, "textDocument.uri"));
  Unit unit = checked(path);
  auto at = uint32_t(byte_of(text_of(path), member(params, "position")));
  auto use = name_at(*unit, at);
  if (use && use->definition.valid()) {
    auto binding = binding_of(*unit, use->definition);
    return location(unit->sources, binding ? binding->at : use->definition);
  }
  // The file of an import.
  Json found = nullptr;
  std::function<void(const ast::ModExp&)> module = [&](const ast::ModExp& e) {
    if (auto* i = std::get_if<ast::MImport>(&e.node); i && i->file && i->path_span.begin <= at && at <= i->path_span.end)
      found = location(unit->sources, {i->file->id, 0, 0});
    if (auto* a = std::get_if<ast::MAscribe>(&e.node)) module(*a->exp);
    if (auto* a = std::get_if<ast::MApply>(&e.node)) module(*a->fun), module(*a->arg);
  };
  if (unit->program.root)
    for (const ast::Decl& d : unit->program.root->decls) {
      if (auto* o = std::get_if<ast::Open*>(&d.node)) module(*(*o)->exp);
      if (auto* m = std::get_if<ast::ModDef*>(&d.node)) module(*(*m)->exp);
    }
  return found;
}

// --- whole files ---

namespace {

enum SymbolKind { Module = 2, Interface = 11, Function = 12, Constant = 14, Struct = 23 };

Json list_symbols(const check::Checked& unit, std::span<const ast::Decl> decls, const std::function<Json(Span)>& range) {
  Json out = Json::array();
  auto add = [&](SymbolKind kind, Name name, Span at, Span all, Json inside = Json::array()) {
    std::string text(unit.program.names.text(name));
    if (!all.valid() || !at.valid() || text.empty()) return;
    out.push_back({{"name", text}, {"kind", int(kind)}, {"range", range(all)}, {"selectionRange", range(at)}});
    if (!inside.empty()) out.back()["children"] = inside;
  };
  std::function<Json(const ast::ModExp&)> inside = [&](const ast::ModExp& e) {
    Json found = Json::array();
    if (auto* b = std::get_if<ast::MBody>(&e.node)) found = list_symbols(unit, b->decls, range);
    if (auto* l = std::get_if<ast::MLambda>(&e.node)) found = inside(*l->body);
    if (auto* a = std::get_if<ast::MAscribe>(&e.node)) found = inside(*a->exp);
    return found;
  };
  for (const ast::Decl& d : decls)
    match(d.node,
          [&](const ast::Def* def) { add(def->params.empty() ? Constant : Function, def->self->name, def->name_span, def->span); },
          [&](const ast::TypeDef* t) { add(Struct, t->name, t->name_span, t->span); },
          [&](const ast::ModTypeDef* m) { add(Interface, m->name, m->name_span, m->span); },
          [&](const ast::ModDef* m) { add(Module, m->self->name, m->self->span, m->span, inside(*m->exp)); },
          [](const ast::Open*) {});
  return out;
}

}  // namespace

Json Editor::symbols(const Json& params) const {
  std::string path = path_of(text_at(params, "textDocument.uri"));
  Unit unit = checked(path);
  if (!unit->program.root) return Json::array();
  return list_symbols(*unit, unit->program.root->decls, [&](Span s) { return range(unit->sources, s); });
}

Json Editor::formatting(const Json& params) const {
  std::string path = path_of(text_at(params, "textDocument.uri")), text = text_of(path);
  check::Checked unit;
  auto out = in_layout(unit, path, text);
  if (!out) return nullptr;
  if (*out == text) return Json::array();
  // One change, from the first line that differs to the last.
  size_t begin = 0, end = 0, least = std::min(text.size(), out->size());
  while (begin < least && text[begin] == (*out)[begin]) begin++;
  begin = begin == 0 ? 0 : text.rfind('\n', begin - 1) + 1;
  while (end < least - begin && text[text.size() - 1 - end] == (*out)[out->size() - 1 - end]) end++;
  while (end > 0 && text[text.size() - 1 - end] != '\n') end--;
  FileId all = unit.sources.add(path, text);
  Json where = range(unit.sources, {all, uint32_t(begin), uint32_t(text.size() - end)});
  return Json::array({{{"range", where}, {"newText", out->substr(begin, out->size() - end - begin)}}});
}

// The types of names that do not say theirs.
Json Editor::hints(const Json& params) const {
  std::string path = path_of(text_at(params, "textDocument.uri"));
  Unit unit = checked(path);
  Json out = Json::array();
  if (!unit->ok()) return out;
  size_t from = byte_of(text_of(path), member(params, "range.start")), to = byte_of(text_of(path), member(params, "range.end"));
  std::set<std::pair<uint32_t, uint32_t>> said;
  each_expression_of(*unit, [&](const ast::Expr& e) {
    auto* let = std::get_if<ast::Let>(&e.node);
    auto* var = let ? std::get_if<ast::PVar>(&let->pat->node) : nullptr;
    const Span at = let ? let->pat->span : Span{};
    if (!var || !let->pat->type.valid() || at.end < from || at.end > to || !said.insert({at.begin, at.end}).second) return;
    out.push_back({{"position", position(unit->sources[at.file], at.end)}, {"label", ": " + shown(*unit, let->pat->type)}, {"kind", 1}});
  });
  return out;
}

}  // namespace raido
