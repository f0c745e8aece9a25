// Exhaustiveness of pattern matching by Maranget's matrix algorithm: is there a value that no row matches? Booleans and sums are
// finite, numbers are not. The answer is an example, printed as patterns.
#include "compiler/check/coverage.h"

#include <algorithm>

#include <fmt/format.h>

#include "compiler/base/text.h"
#include "compiler/syntax/children.h"

namespace raido::check {
namespace {

using Row = std::vector<const ast::Pat*>;       // null: a wildcard

class Coverage {
 public:
  explicit Coverage(Context& context) : c(context), types(context.types) {}

  void function(std::span<ast::Pat*> params, const ast::Expr* body) {
    for (ast::Pat* p : params) irrefutable(p);
    expression(body);
  }

 private:
  void irrefutable(const ast::Pat* p) {
    if (auto w = missing({{p}}, {p->type})) c.diags.report(p->span, err::refutable_pattern, (*w)[0]);
  }

  void expression(const ast::Expr* e) {
    if (auto* m = std::get_if<ast::Match>(&e->node)) {
      std::vector<Row> rows;
      for (const ast::Case& k : m->cases) rows.push_back({k.pat});
      if (auto w = missing(rows, {m->on->type})) c.diags.report(e->span, err::inexhaustive_match, (*w)[0]).help("add `case " + (*w)[0] + " -> ...`");
    }
    else if (auto* l = std::get_if<ast::Let>(&e->node)) irrefutable(l->pat);
    else if (auto* f = std::get_if<ast::Lambda>(&e->node)) for (ast::Pat* p : f->params) irrefutable(p);
    else if (auto* d = std::get_if<ast::LetFun>(&e->node)) for (ast::Pat* p : d->def->params) irrefutable(p);
    else if (auto* o = std::get_if<ast::Loop>(&e->node)) {
      irrefutable(o->state);
      if (o->form == ast::Loop::Form::ForIn) irrefutable(o->index);
    }
    ast::each_child(*e, [&](const ast::Expr* child) { expression(child); });
  }

  static const ast::Pat* plain(const ast::Pat* p) {
    for (;;) {
      if (!p) return p;
      if (auto* a = std::get_if<ast::PAscribe>(&p->node)) p = a->pat;
      else if (auto* b = std::get_if<ast::PAttr>(&p->node)) p = b->pat;
      else if (std::get_if<ast::PVar>(&p->node) || std::get_if<ast::PWild>(&p->node)) return nullptr;
      else return p;
    }
  }

  // Values of these types that no row matches, as texts; nothing if the rows cover everything.
  std::optional<std::vector<std::string>> missing(const std::vector<Row>& rows, std::vector<TypeRef> column_types) {
    if (column_types.empty()) {
      if (rows.empty()) return std::vector<std::string>{};
      return {};
    }
    TypeRef first = column_types[0];
    std::vector<TypeRef> rest(column_types.begin() + 1, column_types.end());
    // The rows that may match when the first column has this shape, with its parts in front.
    auto specialise = [&](auto&& parts_of, const std::vector<TypeRef>& parts) {
      std::vector<Row> out;
      for (const Row& row : rows) {
        const ast::Pat* p = plain(row[0]);
        std::optional<Row> front = p ? parts_of(*p) : std::optional<Row>(Row(parts.size(), nullptr));
        if (!front) continue;
        front->insert(front->end(), row.begin() + 1, row.end());
        out.push_back(std::move(*front));
      }
      std::vector<TypeRef> t = parts;
      t.insert(t.end(), rest.begin(), rest.end());
      return missing(out, std::move(t));
    };
    auto tail = [](const std::vector<std::string>& w, size_t n, std::string head) {
      std::vector<std::string> out{std::move(head)};
      out.insert(out.end(), w.begin() + std::ptrdiff_t(n), w.end());
      return out;
    };
    if (auto* s = types.as<SumType>(first)) {
      for (auto& [name, payload] : s->constrs) {
        auto w = specialise([&, n = name, k = payload.size()](const ast::Pat& p) -> std::optional<Row> {
          auto* con = std::get_if<ast::PConstr>(&p.node);
          if (!con || con->name != n) return {};
          Row row(con->args.begin(), con->args.end());
          row.resize(k);
          return row;
        }, payload);
        if (!w) continue;
        std::string text = "#" + std::string(c.text(name));
        for (size_t i = 0; i < payload.size(); i++) text += " " + (*w)[i];
        return tail(*w, payload.size(), text);
      }
      return {};
    }
    if (auto* r = types.as<RecordType>(first)) {
      std::vector<TypeRef> parts;
      for (auto& f : r->fields) parts.push_back(f.second);
      auto w = specialise([&](const ast::Pat& p) -> std::optional<Row> {
        Row row(parts.size(), nullptr);
        if (auto* t = std::get_if<ast::PTuple>(&p.node)) for (size_t i = 0; i < t->parts.size() && i < row.size(); i++) row[i] = t->parts[i];
        if (auto* t = std::get_if<ast::PRecord>(&p.node))
          for (const ast::PField& f : t->fields)
            for (size_t i = 0; i < r->fields.size(); i++) if (r->fields[i].first == f.name) row[i] = f.pat;
        return row;
      }, parts);
      if (!w) return {};
      bool tuple = r->fields.empty() || std::isdigit(static_cast<unsigned char>(c.text(r->fields[0].first)[0]));
      std::string text = tuple ? "(" : "{";
      for (size_t i = 0; i < parts.size(); i++)
        text += (i ? ", " : "") + (tuple ? "" : std::string(c.text(r->fields[i].first)) + " = ") + (*w)[i];
      return tail(*w, parts.size(), text + (tuple ? ")" : "}"));
    }
    auto literal_value = [](const ast::PLiteral& l) { return l.literal.kind == ast::Literal::Kind::Float ? l.literal.real : l.negative ? -l.literal.real : l.literal.kind == ast::Literal::Kind::Bool ? double(l.literal.integer) : l.literal.real; };
    std::vector<double> values;
    for (const Row& row : rows)
      if (const ast::Pat* p = plain(row[0]))
        if (auto* l = std::get_if<ast::PLiteral>(&p->node)) values.push_back(literal_value(*l));
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    auto* prim = types.as<PrimType>(first);
    bool boolean = prim && prim->prim == Prim::Bool;
    for (double v : values) {
      auto w = specialise([&](const ast::Pat& p) -> std::optional<Row> {
        auto* l = std::get_if<ast::PLiteral>(&p.node);
        return l && literal_value(*l) == v ? std::optional<Row>(Row{}) : std::nullopt;
      }, {});
      if (w) return tail(*w, 0, boolean ? (v != 0 ? "true" : "false") : fmt::format("{}", v));
    }
    if (boolean && values.size() == 2) return {};
    auto w = specialise([](const ast::Pat&) -> std::optional<Row> { return {}; }, {});
    if (!w) return {};
    return tail(*w, 0, boolean && values.size() == 1 ? (values[0] != 0 ? "false" : "true") : "_");
  }

  Context& c;
  Types& types;
};

}  // namespace

void check_coverage(Context& c, ast::Def& def) { Coverage(c).function(def.params, def.body); }

}  // namespace raido::check
