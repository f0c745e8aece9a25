// editor_complete.cc - what may be written at a place: the names in scope, the members of a module, the fields of a record.
//
// What is being written need not parse. The name under the cursor, with the dot before it, is taken out first. If that does not help,
// the last text that did parse stands for this one. Places are then those of its parts that have not changed.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "compiler/base/text.h"
#include "compiler/check/context.h"
#include "compiler/driver/editor.h"
#include "compiler/syntax/children.h"

namespace raido {

namespace {

enum ItemKind { FunctionItem = 3, FieldItem = 5, VariableItem = 6, ModuleItem = 9, KeywordItem = 14, TypeItem = 22 };

struct Known {
  ast::TypeRef type;
  const check::ModuleInfo* module = nullptr;
};
using Scope = std::map<std::string, Known>;

Known known(const check::TermMember& t) { return {t.scheme ? t.scheme->type : ast::TypeRef{}, t.module}; }

const check::RecordType* record_of(const check::Checked& unit, ast::TypeRef type) {
  if (!type.valid()) return nullptr;
  if (auto* unique = unit.result.types.as<check::UniqueType>(type)) type = unique->inner;
  return unit.result.types.as<check::RecordType>(type);
}

// Where the value begins that a dot follows: a name, `e[i]`, `(e)`, and fields of these.
size_t operand_before(std::string_view text, size_t dot) {
  size_t at = dot;
  for (;;) {
    if (at > 0 && (text[at - 1] == ')' || text[at - 1] == ']')) {
      bool indexed = text[at - 1] == ']';
      int depth = 0;
      do {
        at--;
        depth += text[at] == ')' || text[at] == ']' ? 1 : text[at] == '(' || text[at] == '[' ? -1 : 0;
      } while (at > 0 && depth > 0);
      if (indexed) continue;
      return at;
    }
    while (at > 0 && is_name_char(text[at - 1])) at--;
    if (at == 0 || text[at - 1] != '.') return at;
    at--;
  }
}

// The names that can be used at a place.
class Collector {
 public:
  Collector(const check::Checked& unit, uint32_t at) : unit_(unit), at_(at) {
    if (unit.program.prelude && unit.program.prelude->module) members(*unit.program.prelude->module);
    if (unit.program.root) decls(unit.program.root->decls);
  }
  Scope scope;
  std::set<std::string> types;

 private:
  std::string text(Name n) const { return std::string(unit_.program.names.text(n)); }
  void add(const ast::Binding* b, ast::TypeRef type) {
    if (b) scope[text(b->name)] = {type, b->module};
  }
  void members(const check::ModuleInfo& m) {
    for (auto& [name, t] : m.terms) scope[text(name)] = known(t);
    for (auto& [name, t] : m.types) types.insert(text(name));
  }

  void decls(std::span<const ast::Decl> all) {
    for (const ast::Decl& d : all) {
      if (d.span.begin > at_ && d.span.file == unit_.program.root->id) break;
      match(d.node,
            [&](const ast::Def* def) {
              add(def->self, def->scheme ? def->scheme->type : ast::TypeRef{});
              if (inside(d, all)) definition(*def);
            },
            [&](const ast::TypeDef* t) { types.insert(text(t->name)); },
            [](const ast::ModTypeDef*) {},                      // module types are no values
            [&](const ast::ModDef* m) {
              add(m->self, {});
              if (inside(d, all)) module(*m->exp);
            },
            [&](const ast::Open* o) {
              if (o->self && o->self->module) members(*o->self->module);
            });
    }
  }
  // The place belongs to the last declaration that begins before it.
  bool inside(const ast::Decl& d, std::span<const ast::Decl> all) const {
    return d.span.begin <= at_ && (&d == &all.back() || (&d)[1].span.begin > at_);
  }
  void module(const ast::ModExp& e) {
    if (auto* b = std::get_if<ast::MBody>(&e.node)) decls(b->decls);
    if (auto* a = std::get_if<ast::MAscribe>(&e.node)) module(*a->exp);
    if (auto* l = std::get_if<ast::MLambda>(&e.node)) {
      add(l->param->self, {});
      module(*l->body);
    }
  }
  void definition(const ast::Def& def) {
    for (const ast::TypeParam& p : def.tparams) {
      if (p.size) add(p.size, unit_.result.types.prim(ast::Prim::I64));
      else types.insert(text(p.name));
    }
    for (const ast::Pat* p : def.params) pattern(*p);
    expression(def.body);
  }
  void pattern(const ast::Pat& p) {
    match(p.node,
          [&](const ast::PVar& v) { add(v.var, p.type); },
          [&](const ast::PTuple& t) { for (ast::Pat* q : t.parts) pattern(*q); },
          [&](const ast::PRecord& r) { for (const ast::PField& f : r.fields) pattern(*f.pat); },
          [&](const ast::PConstr& c) { for (ast::Pat* q : c.args) pattern(*q); },
          [&](const ast::PAscribe& a) { pattern(*a.pat); },
          [&](const ast::PAttr& a) { pattern(*a.pat); },
          [](const auto&) {});       // wildcards and literals bind nothing
  }
  void expression(const ast::Expr* e) {
    while (e) {
      auto begun = [&](const ast::Expr* x) { return x && x->span.begin <= at_; };
      match(e->node,
            [&](const ast::Let& l) { if (begun(l.body) || at_ > l.value->span.end) pattern(*l.pat); },
            [&](const ast::LetFun& l) {
              if (begun(l.body) || at_ > l.def->span.end) add(l.def->self, l.def->scheme ? l.def->scheme->type : ast::TypeRef{});
              else for (const ast::Pat* p : l.def->params) pattern(*p);
            },
            [&](const ast::Lambda& l) { for (const ast::Pat* p : l.params) pattern(*p); },
            [&](const ast::Loop& l) {
              if (!begun(l.bound)) return;
              pattern(*l.state);
              if (l.index) pattern(*l.index);
            },
            [&](const ast::Match& m) {
              for (const ast::Case& c : m.cases)
                if (c.pat->span.begin <= at_ && (&c == &m.cases.back() || (&c)[1].pat->span.begin > at_)) pattern(*c.pat);
            },
            [&](const ast::LocalOpen& o) { if (o.self && o.self->module) members(*o.self->module); },
            [](const auto&) {});     // nothing else binds names
      const ast::Expr* last = nullptr;
      ast::each_child(*e, [&](const ast::Expr* child) { if (child->span.begin <= at_) last = child; });
      e = last;
    }
  }

  const check::Checked& unit_;
  uint32_t at_;
};

// Where `at` in the text is in the old text, if one stretch of it has changed.
uint32_t place_in(const std::string& old, const std::string& text, size_t at) {
  size_t head = 0, tail = 0, least = std::min(old.size(), text.size());
  while (head < least && old[head] == text[head]) head++;
  while (tail < least - head && old[old.size() - 1 - tail] == text[text.size() - 1 - tail]) tail++;
  return uint32_t(at <= head ? at : at >= text.size() - tail ? at + old.size() - text.size() : head);
}

// What `a.b.c` means: a member of modules, or a field of records.
Known meaning_of(const check::Checked& unit, const Collector& collected, const std::vector<std::string>& path) {
  Known now;
  if (auto it = path.empty() ? collected.scope.end() : collected.scope.find(path[0]); it != collected.scope.end()) now = it->second;
  for (size_t i = 1; i < path.size(); i++) {
    auto is_next = [&](Name n) { return unit.program.names.text(n) == path[i]; };
    Known next;
    if (now.module) {
      for (auto& [name, t] : now.module->terms) if (is_next(name)) next = known(t);
    } else if (auto* r = record_of(unit, now.type)) {
      for (auto& [name, t] : r->fields) if (is_next(name)) next = {t, nullptr};
    }
    now = next;
  }
  return now;
}

}  // namespace

Json Editor::completion(const Json& params) const {
  std::string path = path_of(text_at(params, "textDocument.uri"));
  const std::string text = text_of(path);
  size_t at = byte_of(text, member(params, "position")), begin = at;
  while (begin > 0 && is_name_char(text[begin - 1])) begin--;
  bool number = begin < at && std::isdigit(static_cast<unsigned char>(text[begin]));
  Json items = Json::array();
  if (number && (begin == 0 || text[begin - 1] != '.')) return items;
  bool member_of_something = begin > 0 && text[begin - 1] == '.' && (begin < 2 || text[begin - 2] != '.');
  // What stands before the dot; of plain names `a.b` the list.
  size_t dot = begin - member_of_something, operand = dot;
  if (member_of_something) operand = operand_before(text, dot);
  std::vector<std::string> before;
  if (std::all_of(text.begin() + ptrdiff_t(operand), text.begin() + ptrdiff_t(dot), [](char c) { return is_name_char(c) || c == '.'; }))
    before = split(text.substr(operand, dot - operand), '.');

  // A hole, or one that holds that value, stands for what is being written.
  size_t cut_to = at;
  while (cut_to < text.size() && is_name_char(text[cut_to])) cut_to++;
  const std::string start = text.substr(0, operand), rest = text.substr(cut_to), value = text.substr(operand, dot - operand);
  constexpr std::string_view hold = "(let _ = ";
  auto place = uint32_t(operand);
  Unit unit;
  for (const std::string& filler : {member_of_something ? std::string(hold) + value + " in \?\?\?)" : "\?\?\?", value}) {
    unit = checked(path, start + filler + rest, true);
    if (unit->parsed) break;
  }
  if (auto it = documents_.find(path); !unit->parsed && it != documents_.end()) {
    place = place_in(it->second.parsed, text, operand);
    unit = checked(path, it->second.parsed, true);
  }
  if (!unit->program.root) return items;

  auto name_text = [&](Name n) { return std::string(unit->program.names.text(n)); };
  auto add = [&](const std::string& name, ItemKind kind, const std::string& detail) {
    if (name.empty() || !(std::isalpha(static_cast<unsigned char>(name[0])) || name[0] == '_' || std::isdigit(static_cast<unsigned char>(name[0])))) return;
    items.push_back({{"label", name}, {"kind", int(kind)}});
    if (!detail.empty()) items.back()["detail"] = detail;
  };
  auto add_known = [&](const std::string& name, const Known& k) {
    bool function = k.type.valid() && unit->result.types.as<check::FunType>(k.type);
    add(name, k.module ? ModuleItem : function ? FunctionItem : VariableItem, k.module ? "module" : k.type.valid() ? shown(*unit, k.type) : "");
  };
  Collector collected(*unit, place);
  if (!member_of_something) {
    for (auto& [name, known] : collected.scope) add_known(name, known);
    for (const std::string& name : collected.types) add(name, TypeItem, "type");
    for (const char* word : {"assert", "case", "def", "do", "else", "entry", "for", "if", "import", "in", "let", "local", "loop", "match", "module", "open", "then", "type", "val", "while", "with"})
      add(word, KeywordItem, "");
    return items;
  }
  Known now = meaning_of(*unit, collected, before);
  if (now.module) {
    for (auto& [name, t] : now.module->terms) add_known(name_text(name), known(t));
    for (auto& [name, t] : now.module->types) add(name_text(name), TypeItem, "type");
    return items;
  }
  each_expression_of(*unit, [&](const ast::Expr& e) {
    auto* let = std::get_if<ast::Let>(&e.node);
    if (let && let->pat->span.begin == operand + hold.size() - 4 && let->value->type.valid()) now.type = let->value->type;
  });
  if (auto* r = record_of(*unit, now.type))
    for (auto& [name, t] : r->fields) add(name_text(name), FieldItem, shown(*unit, t));
  return items;
}

}  // namespace raido
