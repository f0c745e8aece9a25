// explain_ad.cc - looks for the variables that carry notes: what is not there any more was not needed, or became simpler.
#include "compiler/driver/explain_ad.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "compiler/base/text.h"
#include "compiler/ir/analysis/defs.h"

namespace raido {
namespace {

using namespace ir;

class Explanation {
 public:
  Explanation(const Program& p, const std::vector<Note>& notes) : p_(p), notes_(notes) {}

  std::string of(const std::string& entry) {
    std::set<size_t> functions;
    for (const EntryPoint& e : p_.entries)
      if (e.name == entry) reach(e.function.index, functions);
    for (size_t f : functions) made_.add_all(p_.functions[f].lambda.body);
    for (size_t f : functions) look(p_.functions[f].lambda.body, 0);
    gone();
    return show();
  }

 private:
  struct Line {
    std::vector<std::string> says;
    std::map<std::string, int> again;              // operations that run again
  };
  const Program& p_;
  const std::vector<Note>& notes_;
  Definitions made_;
  std::map<std::pair<std::string, uint32_t>, Line> lines_;
  std::set<size_t> found_;                         // notes
  std::set<std::pair<Source, std::string>> updated_;
  std::set<std::pair<std::string, uint32_t>> visited_;     // lines with code

  void reach(size_t f, std::set<size_t>& all) const {
    if (!all.insert(f).second) return;
    each_stm(p_.functions[f].lambda.body, [&](const Stm& s) {
      if (auto c = std::get_if<Call>(&s.exp)) reach(c->callee.index, all);
    });
  }
  // The line of the user's program.
  Line& line(Source at) {
    while (at.valid() && p_.sources[at.index].file.starts_with("/prelude") && p_.sources[at.index].caller.valid())
      at = p_.sources[at.index].caller;
    if (!at.valid()) return lines_[{"", 0}];
    return lines_[{p_.sources[at.index].file, p_.sources[at.index].line}];
  }
  void say(Source at, std::string text) {
    std::vector<std::string>& says = line(at).says;
    if (std::ranges::find(says, text) == says.end()) says.push_back(std::move(text));
  }
  const Note* note(Var v) {
    NoteId id = p_.vars[v.index].note;
    if (!id.valid()) return nullptr;
    found_.insert(id.index);
    return &notes_[id.index];
  }

  // A size as an expression over names of the program.
  std::string size(const Atom& a, int depth = 0) const {
    if (auto c = const_of(a)) return std::to_string(c->as_i64());
    Var v = *var_of(a);
    auto apply = depth > 5 ? nullptr : made_.get<Apply>(v);
    if (!apply || apply->args.size() != 2) return p_.hint(v);
    const Atom &x = apply->args[0], &y = apply->args[1];
    auto part = [&](const Atom& b) {
      std::string text = size(b, depth + 1);
      return text.find(' ') == std::string::npos ? text : "(" + text + ")";
    };
    switch (apply->op) {
      case ScalarOp::max: if (is_const(x, 0)) return size(y, depth + 1); break;
      case ScalarOp::add:
        if (auto c = const_of(x)) return c->as_i64() < 0 ? fmt::format("{} - {}", part(y), -c->as_i64()) : fmt::format("{} + {}", part(y), c->as_i64());
        return fmt::format("{} + {}", part(x), part(y));
      case ScalarOp::sub: return fmt::format("{} - {}", part(x), part(y));
      case ScalarOp::mul: return fmt::format("{} * {}", part(x), part(y));
      default: break;
    }
    return p_.hint(v);
  }
  std::string type(Var v) const {
    std::string text;
    for (const Dim& d : shape_of(p_.type(v))) text += "[" + size(d) + "]";
    return text + std::string(name_of(elem_of(p_.type(v))));
  }
  // A record that gets its size while the loop runs has it from there.
  std::string record(const Stm& s, Var v) const {
    Dim rows = shape_of(p_.type(v)).at(0);
    bool grows = std::ranges::any_of(s.pattern, [&](Bind x) { return Atom(x.var) == rows; });
    return type(v) + (grows ? ", which grows" : "");
  }

  void look(const Body& b, int loops) {
    for (const Stm& s : b.stms) {
      bool loop = std::holds_alternative<For>(s.exp) || std::holds_alternative<While>(s.exp);
      for (Bind x : s.pattern) made(s, x.var);
      visited_.insert({file(s.source), row(s.source)});
      match(s.exp, [&](const For& x) {
              for (Bind y : x.state) made(s, y.var);
              if (auto n = note(x.i.var)) goes_back(*n, x);
            },
            [&](const While& x) { for (Bind y : x.state) made(s, y.var); },
            [&](const WithAcc& x) {
              for (size_t k = 0; k < x.dests.size(); k++)
                if (auto n = note(x.scope.params[k].var)) {
                  say(n->at, fmt::format("the adjoint of {} is updated at the places that are read{}", n->name, how(x.dests[k].conflict)));
                  updated_.insert({n->at, n->name});
                }
            },
            [](const auto&) {});
      walk_parts(s, [&](const Body& inner) { look(inner, loops + loop); });
    }
  }
  static std::string how(Conflict c) {
    switch (c) {
      case Conflict::Atomic: return ", atomically: several iterations may meet there";
      case Conflict::Private: return ", in private copies that are added";
      case Conflict::None: return ", by one thread or each place by one iteration";
      default: return "";
    }
  }
  void goes_back(const Note& n, const For& x) {
    say(n.at, fmt::format("goes back through {} iterations{}{}", size(x.n), x.blocks ? " of blocks (stripmine)" : "",
                          n.name.empty() ? "" : " " + n.name));
  }
  void made(const Stm& s, Var v) {
    const Note* n = note(v);
    if (!n) return;
    switch (n->kind) {
      case Note::Kind::Recorded: say(n->at, fmt::format("records {} in every iteration: {}", n->name, record(s, v))); break;
      case Note::Kind::Overwritten: say(n->at, "records what updates overwrite: " + record(s, v)); break;
      case Note::Kind::Kept: say(n->at, fmt::format("keeps {} for some iterations: {}", n->name, type(v))); break;
      case Note::Kind::Slots: say(n->at, "goes back through the iterations from kept states (checkpoint)" + (n->name.empty() ? "" : ", " + n->name)); break;
      case Note::Kind::Again: again(s); break;
      case Note::Kind::Chunk: say(n->at, fmt::format("takes {} directions at a time", n->name)); break;
      case Note::Kind::Loop: case Note::Kind::Adjoint: case Note::Kind::Place: case Note::Kind::Places: break;
    }
  }
  void again(const Stm& s) {
    std::string name = match(s.exp, [&](const Apply& x) -> std::string {
          return is_float_type(p_.type(s.pattern[0].var)) ? std::string(name_of(x.op)) : "";
        },
        [](const For&) -> std::string { return "loop"; }, [](const While&) -> std::string { return "loop"; },
        [](const Screma&) -> std::string { return "map or sum"; }, [](const Call&) -> std::string { return "call"; },
        [](const auto&) -> std::string { return ""; });
    if (!name.empty()) line(s.source).again[name]++;
  }
  // What is said of places, where code of the entry point is left: the variables are often parts of others in the end.
  void gone() {
    for (const Note& n : notes_) {
      if (!visited_.contains({file(n.at), row(n.at)})) continue;
      if (n.kind == Note::Kind::Place) say(n.at, "is zero but at one place, and computed there only");
      if (n.kind == Note::Kind::Places) say(n.at, "adds each summand at its own place, to zeros");
    }
    for (size_t k = 0; k < notes_.size(); k++)
      if (notes_[k].kind == Note::Kind::Adjoint && !found_.contains(k) && lines_.contains({file(notes_[k].at), row(notes_[k].at)}))
        if (!updated_.contains({notes_[k].at, notes_[k].name}))
          say(notes_[k].at, fmt::format("the adjoint of {} is made without updates: by sums or element by element", notes_[k].name));
  }
  std::string file(Source at) const { return at.valid() ? p_.sources[at.index].file : ""; }
  uint32_t row(Source at) const { return at.valid() ? p_.sources[at.index].line : 0; }

  std::string show() const {
    std::string out;
    for (const auto& [at, line] : lines_) {
      std::vector<std::string> says = line.says;
      if (!line.again.empty()) {
        std::vector<std::string> names;
        for (const auto& [name, count] : line.again) names.push_back(count > 1 ? fmt::format("{} ({})", name, count) : name);
        says.push_back("computes again: " + join(names, ", "));
      }
      if (!says.empty()) out += at.second == 0 ? "no line of a program\n" : fmt::format("{}:{}\n", at.first, at.second);
      for (const std::string& text : says) out += "    " + text + "\n";
    }
    return out;
  }
};

}  // namespace

std::string explain_ad(const Program& program, const std::string& entry, const std::vector<Note>& notes) {
  return Explanation(program, notes).of(entry);
}

}  // namespace raido
