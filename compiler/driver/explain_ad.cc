// explain_ad.cc - looks for the variables that carry notes: what is not there any more was not needed, or became simpler.
//
// The cost of what runs again is counted as operations of each run, and how often that is. A call of a mathematical function counts as
// costs::ad::call_work operations. The sizes of the loops and maps around say how often something runs. Of two branches the dearer one
// counts: they are often two versions.
#include "compiler/driver/explain_ad.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "compiler/base/text.h"
#include "compiler/driver/explain_sizes.h"
#include "compiler/ir/costs.h"

namespace raido::explain_ad {

using namespace ir;

namespace {

// The functions that run for an entry point.
std::set<size_t> functions_of(const Program& p, const std::string& entry) {
  std::set<size_t> all;
  std::vector<size_t> todo;
  for (const EntryPoint& e : p.entries) if (e.name == entry) todo.push_back(e.function.index);
  while (!todo.empty()) {
    size_t f = todo.back();
    todo.pop_back();
    if (!all.insert(f).second) continue;
    each_stm(p.functions[f].lambda.body, [&](const Stm& s) { if (auto c = std::get_if<Call>(&s.exp)) todo.push_back(c->callee.index); });
  }
  return all;
}

using Place = std::pair<std::string, uint32_t>;          // file, line

// One step of work; 0: none of its own.
double operations(const Program& p, const Stm& s) {
  auto x = std::get_if<Apply>(&s.exp);
  if (!x || !is_float_type(p.type(s.pattern[0].var))) return 0;
  return is_call(x->op) ? costs::ad::call_work : 1;
}

class Explanation {
 public:
  Explanation(const Program& p, const std::string& entry, const std::vector<Note>& notes)
      : p_(p), notes_(notes), functions_(functions_of(p, entry)), sizes_(p, made_) {
    for (size_t f : functions_) made_.add_all(p_.functions[f].lambda.body);
    for (size_t f : functions_) each_stm(p_.functions[f].lambda.body, [&](const Stm& s) { forward(s); });
    for (size_t f : functions_) look(p_.functions[f].lambda.body, {}, again_);
  }
  // `decided`: what is known of updates in the end; the program itself, if nothing else.
  std::string lines(const std::vector<UpdatesOf>& decided, const std::vector<Exceeded>& exceeded) {
    accumulators(decided);
    places();
    for (const Exceeded& x : exceeded)
      say(x.at, fmt::format("does not fit into --ad-memory={}: it keeps {} bytes at least", x.memory, x.least));
    return show();
  }
  std::string table() const;

 private:
  struct Ran { int times = 0; double operations = 0; i64 bytes = 0; };
  // By place; whether the forward sweep computed it as well; how often it runs; by name of the operation.
  using Again = std::map<std::tuple<Place, bool, std::string>, std::map<std::string, Ran>>;
  struct Record {
    Place at;
    std::string name;
    Note::Kind kind;
    Var var;
    std::string trips;                                   // of the loop that fills it
    const Stm* loop;
    double work;                                         // operations of one of its iterations
  };
  const Program& p_;
  const std::vector<Note>& notes_;
  std::set<size_t> functions_;
  Definitions made_;
  SizeTexts sizes_;
  std::map<Place, std::vector<std::string>> lines_;
  Again again_;
  std::set<std::pair<Place, std::string>> forward_;      // operations of forward sweeps
  std::set<Place> visited_;                              // places with code
  std::vector<Record> records_;
  bool keeps_states_ = false, undoes_ = false, by_data_ = false;

  // The line of the user's program.
  Place place(Source at) const {
    while (at.valid() && p_.sources[at.index].file.starts_with("/prelude") && p_.sources[at.index].caller.valid())
      at = p_.sources[at.index].caller;
    if (!at.valid()) return {"", 0};
    return {p_.sources[at.index].file, p_.sources[at.index].line};
  }
  void say(Source at, std::string text) {
    std::vector<std::string>& says = lines_[place(at)];
    if (std::ranges::find(says, text) == says.end()) says.push_back(std::move(text));
  }
  const Note* note(Var v) const {
    NoteId id = p_.vars[v.index].note;
    return id.valid() ? &notes_[id.index] : nullptr;
  }
  // What is said of a statement that runs again; empty: not worth saying.
  std::string name_of_work(const Stm& s) const {
    return match(s.exp, [&](const Apply& x) { return is_float_type(p_.type(s.pattern[0].var)) ? std::string(name_of(x.op)) : std::string(); },
                 [](const Call&) { return std::string("call"); }, [](const auto&) { return std::string(); });
  }
  // The return sweep never makes a call of a mathematical function to undo one. So a call without a note belongs to a forward sweep that
  // was simplified.
  void forward(const Stm& s) {
    if (s.pattern.empty()) return;
    const Note* n = note(s.pattern[0].var);
    auto x = std::get_if<Apply>(&s.exp);
    if (n ? n->kind == Note::Kind::Forward : x && is_call(x->op)) forward_.insert({place(s.source), name_of_work(s)});
  }

  void look(const Body& b, const std::vector<std::string>& nest, Again& again) {
    for (const Stm& s : b.stms) {
      visited_.insert(place(s.source));
      for (Bind x : s.pattern) made(s, x.var, nest, again);
      std::vector<std::string> inner = nest;
      match(s.exp, [&](const For& x) {
              inner.push_back(sizes_.of(x.n));
              for (Bind y : x.state) made(s, y.var, nest, again);
              if (auto n = note(x.i.var)) goes_back(*n, x);
            },
            [&](const While& x) {
              inner.push_back("iterations");
              for (Bind y : x.state) made(s, y.var, nest, again);
            },
            [&](const Screma& x) { inner.push_back(sizes_.of(x.width)); }, [&](const Hist& x) { inner.push_back(sizes_.of(x.width)); },
            [&](const Seg& x) { for (const Dim& n : x.extent) inner.push_back(sizes_.of(n)); },
            [](const auto&) {});
      if (auto x = std::get_if<If>(&s.exp)) {
        Again one, other;
        look(x->then_, inner, one);
        look(x->else_, inner, other);
        for (auto& [key, names] : other)
          for (auto& [name, ran] : names)
            if (Ran& now = one[key][name]; now.times < ran.times) now = ran;
        for (auto& [key, names] : one) for (auto& [name, ran] : names) add(again[key][name], ran);
        continue;
      }
      walk_parts(s, [&](const Body& part) { look(part, inner, again); });
    }
  }
  static void add(Ran& to, const Ran& more) {
    to.times += more.times;
    to.operations += more.operations;
    to.bytes += more.bytes;
  }

  void goes_back(const Note& n, const For& x) {
    say(n.at, fmt::format("goes back through {} iterations{}{}", sizes_.of(x.n), x.blocks ? " of blocks (stripmine)" : "",
                          n.name.empty() ? "" : " " + n.name));
  }
  void made(const Stm& s, Var v, const std::vector<std::string>& nest, Again& again) {
    const Note* n = note(v);
    if (!n) return;
    switch (n->kind) {
      case Note::Kind::Recorded:
        say(n->at, fmt::format("records {} in every iteration: {}", n->name, record(s, v, *n)));
        keeps_states_ = true;
        break;
      case Note::Kind::Result:
        say(n->at, fmt::format("keeps {} of every iteration, which is dearer to compute again: {}", n->name, record(s, v, *n)));
        break;
      case Note::Kind::Overwritten:
        say(n->at, "records what updates overwrite: " + record(s, v, *n));
        undoes_ = true;
        break;
      case Note::Kind::Kept: say(n->at, fmt::format("keeps {} for some iterations: {}", n->name, record(s, v, *n))); break;
      case Note::Kind::Slots: say(n->at, "goes back through the iterations from kept states (checkpoint)" + (n->name.empty() ? "" : ", " + n->name)); break;
      case Note::Kind::Again: {
        std::string name = name_of_work(s);
        bool too = forward_.contains({place(s.source), name});
        if (!name.empty()) add(again[{place(s.source), too, SizeTexts::product(nest)}][name], {1, operations(p_, s), i64(bytes_of(elem_of(p_.type(v))))});
        break;
      }
      case Note::Kind::Chunk: say(n->at, fmt::format("takes {} directions at a time", n->name)); break;
      case Note::Kind::Forward: case Note::Kind::Loop: case Note::Kind::Adjoint: case Note::Kind::Zero: case Note::Kind::Place:
      case Note::Kind::Places: case Note::Kind::Band: break;
    }
  }
  // A record that gets its size while the loop runs has it from there.
  std::string record(const Stm& s, Var v, const Note& n) {
    Dim rows = shape_of(p_.type(v)).at(0);
    bool grows = std::ranges::any_of(s.pattern, [&](Bind x) { return Atom(x.var) == rows; });
    auto loop = std::get_if<For>(&s.exp);
    double work = 0;
    walk_parts(s, [&](const Body& part) { work += work_of(part); });
    records_.push_back({place(n.at), n.name, n.kind, v, loop ? sizes_.of(loop->n) : "iterations", &s, work});
    return fmt::format("{}, {} bytes{}", sizes_.type(v), sizes_.bytes(v), grows ? ", which grows" : "");
  }
  double work_of(const Body& b) const {
    double sum = 0;
    for (const Stm& s : b.stms) {
      double inside = 0, times = 1;
      walk_parts(s, [&](const Body& part) { inside += work_of(part); });
      match(s.exp, [&](const For& x) { times = costs::expected(x.n); }, [&](const Screma& x) { times = costs::expected(x.width); },
            [&](const Seg& x) { for (const Dim& n : x.extent) times *= costs::expected(n); }, [&](const While&) { times = costs::unknown_trips; }, [](const auto&) {});
      sum += operations(p_, s) + times * inside;
    }
    return sum;
  }

  void accumulators(const std::vector<UpdatesOf>& decided) {
    std::map<size_t, std::vector<UpdatesOf>> by_note;
    for (const UpdatesOf& u : decided) by_note[u.note.index].push_back(u);
    std::set<std::pair<Place, std::string>> updated;
    std::vector<std::pair<std::pair<Place, std::string>, std::vector<std::string>>> alike;      // a place and a text, and all names that share them
    auto say_alike = [&](Source at, const std::string& text, const std::string& name) {
      std::pair key{place(at), text};
      auto found = std::ranges::find_if(alike, [&](const auto& x) { return x.first == key; });
      if (found == alike.end()) alike.push_back({key, {name}});
      else if (std::ranges::find(found->second, name) == found->second.end()) found->second.push_back(name);
    };
    for (const auto& [k, versions] : by_note) {
      updated.insert({place(notes_[k].at), notes_[k].name});
      say_alike(notes_[k].at, text_of_updates(versions), notes_[k].name);
      for (const UpdatesOf& u : versions) by_data_ = by_data_ || (u.meets() && u.by_data);
    }
    for (size_t k = 0; k < notes_.size(); k++) {
      const Note& n = notes_[k];
      if (n.kind != Note::Kind::Adjoint || by_note.contains(k) || !visited_.contains(place(n.at)) || updated.contains({place(n.at), n.name})) continue;
      say_alike(n.at, "", n.name);
    }
    for (const auto& [key, names] : alike) {
      std::string of = fmt::format("the adjoint{} of {}", names.size() > 1 ? "s" : "", join(names, ", "));
      lines_[key.first].push_back(key.second.empty() ? fmt::format("makes {} without updates: by sums or element by element", of)
                                                     : fmt::format("adds to {} where {} read{}", of, names.size() > 1 ? "they are" : "it is", key.second));
    }
  }
  // What is said of places, where code of the entry point is left: the variables are often parts of others in the end.
  void places() {
    for (const Note& n : notes_) {
      if (!visited_.contains(place(n.at))) continue;
      switch (n.kind) {
        case Note::Kind::Zero: say(n.at, fmt::format("the seed or direction{} is zero: nothing is computed of it", n.name.empty() ? "" : " of " + n.name)); break;
        case Note::Kind::Place: say(n.at, "is zero but at one place, and computed there only"); break;
        case Note::Kind::Places: say(n.at, "adds each summand at its own place, to zeros"); break;
        case Note::Kind::Band: say(n.at, "takes seeds that are zero but in a band one by one: sums run over the band only"); break;
        default: break;                                  // these are said of variables
      }
    }
  }

  std::string show() {
    for (const auto& [key, names] : again_) {
      const auto& [at, too, each] = key;
      double all = 0;
      i64 bytes = 0;
      std::vector<std::string> texts;
      for (const auto& [name, ran] : names) {
        texts.push_back(ran.times > 1 ? fmt::format("{} ({})", name, ran.times) : name);
        all += ran.operations;
        bytes += ran.bytes;
      }
      std::string often = each == "1" ? "" : each == "iterations" ? " for each iteration" : " for each of " + each;
      std::string cost = fmt::format("{}; {} operation{}{}", join(texts, ", "), all, all == 1 ? "" : "s", often);
      lines_[at].push_back(too ? fmt::format("computes again: {}, or {} bytes to keep them", cost, bytes) : "computes on the way back only: " + cost);
    }
    std::string out;
    for (const auto& [at, says] : lines_) {
      if (!says.empty()) out += at.second == 0 ? "no line of a program\n" : fmt::format("{}:{}\n", at.first, at.second);
      for (const std::string& text : says) out += "    " + text + "\n";
    }
    return out + advice();
  }
  std::string advice() const {
    std::string out;
    auto line = [&](bool when, std::string_view text) { if (when) out += fmt::format("    {}\n", text); };
    line(keeps_states_ || undoes_, "less memory: --ad-memory=BYTES, or #[checkpoint(c)] or #[stripmine(k)] before the loop, which then runs parts again");
    line(undoes_, "no record of what updates overwrite: if each place is written once, and read always before or always after that, #[true_dep] before the array");
    line(by_data_, "plain stores: if each iteration reads a place of its own, compute its index from the counters of loops and maps, not from data");
    return out.empty() ? out : "What can be done\n" + out;
  }
};

std::string Explanation::table() const {
  std::vector<std::vector<std::string>> rows{{"line", "value", "kind", "bytes", "each iteration", "lives at most", "operations per byte"}};
  std::map<const Stm*, double> of_loop;                  // bytes that one iteration records
  auto row_bytes = [&](Var v) {
    double bytes = bytes_of(elem_of(p_.type(v)));
    std::vector<Dim> shape = shape_of(p_.type(v));
    for (size_t d = 1; d < shape.size(); d++) bytes *= costs::expected(shape[d]);
    return bytes;
  };
  std::set<uint32_t> seen;
  for (const Record& r : records_) if (seen.insert(r.var.index).second) of_loop[r.loop] += row_bytes(r.var);
  seen = {};
  std::map<std::string, std::pair<Var, int>> all;        // records of the same size, and how many
  for (const Record& r : records_) {
    if (!seen.insert(r.var.index).second) continue;
    bool some = r.kind == Note::Kind::Kept;
    std::string bytes = sizes_.bytes(r.var);
    all[bytes] = {r.var, all[bytes].second + 1};
    rows.push_back({fmt::format("{}:{}", r.at.first, r.at.second), r.name,
                    some ? "state" : r.kind == Note::Kind::Recorded ? "state" : r.kind == Note::Kind::Result ? "result" : "overwritten", bytes,
                    some ? "some" : sizes_.bytes(r.var, true), some ? "until gone back" : fmt::format("{} iterations", SizeTexts::product({"2", r.trips})),
                    fmt::format("{:.2g}", r.work / of_loop.at(r.loop))});
  }
  if (records_.empty()) return "nothing is recorded\n";
  std::vector<size_t> widths(rows[0].size());
  for (const auto& row : rows) for (size_t k = 0; k < row.size(); k++) widths[k] = std::max(widths[k], row[k].size());
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (size_t k = 0; k < row.size(); k++) line += k + 1 < row.size() ? fmt::format("{:<{}}  ", row[k], widths[k]) : row[k];
    out += line + "\n";
  }
  std::vector<std::string> sum;
  for (const auto& [bytes, some] : all) sum.push_back(sizes_.bytes(some.first, false, some.second));
  return out + fmt::format("All: {} bytes. Operations are those of an iteration that records; a size that is not known counts as {}.\n", join(sum, " + "),
                           costs::unknown_trips);
}

}  // namespace

void Report::observe(const Pass& pass, const Program& before, const Program& after) {
  if (pass.name != pass::accumulators.name) return;
  before_ = before;
  decided_ = after;
}

std::string Report::show(const Program& last, const std::vector<Note>& notes, const std::vector<Exceeded>& exceeded, bool table) const {
  const Program &whole = before_ ? *before_ : last, &decided = decided_ ? *decided_ : last;
  Explanation explanation(whole, entry_, notes);
  if (table) return explanation.table();
  return explanation.lines(updates_of(decided, target_, functions_of(decided, entry_), notes), exceeded);
}

}  // namespace raido::explain_ad
