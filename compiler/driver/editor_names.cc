// editor_names.cc - all uses of a name, and new names.
//
// A name is renamed only if the programs mean the same afterwards: what was a use of it is one, and nothing else is.
#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "compiler/base/files.h"
#include "compiler/driver/editor.h"
#include "compiler/syntax/lexer.h"

namespace raido {

namespace fs = std::filesystem;

void Editor::uses_in(const check::Checked& unit, std::vector<Use>& out) const {
  for (const ast::File* file : unit.program.files) {
    if (file->packed) continue;
    each_name(unit, *file, [&](const NameUse& use) {
      if (!use.definition.valid()) return;
      const Span &at = use.at, &d = use.definition;
      out.push_back({{unit.sources[at.file].name, at.begin, at.end}, {unit.sources[d.file].name, d.begin, d.end}, use.kind, use.defines,
                     use.stands_for_field, std::string(unit.sources.text(at))});
    });
  }
}

// The programs that may use a name of another file: those that are open, and those in the folders that contain it.
std::vector<std::string> Editor::programs_with(const std::string& name) const {
  std::set<std::string> found;
  for (auto& [path, document] : documents_)
    if (document.text.find(name) != std::string::npos) found.insert(path);
  constexpr size_t most_files = 5000;
  size_t seen = 0;
  for (const std::string& folder : folders_) {
    std::error_code error;
    for (fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error), end; it != end && !error; it.increment(error)) {
      if (it->path().filename().string().starts_with(".")) it.disable_recursion_pending();
      if (it->path().extension() != ".fut" || documents_.contains(it->path().string())) continue;
      if (++seen > most_files) break;
      FileContents file = read_source(it->path().string());
      bool may = file.text && file.text->find("import") != std::string::npos && file.text->find(name) != std::string::npos;
      if (may) found.insert(it->path().lexically_normal().string());
    }
  }
  return {found.begin(), found.end()};
}

std::vector<Editor::Use> Editor::uses(const std::string& path, const std::string& name, bool everywhere) const {
  std::vector<Use> out;
  uses_in(*checked(path), out);
  if (everywhere)
    for (const std::string& other : programs_with(name)) {
      if (other != path) uses_in(*checked(other), out);
    }
  std::sort(out.begin(), out.end(), [](const Use& a, const Use& b) { return std::tie(a.at, a.symbol, b.defines) < std::tie(b.at, b.symbol, a.defines); });
  out.erase(std::unique(out.begin(), out.end(), [](const Use& a, const Use& b) { return a.at == b.at && a.symbol == b.symbol; }), out.end());
  return out;
}

namespace {

std::optional<std::tuple<std::string, uint32_t, uint32_t>> symbol_of(const check::Checked& unit, const std::optional<NameUse>& use) {
  if (!use || !use->definition.valid()) return {};
  return std::tuple(unit.sources[use->definition.file].name, use->definition.begin, use->definition.end);
}

}  // namespace

Json Editor::references(const Json& params) const {
  std::string path = path_of(text_at(params, "textDocument.uri"));
  Unit unit = checked(path);
  auto use = name_at(*unit, uint32_t(byte_of(text_of(path), member(params, "position"))));
  auto symbol = symbol_of(*unit, use);
  Json out = Json::array();
  if (!symbol) return out;
  const Json& declaration = member(params, "context.includeDeclaration");
  bool also_definition = !declaration.is_boolean() || declaration.get<bool>();
  std::map<std::string, FileId> files;
  Sources sources;
  for (const Use& u : uses(path, std::string(unit->sources.text(use->at)), true)) {
    if (u.symbol != *symbol || (u.defines && !also_definition)) continue;
    if (!files.contains(u.at.path)) {
      files[u.at.path] = sources.add(u.at.path, text_of(u.at.path));
    }
    out.push_back(location(sources, {files[u.at.path], u.at.begin, u.at.end}));
  }
  return out;
}

Json Editor::highlights(const Json& params) const {
  std::string path = path_of(text_at(params, "textDocument.uri"));
  Unit unit = checked(path);
  auto use = name_at(*unit, uint32_t(byte_of(text_of(path), member(params, "position"))));
  Json out = Json::array();
  if (!use || !use->definition.valid()) return out;
  auto symbol = symbol_of(*unit, use);
  std::map<Place, bool> places;                          // where it is written; does it begin there?
  std::vector<Use> all;
  uses_in(*unit, all);
  for (const Use& u : all) if (u.symbol == *symbol && u.at.path == path) places[u.at] |= u.defines;
  for (auto& [at, defines] : places) out.push_back({{"range", range(unit->sources, {unit->program.root->id, at.begin, at.end})}, {"kind", defines ? 3 : 2}});
  return out;
}

// --- new names ---

Json Editor::may_rename(const Json& params, std::string& refused) const {
  std::string path = path_of(text_at(params, "textDocument.uri"));
  Unit unit = checked(path);
  auto use = name_at(*unit, uint32_t(byte_of(text_of(path), member(params, "position"))));
  if (!use) return refused = "There is no name here.", nullptr;
  std::string name(unit->sources.text(use->at));
  if (use->kind == NameUse::Kind::Field) return refused = fmt::format("`{}` is a field: it belongs to every type that has it.", name), nullptr;
  if (!unit->parsed) return refused = "The program has syntax errors.", nullptr;
  if (!use->definition.valid()) return refused = fmt::format("`{}` is built in.", name), nullptr;
  for (const ast::File* file : unit->program.files)
    if (file->id == use->definition.file && file->packed) return refused = fmt::format("`{}` belongs to the prelude.", name), nullptr;
  return {{"range", range(unit->sources, use->at)}, {"placeholder", name}};
}

Json Editor::rename(const Json& params, std::string& refused) const {
  if (may_rename(params, refused); !refused.empty()) return nullptr;
  std::string path = path_of(text_at(params, "textDocument.uri")), name = text_at(params, "newName");
  Unit unit = checked(path);
  auto use = name_at(*unit, uint32_t(byte_of(text_of(path), member(params, "position"))));
  std::string old(unit->sources.text(use->at));

  // The new name is one token, of the same kind as the old one.
  auto kind_of = [](const std::string& text) {
    check::Checked alone;
    ast::Tokens tokens = ast::lex(alone.program, alone.sources, alone.sources.add("", text), alone.diags);
    return alone.ok() && tokens.items.size() == 2 && tokens.comments.empty() && tokens.items[0].span.end == text.size() ? tokens.items[0].kind : ast::Tok::Eof;
  };
  if (kind_of(name) == ast::Tok::Eof || kind_of(name) != kind_of(old)) return refused = fmt::format("`{}` cannot take the place of `{}`.", name, old), nullptr;

  // What is written in one place for two things (`loop x for ..` for `loop x = x for ..`) gets one name.
  std::vector<Use> before = uses(path, old, true);
  std::set<Symbol> symbols{*symbol_of(*unit, use)};
  for (size_t had = 0; had != symbols.size();) {
    had = symbols.size();
    std::set<Place> places;
    for (const Use& u : before) if (symbols.contains(u.symbol)) places.insert(u.at);
    for (const Use& u : before) if (places.contains(u.at)) symbols.insert(u.symbol);
  }
  std::map<std::string, std::map<uint32_t, std::pair<uint32_t, std::string>>> edits;     // by file and place: to where, and what
  for (const Use& u : before)
    if (symbols.contains(u.symbol)) edits[u.at.path][u.at.begin] = {u.at.end, u.stands_for_field ? u.text + " = " + name : name};

  // The programs afterwards.
  Documents changed = documents_;
  Json out = Json::object();
  std::map<std::string, std::vector<std::tuple<uint32_t, uint32_t, int64_t>>> moved;     // by how much what follows
  for (auto& [file, changes] : edits) {
    std::string text = text_of(file), now;
    Sources sources;
    FileId id = sources.add(file, text);
    uint32_t last = 0;
    for (auto& [begin, to] : changes) {
      out[uri_of(file)].push_back({{"range", range(sources, {id, begin, to.first})}, {"newText", to.second}});
      now += text.substr(last, begin - last) + to.second;
      last = to.first;
      moved[file].emplace_back(begin, to.first, int64_t(now.size()) - int64_t(to.first));
    }
    changed[file].text = now + text.substr(last);
  }
  // A use is where its name ends, so that the `x` of `{x}` is the `y` of `{x = y}`.
  auto end_after = [&](const std::string& file, uint32_t at) {
    int64_t shift = 0;
    for (auto& [begin, end, by] : moved[file]) if (end <= at) shift = by;
    return std::pair(file, uint32_t(at + shift));
  };
  std::set<std::pair<std::string, uint32_t>> definitions, were, are;
  for (auto& [file, begin, end] : symbols) definitions.insert(end_after(file, end));
  for (const Use& u : before) if (symbols.contains(u.symbol)) were.insert(end_after(u.at.path, u.at.end));
  Editor then(changed, folders_, prelude_);
  for (const Use& u : then.uses(path, name, true))
    if (definitions.contains({std::get<0>(u.symbol), std::get<2>(u.symbol)})) are.emplace(u.at.path, u.at.end);
  if (were != are || then.checked(path)->diags.error_count() > unit->diags.error_count())
    return refused = fmt::format("With the name `{}` the program would mean something else, or nothing: the name is taken.", name), nullptr;
  return {{"changes", out}};
}

}  // namespace raido
