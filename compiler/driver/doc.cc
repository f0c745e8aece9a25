// doc.cc - `raido doc`: HTML pages of all programs below a folder, from their declarations and documentation comments.
//
// Each file has a page, those that are imported also, and the prelude. An item is a declaration that others see, as it is written, with
// its type added where none is written. Names in signatures, and in comments with `@term`, `@type` or `@mtype` after them, are looked up
// from the item outwards. Then come what the file imports and the prelude. The search is a script over a list of all items.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>

#include "compiler/base/files.h"
#include "compiler/base/text.h"
#include "compiler/driver/commands.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/markdown.h"
#include "compiler/driver/output.h"
#include "compiler/driver/plot.h"

namespace raido {
namespace {

namespace fs = std::filesystem;

struct Item {
  std::string kind, name;          // kind: term, type, mtype; empty: `open` and `include`, which have no name
  std::string signature, doc;
  std::vector<Item> members;
  std::string page;                // of a module that is a file: the page of this
};
struct Page {
  std::string name, doc;
  std::vector<Item> items;
  std::vector<std::string> opened; // pages whose names are visible here
  bool own = false, prelude = false;
};

// --- from programs to items ---

class Reader {
 public:
  Reader(check::Checked& checked, const std::function<std::string(const ast::File&)>& page_of) : c_(checked), page_of_(page_of) {}

  Page page(const ast::File& file) {
    Page p{page_of_(file), std::string(file.doc), {}, {}, !file.packed, file.builtin};
    decls(file.decls, p.items, &p);
    if (p.doc.empty() && !file.decls.empty() && stands_apart(file)) {
      p.doc = file.decls[0].doc;
      if (!file.decls[0].local) p.items[0].doc.clear();
    }
    return p;
  }

 private:
  check::Checked& c_;
  const std::function<std::string(const ast::File&)>& page_of_;

  std::string name(Name n) const { return std::string(c_.program.names.text(n)); }
  std::string text(Span s) const { return std::string(c_.sources.text(s)); }
  Span between(uint32_t begin, Span end) const { return {end.file, begin, end.begin}; }

  // The comment of the first declaration is about the file: an empty line follows it.
  bool stands_apart(const ast::File& file) const {
    for (const ast::Comment& c : file.comments)
      if (c.doc) {
        std::string_view after = std::string_view(c_.sources[file.id].text).substr(c.span.end);
        size_t next = after.find_first_not_of(" \t\r\n");
        return !file.decls[0].doc.empty() && std::count(after.begin(), after.begin() + long(std::min(next, after.size())), '\n') > 1;
      }
    return false;
  }
  // The text up to its first `=` outside of brackets.
  static std::string head(std::string text, size_t from) {
    int depth = 0;
    for (size_t i = from; i < text.size(); i++) {
      if (text.compare(i, 2, "--") == 0) i = std::min(text.find('\n', i), text.size() - 1);
      char c = text[i];
      depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
      if (c == '=' && depth == 0) return trimmed(text.substr(0, i));
    }
    return trimmed(text);
  }
  static std::string trimmed(std::string text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
    return text;
  }
  static bool ascribed(const ast::Pat& p) {
    if (auto a = std::get_if<ast::PAttr>(&p.node)) return ascribed(*a->pat);
    if (auto t = std::get_if<ast::PTuple>(&p.node)) return std::all_of(t->parts.begin(), t->parts.end(), [](const ast::Pat* q) { return ascribed(*q); });
    return std::holds_alternative<ast::PAscribe>(p.node);
  }

  std::string signature(const ast::Def& d) {
    std::string written = head(text(between(d.span.begin, d.body->span)), d.name_span.end - d.span.begin);
    bool complete = d.result && std::all_of(d.params.begin(), d.params.end(), [](const ast::Pat* p) { return ascribed(*p); });
    if (complete || !d.scheme) return written;
    std::string params;
    for (const ast::TypeParam& p : d.tparams) params += " " + text(p.span);
    return fmt::format("{}{}: {}", text(Span{d.span.file, d.span.begin, d.name_span.end}), params,
                       check::show(c_.result, c_.program, c_.sources, d.scheme->type));
  }

  void decls(std::span<const ast::Decl> all, std::vector<Item>& out, Page* page) {
    for (const ast::Decl& d : all) {
      if (auto open = std::get_if<ast::Open*>(&d.node)) {
        if (auto import = std::get_if<ast::MImport>(&(*open)->exp->node); import && page) page->opened.push_back(page_of_(*import->file));
        if (d.local) continue;
        Item item{"", "", text((*open)->span), std::string(d.doc), {}, page_named(*(*open)->exp)};
        members(*(*open)->exp, item.members);
        out.push_back(std::move(item));
        continue;
      }
      if (d.local) continue;
      Item item{"", "", "", std::string(d.doc), {}, ""};
      match(d.node,
            [&](const ast::Def* def) { item.kind = "term", item.name = name(def->self->name), item.signature = signature(*def); },
            [&](const ast::TypeDef* t) { item.kind = "type", item.name = name(t->name), item.signature = text(t->span); },
            [&](const ast::ModTypeDef* m) {
              item.kind = "mtype", item.name = name(m->name);
              specs(*m->type, item.members);
              item.signature = std::holds_alternative<ast::SSpecs>(m->type->node) ? head(text(m->span), m->name_span.end - m->span.begin) : text(m->span);
            },
            [&](const ast::ModDef* m) {
              item.kind = "term", item.name = name(m->self->name), item.page = page_named(*m->exp);
              members(*m->exp, item.members);
              const ast::ModExp* body = braces(*m->exp);
              item.signature = body ? before(text(between(m->span.begin, body->span))) : text(m->span);
            },
            [](const ast::Open*) {});
      out.push_back(std::move(item));
    }
  }

  std::string page_named(const ast::ModExp& e) const {
    auto import = std::get_if<ast::MImport>(&e.node);
    return import ? page_of_(*import->file) : "";
  }
  // The declarations in braces in which it ends; they are shown as items.
  static const ast::ModExp* braces(const ast::ModExp& e) {
    if (auto l = std::get_if<ast::MLambda>(&e.node)) return braces(*l->body);
    if (auto a = std::get_if<ast::MAscribe>(&e.node)) return braces(*a->exp);
    return std::holds_alternative<ast::MBody>(e.node) ? &e : nullptr;
  }
  // The text without the `=` or `->` at its end.
  static std::string before(std::string text) {
    while (!text.empty() && (std::isspace(static_cast<unsigned char>(text.back())) || text.back() == '=' || text.ends_with("->"))) text.resize(text.size() - (text.back() == '>' ? 2 : 1));
    return text;
  }
  // The declarations of a module; of one with a module type, what that shows.
  void members(const ast::ModExp& e, std::vector<Item>& out) {
    if (auto b = std::get_if<ast::MBody>(&e.node)) decls(b->decls, out, nullptr);
    else if (auto l = std::get_if<ast::MLambda>(&e.node)) members(*l->body, out);
    else if (auto a = std::get_if<ast::MAscribe>(&e.node)) specs(*a->type, out);
  }
  void specs(const ast::ModType& t, std::vector<Item>& out) {
    if (auto with = std::get_if<ast::SWith>(&t.node)) return specs(*with->base, out);
    auto all = std::get_if<ast::SSpecs>(&t.node);
    if (!all) return;
    for (const ast::Spec& s : all->specs) {
      Item item{"", "", text(s.span), std::string(s.doc), {}, ""};
      while (item.signature.starts_with("--") || item.signature.starts_with("#[")) {      // what the specification begins with
        size_t end = std::min(item.signature.find(item.signature[0] == '#' ? ']' : '\n'), item.signature.size() - 1);
        item.signature.erase(0, std::min(item.signature.find_first_not_of(" \n", end + 1), item.signature.size()));
      }
      match(s.node,
            [&](const ast::SpecVal& v) { item.kind = "term", item.name = name(v.name); },
            [&](const ast::SpecType& v) { item.kind = "type", item.name = name(v.name); },
            [&](const ast::SpecModule& v) {
              item.kind = "term", item.name = name(v.name);
              specs(*v.type, item.members);
              if (!item.members.empty()) item.signature = "module " + item.name;
            },
            [&](const ast::SpecInclude& v) { specs(*v.type, item.members); });
      out.push_back(std::move(item));
    }
  }
};

// --- from items to pages ---

constexpr std::string_view style = R"(body { font-family: sans-serif; line-height: 1.45; max-width: 60em; margin: 0 auto; padding: 0 1em 4em; color: #222; background: #fff; }
a { color: #0057a8; text-decoration: none; } a:hover { text-decoration: underline; }
nav { display: flex; gap: 1em; align-items: center; padding: 1em 0; border-bottom: 1px solid #ccc; } nav input { flex: 1; font: inherit; padding: 0.3em; }
#results { list-style: none; padding: 0; } #results small { color: #666; }
code, pre, .signature { font-family: monospace; } pre, .signature { background: #f4f4f2; padding: 0.4em 0.6em; overflow-x: auto; white-space: pre-wrap; }
.signature { display: block; margin-top: 1em; border-left: 3px solid #0057a8; } .name { font-weight: bold; } .keyword { color: #8b1a6b; }
:target { background: #fff6cc; } .item { margin-left: 0; } .item .item { margin-left: 2em; } table { border-collapse: collapse; } td, th { border: 1px solid #ccc; padding: 0.2em 0.5em; }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #16181b; } a { color: #7ab8ff; } pre, .signature { background: #22262b; } .keyword { color: #e293c8; } :target { background: #4a4318; } }
)";

constexpr std::string_view search_script = R"(const input = document.getElementById("search"), list = document.getElementById("results");
const root = document.documentElement.dataset.root;
input.addEventListener("input", () => {
  const words = input.value.toLowerCase().split(/\s+/).filter(w => w);
  const rank = e => { const n = e[0].toLowerCase(), m = n.split(".").pop(); return m === words[0] ? 0 : m.startsWith(words[0]) ? 1 : n.includes(words[0]) ? 2 : 3; };
  const found = words.length ? items.filter(e => words.every(w => e.slice(0, 3).some(t => t.toLowerCase().includes(w)))) : [];
  found.sort((a, b) => rank(a) - rank(b) || a[0].length - b[0].length);
  list.replaceChildren(...found.slice(0, 50).map(e => {
    const li = document.createElement("li"), a = document.createElement("a"), s = document.createElement("small");
    a.href = root + e[3];
    a.textContent = e[0];
    s.textContent = " " + e[2] + ", " + e[1];
    li.append(a, s);
    return li;
  }));
});
)";

const std::set<std::string_view> keywords = {"def", "let", "entry", "type", "module", "val", "open", "import", "include", "with", "local"};

std::string escape_url(std::string_view text) {
  std::string out;
  for (char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) || std::string_view("-_.~/:'").find(c) != std::string_view::npos) out += c;
    else out += fmt::format("%{:02X}", uint8_t(c));
  return out;
}

class Writer {
 public:
  explicit Writer(std::map<std::string, Page> pages) : pages_(std::move(pages)) {
    for (const auto& [name, page] : pages_) index(name, "", page.items);
  }

  std::map<std::string, std::string> files() {
    std::map<std::string, std::string> out = {{"style.css", std::string(style)}, {"search.js", std::string(search_script)}};
    for (const auto& [name, page] : pages_) out[file_of(name)] = page_html(page);
    out["index.html"] = contents_html();
    out["doc-index.html"] = names_html();
    std::string list = "const items = [\n";
    for (const Entry& e : entries_) list += fmt::format("[{}, {}, {}, {}],\n", quote(e.name), quote(e.page), quote(e.what), quote(file_of(e.page) + "#" + escape_url(e.anchor)));
    out["items.js"] = list + "];\n";
    return out;
  }
  // Links in comments that lead nowhere: page and text.
  const std::set<std::pair<std::string, std::string>>& lost() const { return lost_; }

 private:
  struct Entry { std::string name, page, what, anchor; };
  std::map<std::string, Page> pages_;
  std::vector<Entry> entries_;
  std::map<std::string, std::string> anchors_;                     // PAGE KIND:NAME to the page of a file that it is, or nothing
  std::set<std::pair<std::string, std::string>> lost_;

  static std::string file_of(const std::string& page) { return "doc/" + page + ".html"; }
  static std::string key(const std::string& page, const std::string& kind, const std::string& name) { return page + " " + kind + ":" + name; }

  void index(const std::string& page, const std::string& scope, const std::vector<Item>& items) {
    for (const Item& i : items) {
      if (i.kind.empty()) {                                        // its members are those of what is around it
        index(page, scope, i.members);
        continue;
      }
      std::string name = scope + i.name;
      if (!anchors_.emplace(key(page, i.kind, name), i.page).second) continue;
      std::string what = i.kind == "mtype" ? "module type" : i.kind == "type" ? "type" : i.signature.starts_with("module") ? "module" : "value";
      entries_.push_back({name, page, what, i.kind + ":" + name});
      index(page, name + ".", i.members);
    }
  }

  // Where a name leads that stands in a scope (`m.n.`) of a page: page and anchor.
  std::optional<std::pair<std::string, std::string>> find(const std::string& page, std::string scope, const std::string& kind, const std::string& name, int depth = 0) const {
    for (;;) {
      if (anchors_.contains(key(page, kind, scope + name))) return std::pair(page, kind + ":" + scope + name);
      for (size_t dot = name.find('.'); dot != name.npos && depth < 8; dot = name.find('.', dot + 1)) {     // a member of a file
        auto module = anchors_.find(key(page, "term", scope + name.substr(0, dot)));
        if (module != anchors_.end() && !module->second.empty())
          if (auto inner = find(module->second, "", kind, name.substr(dot + 1), depth + 1)) return inner;
      }
      if (scope.empty()) break;
      size_t dot = scope.rfind('.', scope.size() - 2);
      scope = dot == scope.npos ? "" : scope.substr(0, dot + 1);
    }
    if (depth == 0) {
      for (const std::string& other : pages_.at(page).opened)
        if (pages_.contains(other))
          if (auto found = find(other, "", kind, name, 1)) return found;
      for (const auto& [other, p] : pages_)
        if (p.prelude && anchors_.contains(key(other, kind, name))) return std::pair(other, kind + ":" + name);
    }
    return {};
  }

  static std::string root(const std::string& page) {
    std::string out = "../";
    for (char c : page) if (c == '/') out += "../";
    return out;
  }
  std::string href(const std::string& from, const std::pair<std::string, std::string>& to) const {
    return (to.first == from ? "" : root(from) + escape_url(file_of(to.first))) + "#" + escape_url(to.second);
  }

  std::string frame(const std::string& title, const std::string& up, const std::string& body) const {
    return fmt::format("<!DOCTYPE html>\n<html lang=\"en\" data-root=\"{1}\">\n<head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">"
                       "<title>{0}</title><link rel=\"stylesheet\" href=\"{1}style.css\"></head>\n<body>\n<nav><a href=\"{1}index.html\">Contents</a>"
                       "<a href=\"{1}doc-index.html\">Names</a><input id=\"search\" type=\"search\" placeholder=\"Search\" aria-label=\"Search\"></nav>\n"
                       "<ul id=\"results\"></ul>\n<main>\n<h1>{0}</h1>\n{2}</main>\n<script src=\"{1}items.js\"></script>\n<script src=\"{1}search.js\"></script>\n"
                       "</body>\n</html>\n", escape_html(title), up, body);
  }

  std::string markdown(const std::string& text, const std::string& page, const std::string& scope, const std::string& up_to_root = "") {
    auto span = [&](std::string_view code, std::string_view after, size_t& taken) {
      std::string shown = fmt::format("<code>{}</code>", escape_html(code)), kind;
      for (const char* k : {"term", "type", "mtype"}) {
        std::string_view rest = after;
        if (rest.starts_with("@") && rest.substr(1).starts_with(k) && (rest.size() == 1 + std::string_view(k).size() || !is_name_char(rest[1 + std::string_view(k).size()]))) kind = k;
      }
      if (kind.empty()) return shown;
      taken = 1 + kind.size();
      std::string where = page;
      if (after.substr(taken).starts_with("@\"")) {
        size_t end = after.find('"', taken + 2);
        if (end != after.npos) {
          where = fs::path(fs::path(page).parent_path() / std::string(after.substr(taken + 2, end - taken - 2))).lexically_normal();
          taken = end + 1;
        }
      }
      auto found = pages_.contains(where) ? find(where, where == page ? scope : "", kind, std::string(code)) : std::nullopt;
      if (!found) return lost_.emplace(page, code), shown;
      std::string target = up_to_root.empty() ? href(page, *found) : escape_url(file_of(found->first)) + "#" + escape_url(found->second);
      return fmt::format("<a href=\"{}\">{}</a>", escape_html(target), shown);
    };
    return markdown_html(text, 2, span);
  }

  std::string signature(const Item& item, const std::string& page, const std::string& scope) const {
    std::string out;
    std::string_view s = item.signature;
    bool named = false;
    for (size_t i = 0; i < s.size();) {
      if (!item.name.empty() && !named && s.substr(i).starts_with(item.name) && (i == 0 || !is_name_char(s[i - 1])) &&
          (i + item.name.size() >= s.size() || !is_name_char(item.name.back()) || !is_name_char(s[i + item.name.size()])) && i > 0) {
        out += fmt::format("<span class=\"name\">{}</span>", escape_html(item.name));
        i += item.name.size();
        named = true;
      } else if (std::isalpha(static_cast<unsigned char>(s[i])) || s[i] == '_') {
        size_t end = i;
        while (end < s.size() && (is_name_char(s[end]) || (s[end] == '.' && end + 1 < s.size() && std::isalpha(static_cast<unsigned char>(s[end + 1]))))) end++;
        std::string word(s.substr(i, end - i));
        size_t next = std::min(s.find_first_not_of(" \n", end), s.size());
        bool parameter = (i > 0 && (s[i - 1] == '\'' || s[i - 1] == '#')) || (next < s.size() && s[next] == ':');
        auto found = find(page, scope, "type", word);
        if (!found) found = find(page, scope, "mtype", word);
        if (!found && item.signature.starts_with("module")) found = find(page, scope, "term", word);
        if (keywords.contains(word)) out += fmt::format("<span class=\"keyword\">{}</span>", word);
        else if (found && !parameter) out += fmt::format("<a href=\"{}\">{}</a>", escape_html(href(page, *found)), escape_html(word));
        else out += escape_html(word);
        i = end;
      } else if (s[i] == '"' && pages_.contains(item.page)) {
        size_t end = std::min(s.find('"', i + 1), s.size() - 1) + 1;
        out += fmt::format("<a href=\"{}\">{}</a>", root(page) + escape_url(file_of(item.page)), escape_html(s.substr(i, end - i)));
        i = end;
      } else out += escape_html(s.substr(i++, 1));
    }
    return out;
  }

  std::string items_html(const std::vector<Item>& items, const std::string& page, const std::string& scope, std::set<std::string>& made) {
    std::string out;
    for (const Item& i : items) {
      std::string inner = i.kind.empty() ? scope : scope + i.name + ".", anchor = i.kind + ":" + scope + i.name, id;
      if (!i.kind.empty() && made.insert(anchor).second) id = fmt::format(" id=\"{}\"", escape_html(anchor));
      out += fmt::format("<div class=\"item\"{}>\n<span class=\"signature\">{}</span>\n{}{}</div>\n", id, signature(i, page, i.members.empty() ? scope : inner),
                         markdown(i.doc, page, inner), items_html(i.members, page, inner, made));
    }
    return out;
  }
  std::string page_html(const Page& p) {
    std::set<std::string> made;
    return frame(p.name, root(p.name), markdown(p.doc, p.name, "") + items_html(p.items, p.name, "", made));
  }
  std::string contents_html() {
    std::string out;
    for (bool own : {true, false}) {
      std::string list;
      for (const auto& [name, page] : pages_)
        if (page.own == own) {
          std::string first = page.doc.substr(0, page.doc.find("\n\n"));
          list += fmt::format("<dt><a href=\"{}\">{}</a></dt>\n<dd>{}</dd>\n", escape_url(file_of(name)), escape_html(name), markdown(first, name, "", "."));
        }
      if (!list.empty()) out += fmt::format("{}<dl>\n{}</dl>\n", own ? "" : "<h2>What they use</h2>\n", list);
    }
    return frame("Contents", "", out);
  }
  std::string names_html() const {
    std::vector<const Entry*> sorted;
    for (const Entry& e : entries_) sorted.push_back(&e);
    auto last = [](const Entry* e) { size_t dot = e->name.rfind('.'); return dot == e->name.npos || dot + 1 == e->name.size() ? e->name : e->name.substr(dot + 1); };
    std::sort(sorted.begin(), sorted.end(), [&](const Entry* a, const Entry* b) { return std::tuple(last(a), a->name, a->page) < std::tuple(last(b), b->name, b->page); });
    std::string out = "<table>\n<tr><th>Name</th><th>What</th><th>File</th></tr>\n";
    for (const Entry* e : sorted)
      out += fmt::format("<tr><td><a href=\"{}#{}\">{}</a></td><td>{}</td><td><a href=\"{}\">{}</a></td></tr>\n", escape_url(file_of(e->page)), escape_html(escape_url(e->anchor)),
                         escape_html(e->name), e->what, escape_url(file_of(e->page)), escape_html(e->page));
    return frame("Names", "", out + "</table>\n");
  }
};

}  // namespace

int command_doc(const Options& options) {
  if (options.folder.empty()) {
    fmt::print(stderr, "{}: say with `-o DIR` where to write.\n", options.program);
    return 1;
  }
  std::error_code error;
  fs::path base = fs::weakly_canonical(options.words[0], error);
  std::vector<std::string> sources;
  if (fs::is_regular_file(base, error)) {
    sources.push_back(options.words[0]);
    base = base.parent_path();
  }
  auto end = fs::recursive_directory_iterator();
  for (auto it = fs::recursive_directory_iterator(options.words[0], error); !error && it != end; it.increment(error))
    if (it->path().extension() == ".fut" && it->is_regular_file()) sources.push_back(it->path().string());
  std::sort(sources.begin(), sources.end());
  if (sources.empty()) {
    fmt::print(stderr, "{}: there are no programs here.\n", options.words[0]);
    return 2;
  }
  // A file of ours is named by its place below the folder, another by its path.
  std::function<std::string(const ast::File&)> page_of = [&](const ast::File& f) {
    fs::path path(f.path);
    if (f.packed) path = path.relative_path();
    else path = fs::weakly_canonical(path, error).lexically_relative(base);
    std::string name = path.replace_extension().generic_string();
    while (name.starts_with("../")) name = "up/" + name.substr(3);
    return name;
  };
  std::map<std::string, Page> pages;
  for (const std::string& source : sources) {
    if (options.verbose) fmt::print(stderr, "{}\n", source);
    check::Options how = check_options(options);
    how.warnings = false;
    how.whole_prelude = true;
    auto checked = check::check_file(source, how);
    if (!checked->ok()) return print_reports(*checked, options), 2;      // warnings are for whoever writes the program
    for (const ast::File* f : checked->program.files) {
      if (pages.contains(page_of(*f)) || f->path == "/prelude/intrinsics.fut") continue;
      Page page = Reader(*checked, page_of).page(*f);
      if (split(page.doc, '\n')[0] != "ignore") pages[page.name] = std::move(page);
    }
  }
  for (auto& [name, page] : pages) page.own = page.own && !name.starts_with("up/");
  Writer writer(std::move(pages));
  for (const auto& [name, content] : writer.files()) {
    fs::path target = fs::path(options.folder) / name;
    fs::create_directories(target.parent_path(), error);
    if (!write_or_say(target.string(), content)) return 2;
  }
  for (const auto& [page, text] : writer.lost()) fmt::print(stderr, "{}: the link `{}` leads nowhere.\n", page, text);
  return 0;
}

}  // namespace raido
