// editor.h - what an editor asks about programs, answered in the terms of the Language Server Protocol.
//
// An answer depends on nothing but the open texts and the files on disk. So each may be computed in a process of its own.
#pragma once
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "compiler/check/load.h"
#include "compiler/driver/names.h"

namespace raido {

using Json = nlohmann::ordered_json;

// --- JSON from elsewhere, which may have any form ---

const Json& member(const Json& object, std::string_view path);       // of objects in objects: `a.b.c`; null if there is none
std::string text_at(const Json& object, std::string_view path);      // empty if there is none
int64_t number_at(const Json& object, std::string_view path);        // 0 if there is none

// `file:///a%20b` is `/a b`; another kind of address stands for itself.
std::string path_of(const std::string& uri);
std::string uri_of(const std::string& path);

// The byte of a text at a position of the protocol: lines and UTF-16 units from 0. Beyond the end of a line or of the text: that end.
size_t byte_of(std::string_view text, const Json& position);
// A text after a change of the protocol: a part of it, or all.
void change(std::string& text, const Json& change);

struct Document {
  std::string text;
  std::string parsed;               // the last text without syntax errors
  std::vector<std::string> files;   // what that was made of
};
using Documents = std::map<std::string, Document>;       // by path

// Calls f for every expression of the root file.
void each_expression_of(const check::Checked& unit, const std::function<void(const ast::Expr&)>& f);

class Editor {
 public:
  // `folders` are looked through for programs that use a name; a prelude file that is to be seen is written to `prelude`.
  Editor(const Documents& documents, std::vector<std::string> folders, std::string prelude)
      : documents_(documents), folders_(std::move(folders)), prelude_(std::move(prelude)) {}

  // {"parsed": bool, "files": [path], "diagnostics": {path: [..]}}
  Json diagnostics(const std::string& path) const;

  Json hover(const Json& params) const;
  Json definition(const Json& params) const;
  Json references(const Json& params) const;
  Json highlights(const Json& params) const;
  Json completion(const Json& params) const;
  Json symbols(const Json& params) const;
  Json formatting(const Json& params) const;
  Json actions(const Json& params) const;
  Json hints(const Json& params) const;
  // These may be refused: then `refused` says why.
  Json may_rename(const Json& params, std::string& refused) const;
  Json rename(const Json& params, std::string& refused) const;

 private:
  using Unit = std::unique_ptr<check::Checked>;
  // A thing that has a name, the same in every program: where its definition lies.
  using Symbol = std::tuple<std::string, uint32_t, uint32_t>;
  struct Place { std::string path; uint32_t begin, end; auto operator<=>(const Place&) const = default; };
  struct Use { Place at; Symbol symbol; NameUse::Kind kind; bool defines, stands_for_field; std::string text; };

  std::string text_of(const std::string& path) const;
  Unit checked(const std::string& path, const std::string& text, bool whole_prelude = false) const;
  Unit checked(const std::string& path) const { return checked(path, text_of(path)); }
  std::optional<NameUse> name_at(const check::Checked& unit, uint32_t at) const;
  const ast::Expr* expression_at(const check::Checked& unit, uint32_t at) const;
  std::optional<NameUse> binding_of(const check::Checked& unit, Span definition) const;

  Json range(const Sources& sources, Span span) const;
  Json location(const Sources& sources, Span span) const;
  Json report(const check::Checked& unit, const Report& r) const;
  std::string uri(const SourceFile& file) const;
  std::string shown(const check::Checked& unit, ast::TypeRef type) const;

  std::vector<Use> uses(const std::string& path, const std::string& name, bool everywhere) const;
  void uses_in(const check::Checked& unit, std::vector<Use>& out) const;
  std::vector<std::string> programs_with(const std::string& name) const;

  const Documents& documents_;
  std::vector<std::string> folders_;
  std::string prelude_;
};

}  // namespace raido
