// Follows imports depth first, so that each file comes after those it needs; a file met again while it is still open is a cycle.
//
// A program is checked with as much of the prelude as it needs. Where that fails it is checked again with all of it, because messages
// suggest names.
#include "compiler/check/load.h"

#include <map>

#include "compiler/base/files.h"
#include "compiler/base/panic.h"
#include "compiler/base/text.h"
#include "compiler/check/needed.h"
#include "compiler/syntax/parser.h"

namespace raido::check {
namespace {

// Resolves `.` and `..` in the text, without looking at the file system.
std::string normalise(const std::string& path) {
  std::vector<std::string> out;
  bool absolute = path.starts_with("/");
  for (const std::string& part : split(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (part == ".." && !out.empty() && out.back() != "..") out.pop_back();
    else if (part == ".." && absolute) continue;
    else out.push_back(part);
  }
  return (absolute ? "/" : "") + join(out, "/");
}

class Loader {
 public:
  Loader(ast::Program& program, Sources& sources, Diagnostics& diags, const Options& options)
      : program_(program), sources_(sources), diags_(diags), options_(options) {}

  bool prelude() {
    program_.prelude = program_.bind({}, {}, ast::Binding::Kind::Open);
    program_.prelude_file = builtin("prelude");
    return true;
  }

  ast::File* root(const std::string& path) {
    if (!path.ends_with(".fut")) {
      diags_.report({}, err::wrong_extension, path);
      return nullptr;
    }
    FileContents contents = read_source(path);
    if (!contents.text) {
      diags_.report({}, err::file_not_found, path);
      return nullptr;
    }
    return parsed(path, normalise(path), *contents.text, false);
  }
  ast::File* text(const std::string& name, const std::string& contents) { return parsed(name, name, contents, false); }
  // With all declarations of `before` in scope.
  ast::File* unit(const Unit& u, std::string_view value, ast::File* before) {
    FileId id = sources_.add(u.name, u.text);
    ast::File* file = u.is_expression ? ast::parse_expression(program_, sources_, id, diags_, value) : ast::parse(program_, sources_, id, diags_);
    decls(file->decls, u.folder, false);
    show_all(*file);
    if (before) {
      ast::Decl d{};
      d.node = open(before, {id, 0, 0});
      std::vector<ast::Decl> all{d};
      all.insert(all.end(), file->decls.begin(), file->decls.end());
      file->decls = program_.arena.copy(all);
    }
    program_.files.push_back(file);
    return file;
  }
  // Lets units see all that a file does: its imports and local declarations, too.
  static void show_all(ast::File& file) { for (ast::Decl& d : file.decls) d.local = false; }
  // Does a file reach into the prelude without naming what it takes in scope?
  bool reaches_around() {
    return names_prelude_ || program_.mentioned[size_t(ast::Lookup::Scope)].contains(program_.names.intern("intrinsics"));
  }

 private:
  ast::Open* open(ast::File* file, Span at) {
    ast::Open* o = program_.arena.make<ast::Open>();
    o->span = at;
    o->exp = program_.arena.make<ast::ModExp>(at, ast::MImport{file->path, at, file}, std::span<ast::Abstract>{});
    o->self = program_.bind({}, at, ast::Binding::Kind::Open);
    return o;
  }

  ast::File* parsed(const std::string& shown, const std::string& key, std::string contents, bool is_builtin) {
    FileId id = sources_.add(shown, std::move(contents), is_builtin);
    ast::File* file = ast::parse(program_, sources_, id, diags_);
    file->builtin = file->packed = is_builtin;
    open_.push_back(key);
    std::string folder = key.find('/') == std::string::npos ? "" : key.substr(0, key.rfind('/') + 1);
    decls(file->decls, folder, is_builtin);
    open_.pop_back();
    loaded_[key] = file;
    program_.files.push_back(file);
    return file;
  }

  ast::File* builtin(const std::string& name) {
    std::string key = "/prelude/" + name;
    if (auto it = loaded_.find(key); it != loaded_.end()) return it->second;
    return parsed(key + ".fut", key, std::string(embedded_file("prelude/" + name + ".fut")), true);
  }

  ast::File* import(const ast::MImport& import, const std::string& folder, bool in_prelude, bool declaration) {
    std::string path(import.path);
    if (in_prelude) return builtin(path);
    std::string key = normalise(path.starts_with("/") ? path + ".fut" : folder + path + ".fut");
    bool library = key.starts_with("/prelude/lib/");       // came with the compiler, but is written as any other file
    if (path.starts_with("/prelude/") && !library) {
      names_prelude_ = true;
      if (declaration) diags_.report(import.path_span, err::import_of_prelude, path);
      else if (auto it = loaded_.find(path); it != loaded_.end()) return it->second;
      else diags_.report(import.path_span, err::import_not_found, path + ".fut");
      return nullptr;
    }
    if (auto it = loaded_.find(key); it != loaded_.end()) return it->second;
    for (size_t i = 0; i < open_.size(); i++)
      if (open_[i] == key) {
        std::vector<std::string> cycle(open_.begin() + i, open_.end());
        cycle.push_back(key);
        for (std::string& file : cycle) file = file.substr(0, file.rfind(".fut"));        // as imports name it
        diags_.report(import.path_span, err::import_cycle, join(cycle, " -> "));
        return nullptr;
      }
    std::optional<std::string> text = library ? packed(key) : read(key);
    if (!text) {
      diags_.report(import.path_span, err::import_not_found, key).help(path.ends_with(".fut") ? "leave `.fut` out: an import adds it" : "");
      return nullptr;
    }
    ast::File* file = parsed(key, key, *text, false);
    file->packed = library;
    return file;
  }
  std::optional<std::string> read(const std::string& path) const {
    auto held = options_.unsaved ? options_.unsaved(path) : std::nullopt;
    return held ? held : read_source(path).text;
  }
  static std::optional<std::string> packed(const std::string& key) {
    auto found = find_embedded_file(key.substr(1));
    return found ? std::optional<std::string>(*found) : std::nullopt;
  }

  void decls(std::span<ast::Decl> decls, const std::string& folder, bool in_prelude) {
    for (ast::Decl& d : decls) {
      if (auto* open = std::get_if<ast::Open*>(&d.node)) module((*open)->exp, folder, in_prelude, d.local);
      if (auto* def = std::get_if<ast::ModDef*>(&d.node)) module((*def)->exp, folder, in_prelude, false);
    }
  }
  void module(ast::ModExp* e, const std::string& folder, bool in_prelude, bool declaration) {
    match(e->node,
        [&](ast::MName&) {},
        [&](ast::MBody& b) { decls(b.decls, folder, in_prelude); },
        [&](ast::MLambda& l) { module(l.body, folder, in_prelude, false); },
        [&](ast::MApply& a) { module(a.fun, folder, in_prelude, false); module(a.arg, folder, in_prelude, false); },
        [&](ast::MImport& i) { i.file = import(i, folder, in_prelude, declaration); },
        [&](ast::MAscribe& a) { module(a.exp, folder, in_prelude, false); });
  }

  ast::Program& program_;
  Sources& sources_;
  Diagnostics& diags_;
  const Options& options_;
  std::map<std::string, ast::File*> loaded_;
  std::vector<std::string> open_;
  bool names_prelude_ = false;           // some file imports a file of the prelude
};

// `load` answers the root file, null after an error.
template <class F> std::unique_ptr<Checked> checked(const Options& options, F&& load) {
  for (bool whole = options.whole_prelude;; whole = true) {
    auto out = std::make_unique<Checked>();
    Loader loader(out->program, out->sources, out->diags, options);
    loader.prelude();
    out->program.root = load(loader);
    if (!out->program.root || out->diags.has_errors()) return out;
    out->whole_prelude = whole = whole || loader.reaches_around();
    if (!whole) drop_unneeded(out->program);
    out->parsed = true;
    out->result = check(out->program, out->sources, out->diags, options);
    if (whole || !out->diags.has_errors()) return out;
  }
}

}  // namespace

bool load(ast::Program& program, Sources& sources, const std::string& path, Diagnostics& diags) {
  Options plain;
  Loader loader(program, sources, diags, plain);
  loader.prelude();
  program.root = loader.root(path);
  return program.root != nullptr;
}

std::unique_ptr<Checked> check_file(const std::string& path, const Options& options) {
  return checked(options, [&](Loader& loader) { return loader.root(path); });
}

std::unique_ptr<Checked> load_file(const std::string& path) {
  auto out = std::make_unique<Checked>();
  load(out->program, out->sources, path, out->diags);
  return out;
}

std::unique_ptr<Checked> check_units(const std::string& base, const std::vector<Unit>& units, const Options& options) {
  return checked(options, [&](Loader& loader) -> ast::File* {
    ast::File* last = base.empty() ? nullptr : loader.root(base);
    if (!base.empty() && !last) return nullptr;
    if (last) Loader::show_all(*last);
    for (const Unit& u : units) last = loader.unit(u, options.value, last);
    return last;
  });
}

std::unique_ptr<Checked> check_text(const std::string& name, const std::string& text, const Options& options) {
  return checked(options, [&](Loader& loader) { return loader.text(name, text); });
}

}  // namespace raido::check
