// Exhaustiveness of pattern matching by Maranget's matrix algorithm: is there a value that no row matches? Booleans and sums are
// finite, numbers are not. The answer is an example, printed as patterns.
#include "compiler/check/coverage.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

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
    ast::each_expression(body, [&](const ast::Expr* e) { expression(e); return true; });
  }

 private:
  void irrefutable(const ast::Pat* p) {
    if (!plain(p)) return;
    if (auto w = missing({{p}}, {p->type})) c.diags.report(p->span, err::refutable_pattern, (*w)[0]);
  }

  // What is refutable in `e` itself.
  void expression(const ast::Expr* e) {
    if (auto* m = std::get_if<ast::Match>(&e->node)) {
      std::vector<Row> rows;
      for (const ast::Case& k : m->cases) rows.push_back({k.pat});
      unreachable(rows, m->on->type);
      if (auto w = missing(rows, {m->on->type})) c.diags.report(e->span, err::inexhaustive_match, (*w)[0]).help("add `case " + (*w)[0] + " -> ...`");
    }
    else if (auto* l = std::get_if<ast::Let>(&e->node)) irrefutable(l->pat);
    else if (auto* f = std::get_if<ast::Lambda>(&e->node)) for (ast::Pat* p : f->params) irrefutable(p);
    else if (auto* d = std::get_if<ast::LetFun>(&e->node)) for (ast::Pat* p : d->def->params) irrefutable(p);
    else if (auto* o = std::get_if<ast::Loop>(&e->node)) {
      irrefutable(o->state);
      if (o->form == ast::Loop::Form::ForIn) irrefutable(o->index);
    }
  }

  // Cases that match nothing which the ones before them do not match already. Rows with another head constructor or literal
  // cannot matter, so each case is compared with its own kind and with the catch-alls only.
  void unreachable(const std::vector<Row>& rows, TypeRef type) {
    std::map<std::string, std::vector<Row>> by_head;
    std::vector<Row> general;            // no head: wildcards, tuples, records
    for (const Row& row : rows) {
      std::string head = head_of(row[0]);
      std::vector<Row>& same = by_head[head];
      if (general.size() + same.size() > 200) return;       // a long match is read by nobody
      std::vector<Row> before = general;
      if (head.empty()) for (auto& [other, some] : by_head) before.insert(before.end(), some.begin(), some.end());
      else before.insert(before.end(), same.begin(), same.end());
      if (!before.empty() && !useful(before, row, {type})) c.diags.report(row[0]->span, err::unreachable_case);
      (head.empty() ? general : same).push_back(row);
    }
  }
  std::string head_of(const ast::Pat* p) {
    p = plain(p);
    if (!p) return "";
    if (auto* k = std::get_if<ast::PConstr>(&p->node)) return "#" + std::string(c.text(k->name));
    if (std::get_if<ast::PLiteral>(&p->node)) return std::string(c.sources.text(p->span));
    return "";
  }

  // Is there a value that `q` matches and no row does?
  bool useful(const std::vector<Row>& rows, const Row& q, const std::vector<TypeRef>& column_types) {
    if (rows.empty()) return true;
    if (q.empty()) return false;
    TypeRef first = column_types[0];
    std::vector<TypeRef> rest(column_types.begin() + 1, column_types.end());
    // What is left of the rows, and of q, for values of one shape with these parts.
    auto specialised = [&](auto&& parts_of, std::span<const TypeRef> parts) {
      auto front = [&](const Row& row) -> std::optional<Row> {
        const ast::Pat* p = plain(row[0]);
        std::optional<Row> r = p ? parts_of(*p) : std::optional<Row>(Row(parts.size(), nullptr));
        if (r) r->insert(r->end(), row.begin() + 1, row.end());
        return r;
      };
      std::vector<Row> left;
      for (const Row& row : rows) if (auto r = front(row)) left.push_back(std::move(*r));
      std::vector<TypeRef> t(parts.begin(), parts.end());
      t.insert(t.end(), rest.begin(), rest.end());
      auto own = front(q);
      return own && useful(left, *own, t);
    };
    const ast::Pat* p = plain(q[0]);
    if (auto* r = types.as<RecordType>(first)) {
      std::vector<TypeRef> parts;
      for (auto& f : r->fields) parts.push_back(f.second);
      return specialised([&](const ast::Pat& x) { return std::optional<Row>(record_parts(x, *r)); }, parts);
    }
    if (auto* s = types.as<SumType>(first)) {
      for (auto& [name, payload] : s->constrs) {
        auto* own = p ? std::get_if<ast::PConstr>(&p->node) : nullptr;
        if (own && own->name != name) continue;
        if (specialised([&, n = name, k = payload.size()](const ast::Pat& x) -> std::optional<Row> {
              auto* con = std::get_if<ast::PConstr>(&x.node);
              if (!con || con->name != n) return {};
              Row row(con->args.begin(), con->args.end());
              row.resize(k);
              return row;
            }, payload))
          return true;
      }
      return false;
    }
    if (auto* l = p ? std::get_if<ast::PLiteral>(&p->node) : nullptr)
      return specialised([&](const ast::Pat& x) -> std::optional<Row> {
        auto* other = std::get_if<ast::PLiteral>(&x.node);
        return other && value_of(*other) == value_of(*l) ? std::optional<Row>(Row{}) : std::nullopt;
      }, {});
    auto* prim = types.as<PrimType>(first);
    if (prim && prim->prim == Prim::Bool) {
      for (long double v : {0.0L, 1.0L})
        if (specialised([&](const ast::Pat& x) -> std::optional<Row> {
              auto* l = std::get_if<ast::PLiteral>(&x.node);
              return l && value_of(*l) == v ? std::optional<Row>(Row{}) : std::nullopt;
            }, {}))
          return true;
      return false;
    }
    return specialised([](const ast::Pat&) -> std::optional<Row> { return {}; }, {});     // a value that no literal names
  }

  // Every number of a literal as one type, exactly.
  static long double value_of(const ast::PLiteral& l) {
    if (l.literal.kind == ast::Literal::Kind::Float) return l.literal.real;
    long double value = static_cast<long double>(l.literal.integer);
    return l.negative ? -value : value;
  }
  Row record_parts(const ast::Pat& p, const RecordType& r) const {
    Row row(r.fields.size(), nullptr);
    if (auto* t = std::get_if<ast::PTuple>(&p.node)) for (size_t i = 0; i < t->parts.size() && i < row.size(); i++) row[i] = t->parts[i];
    if (auto* t = std::get_if<ast::PRecord>(&p.node))
      for (const ast::PField& f : t->fields) if (auto i = c.field_index(r, f.name)) row[*i] = f.pat;
    return row;
  }

  // The pattern without types and attributes around it; null if it matches whatever comes.
  const ast::Pat* plain(const ast::Pat* p) {
    for (;;) {
      if (!p) return p;
      if (auto* a = std::get_if<ast::PAscribe>(&p->node)) p = a->pat;
      else if (auto* b = std::get_if<ast::PAttr>(&p->node)) p = b->pat;
      else return selective(p) ? p : nullptr;
    }
  }
  bool selective(const ast::Pat* p) {
    if (std::get_if<ast::PVar>(&p->node) || std::get_if<ast::PWild>(&p->node)) return false;
    if (auto known = selective_.find(p); known != selective_.end()) return known->second;
    bool found = match(p->node,
        [&](const ast::PTuple& t) { return std::any_of(t.parts.begin(), t.parts.end(), [&](const ast::Pat* q) { return plain(q); }); },
        [&](const ast::PRecord& t) { return std::any_of(t.fields.begin(), t.fields.end(), [&](const ast::PField& f) { return plain(f.pat); }); },
        [](const ast::PLiteral&) { return true; }, [](const ast::PConstr&) { return true; }, [](const auto&) { return false; });
    return selective_[p] = found;
  }

  // Values that no row matches, as texts, one for each column; nothing if the rows cover everything.
  using Witness = std::optional<std::vector<std::string>>;
  // Rows with the types of all columns but the first, and which of them have a wildcard there: these belong to every head.
  struct Table {
    const std::vector<Row>& rows;
    std::vector<TypeRef> rest;
    std::vector<size_t> wild = {};
    std::vector<size_t> with_wild(const std::vector<size_t>& some) const {
      std::vector<size_t> out;
      std::merge(some.begin(), some.end(), wild.begin(), wild.end(), std::back_inserter(out));
      return out;
    }
  };

  // The rows are sorted by the head of their first pattern once.
  Witness missing(const std::vector<Row>& rows, std::vector<TypeRef> column_types) {
    if (column_types.empty()) {
      if (rows.empty()) return std::vector<std::string>{};
      return {};
    }
    // Columns in which every row takes everything say nothing.
    std::vector<size_t> columns;
    for (size_t k = 0; k < column_types.size(); k++)
      if (std::any_of(rows.begin(), rows.end(), [&](const Row& row) { return plain(row[k]); })) columns.push_back(k);
    if (columns.size() < column_types.size()) return missing_in(columns, rows, column_types);
    TypeRef first = column_types[0];
    if (types.is_error(first)) return {};              // of something that failed to check
    Table t{rows, {column_types.begin() + 1, column_types.end()}};
    for (size_t i = 0; i < rows.size(); i++) if (!plain(rows[i][0])) t.wild.push_back(i);
    if (auto* s = types.as<SumType>(first)) return missing_constructor(t, *s);
    if (auto* r = types.as<RecordType>(first)) return missing_record(t, *r);
    return missing_literal(t, first);
  }

  Witness missing_in(const std::vector<size_t>& columns, const std::vector<Row>& rows, const std::vector<TypeRef>& column_types) {
    std::vector<Row> fewer(rows.size());
    std::vector<TypeRef> types_left;
    for (size_t k : columns) {
      types_left.push_back(column_types[k]);
      for (size_t i = 0; i < rows.size(); i++) fewer[i].push_back(rows[i][k]);
    }
    auto w = missing(fewer, std::move(types_left));
    if (!w) return {};
    std::vector<std::string> all(column_types.size(), "_");
    for (size_t k = 0; k < columns.size(); k++) all[columns[k]] = (*w)[k];
    return all;
  }

  Witness missing_constructor(const Table& t, const SumType& sum) {
    std::unordered_map<Name, std::vector<size_t>> by_name;
    for (size_t i = 0; i < t.rows.size(); i++)
      if (const ast::Pat* p = plain(t.rows[i][0]))
        if (auto* con = std::get_if<ast::PConstr>(&p->node)) by_name[con->name].push_back(i);
    for (auto& [name, payload] : sum.constrs) {
      auto w = specialise(t, t.with_wild(by_name[name]), [k = payload.size()](const ast::Pat& p) {
        auto& args = std::get<ast::PConstr>(p.node).args;
        Row row(args.begin(), args.end());
        row.resize(k);
        return row;
      }, payload);
      if (!w) continue;
      std::string text = "#" + std::string(c.text(name));
      for (size_t i = 0; i < payload.size(); i++) text += " " + as_payload((*w)[i]);
      return with_head(*w, payload.size(), text);
    }
    return {};
  }

  Witness missing_record(const Table& t, const RecordType& r) {
    std::vector<TypeRef> parts;
    for (auto& f : r.fields) parts.push_back(f.second);
    std::vector<size_t> all(t.rows.size());
    std::iota(all.begin(), all.end(), size_t(0));
    auto w = specialise(t, all, [&](const ast::Pat& p) { return record_parts(p, r); }, parts);
    if (!w) return {};
    bool tuple = r.fields.empty() || std::isdigit(static_cast<unsigned char>(c.text(r.fields[0].first)[0]));
    std::string text = tuple ? "(" : "{";
    for (size_t i = 0; i < parts.size(); i++)
      text += (i ? ", " : "") + (tuple ? "" : std::string(c.text(r.fields[i].first)) + " = ") + (*w)[i];
    return with_head(*w, parts.size(), text + (tuple ? ")" : "}"));
  }

  // No literals but those of bool name all values of their type.
  Witness missing_literal(const Table& t, TypeRef type) {
    std::map<long double, std::vector<size_t>> by_value;
    for (size_t i = 0; i < t.rows.size(); i++)
      if (const ast::Pat* p = plain(t.rows[i][0]))
        if (auto* l = std::get_if<ast::PLiteral>(&p->node)) by_value[value_of(*l)].push_back(i);
    auto nothing = [](const ast::Pat&) { return Row{}; };
    auto* prim = types.as<PrimType>(type);
    bool boolean = prim && prim->prim == Prim::Bool, real = prim && is_float(prim->prim);
    for (auto& [v, some] : by_value) {
      auto w = specialise(t, t.with_wild(some), nothing, {});
      if (w) return with_head(*w, 0, boolean ? (v != 0 ? "true" : "false") : real ? fmt::format("{}", static_cast<double>(v)) : fmt::format("{:.0f}", v));
    }
    if (boolean && by_value.size() == 2) return {};
    auto w = specialise(t, t.wild, nothing, {});
    if (!w) return {};
    return with_head(*w, 0, boolean && by_value.size() == 1 ? (by_value.begin()->first != 0 ? "false" : "true") : "_");
  }

  // What these rows miss with the parts of their first pattern in front.
  template <class PartsOf> Witness specialise(const Table& t, const std::vector<size_t>& which, PartsOf&& parts_of, std::span<const TypeRef> parts) {
    std::vector<Row> out;
    for (size_t i : which) {
      const ast::Pat* p = plain(t.rows[i][0]);
      Row row = p ? parts_of(*p) : Row(parts.size(), nullptr);
      row.insert(row.end(), t.rows[i].begin() + 1, t.rows[i].end());
      out.push_back(std::move(row));
      if (std::all_of(out.back().begin(), out.back().end(), [&](const ast::Pat* q) { return !plain(q); })) break;   // nothing gets past it
    }
    std::vector<TypeRef> column_types(parts.begin(), parts.end());
    column_types.insert(column_types.end(), t.rest.begin(), t.rest.end());
    return missing(out, std::move(column_types));
  }
  // A constructor with a payload of its own needs parentheses.
  static std::string as_payload(const std::string& text) {
    return text[0] == '#' && text.find(' ') != std::string::npos ? "(" + text + ")" : text;
  }
  // One text in place of the first n.
  static std::vector<std::string> with_head(const std::vector<std::string>& w, size_t n, std::string head) {
    std::vector<std::string> out{std::move(head)};
    out.insert(out.end(), w.begin() + std::ptrdiff_t(n), w.end());
    return out;
  }

  Context& c;
  Types& types;
  std::unordered_map<const ast::Pat*, bool> selective_;
};

}  // namespace

void check_coverage(Context& c, ast::Def& def) { Coverage(c).function(def.params, def.body); }

}  // namespace raido::check
