// A set of names grows until nothing changes. It starts with what the program mentions. Then come the names that declarations with one
// of these names mention, and so on. A declaration or specification inside braces is needed if what the braces belong to is needed and
// its own name is in the set. So `f32.sqrt` keeps little more than `sqrt` of `f32` and of the functor that makes it.
//
// Members are compared without being named where a module is matched against a module type. Both sides lose the same names, unless the
// program brings a module of its own for a module type of the prelude. So a module type that a program mentions is needed as a whole.
#include "compiler/check/needed.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace raido::check {
namespace {

using ast::Lookup;

// --- the braces that are part of a module expression, module type, declaration or specification, and not of another brace ---

template <class F> void each_body(ast::ModType& t, F&& f) {
  match(t.node,
      [](ast::SName&) {},
      [&](ast::SSpecs& s) { f(s.specs, t.span); },
      [&](ast::SWith& w) { each_body(*w.base, f); },
      [&](ast::SArrow& a) { each_body(*a.from, f); each_body(*a.to, f); });
}
template <class F> void each_body(ast::ModExp& e, F&& f) {
  match(e.node,
      [](ast::MName&) {},
      [&](ast::MBody& b) { f(b.decls, e.span); },
      [&](ast::MLambda& l) { each_body(*l.param->type, f); each_body(*l.body, f); },
      [&](ast::MApply& a) { each_body(*a.fun, f); each_body(*a.arg, f); },
      [](ast::MImport&) {},
      [&](ast::MAscribe& a) { each_body(*a.exp, f); each_body(*a.type, f); });
}
template <class F> void each_body(ast::Decl& d, F&& f) {
  match(d.node,
      [](ast::Def*) {}, [](ast::TypeDef*) {},
      [&](ast::ModTypeDef* m) { each_body(*m->type, f); },
      [&](ast::ModDef* m) { each_body(*m->exp, f); },
      [&](ast::Open* o) { each_body(*o->exp, f); });
}
template <class F> void each_body(ast::Spec& s, F&& f) {
  match(s.node,
      [](ast::SpecVal&) {}, [](ast::SpecType&) {},
      [&](ast::SpecModule& m) { each_body(*m.type, f); },
      [&](ast::SpecInclude& i) { each_body(*i.type, f); });
}

class Needed {
 public:
  explicit Needed(ast::Program& program) : program_(program) {
    std::copy(std::begin(program.mentioned), std::end(program.mentioned), std::begin(mentioned_));
    whole_ = mentioned_[size_t(Lookup::ModType)];
    for (ast::File* file : program.files) if (file->builtin) files_[file->id] = file;
  }

  void run() {
    while (changed_) {
      changed_ = false;
      for (size_t i = program_.files.size(); i-- > 0;) if (program_.files[i]->builtin) find(program_.files[i]->decls, false);
    }
    for (ast::File* file : program_.files) if (file->builtin) drop(file->decls);
  }

 private:
  bool is_mentioned(Name name, Lookup how) const { return mentioned_[size_t(how)].contains(name); }
  bool term(Name name, bool member) const { return is_mentioned(name, Lookup::Scope) || (member && is_mentioned(name, Lookup::Member)); }

  // Without a name of its own, what brings in the names of another module is needed wherever it stands.
  bool has_needed_name(const ast::Decl& d, bool member) const {
    return match(d.node,
        [&](const ast::Def* x) { return term(x->self->name, member); },
        [&](const ast::TypeDef* x) { return is_mentioned(x->name, Lookup::Type); },
        [&](const ast::ModTypeDef* x) { return is_mentioned(x->name, Lookup::ModType); },
        [&](const ast::ModDef* x) { return term(x->self->name, member); },
        [](const ast::Open*) { return true; });
  }
  bool has_needed_name(const ast::Spec& s, bool member) const {
    return match(s.node,
        [&](const ast::SpecVal& x) { return term(x.name, member); },
        [&](const ast::SpecType& x) { return is_mentioned(x.name, Lookup::Type); },
        [&](const ast::SpecModule& x) { return term(x.name, member); },
        [](const ast::SpecInclude&) { return true; });
  }
  bool is_whole(const ast::Decl& d) const {
    auto* m = std::get_if<ast::ModTypeDef*>(&d.node);
    return m && whole_.contains((*m)->name);
  }
  bool is_whole(const ast::Spec&) const { return false; }

  template <class D> void find(std::span<D> all, bool member) {
    for (size_t i = all.size(); i-- > 0;) {
      D& d = all[i];
      if (is_whole(d) && wholes_.insert(&d).second) mention(d.span, true);
      if (!needed_.contains(&d)) {
        if (!has_needed_name(d, member)) continue;
        needed_.insert(&d);
        std::vector<Span> bodies;
        each_body(d, [&](auto&, Span at) { bodies.push_back(at); });
        std::sort(bodies.begin(), bodies.end(), [](Span a, Span b) { return a.begin < b.begin; });
        Span rest = d.span;
        for (Span body : bodies) {
          mention({rest.file, rest.begin, body.begin}, false);
          rest.begin = body.end;
        }
        mention(rest, false);
      }
      each_body(d, [&](auto& members, Span) { find(members, true); });
    }
  }

  void mention(Span at, bool whole) {
    std::span<ast::Mention> all = files_.at(at.file)->mentions;
    auto from = std::lower_bound(all.begin(), all.end(), at.begin, [](const ast::Mention& m, uint32_t byte) { return m.at < byte; });
    for (; from != all.end() && from->at < at.end; ++from) {
      mentioned_[size_t(from->how)].insert(from->name);
      if (whole && from->how == Lookup::ModType) whole_.insert(from->name);
    }
    changed_ = true;
  }

  template <class D> void drop(std::span<D>& all) {
    std::vector<D> kept;
    for (D& d : all) {
      if (!needed_.contains(&d)) continue;
      each_body(d, [&](auto& members, Span) { drop(members); });
      kept.push_back(d);
    }
    if (kept.size() != all.size()) all = program_.arena.copy(kept);
  }

  ast::Program& program_;
  std::unordered_map<FileId, ast::File*> files_;
  IdSet<Name> mentioned_[4];                         // by Lookup
  IdSet<Name> whole_;                                // module types
  std::unordered_set<const void*> needed_, wholes_;  // declarations and specifications
  bool changed_ = true;
};

}  // namespace

void drop_unneeded(ast::Program& program) { Needed(program).run(); }

}  // namespace raido::check
