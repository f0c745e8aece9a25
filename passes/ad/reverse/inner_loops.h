// inner_loops.h - loops in the body of a loop that do not run again (docs/ad.md 7.10).
//
// An inner loop that updates state of the outer loop in place saves what it overwrites, in every iteration of both loops. So the outer
// loop keeps all that the inner one records. The return sweep then has no need to undo the updates first and to run the inner loop again.
//
//   for t < n (xs) {                            forward   for t < n (xs, rs) {
//     let z0 = f t                                          let z0 = f t
//     let ys, z = for i < m (xs, z = z0) body     ==>       let ys, z, r = for i < m (xs, z = z0, r) { body and its records }
//     in ys                                                 in ys, rs with [t] = r
//   }                                           return    for k < n (ys) {
//                                                           let t = n - 1 - k ; let r = rs[t] ; let z0 = f t
//                                                           let xs = for j < m (ys) { undo ; body again ; its return sweep }
//                                                           in xs
//
// This is done if the records have no more dimensions than what is overwritten, so that they take a small multiple of that. Several such
// loops and single updates may change an array one after the other. Of such an array only its last version is there in the return sweep.
// Elements and rows that the outer body reads of earlier ones are kept; with any other use the loops run again.
#pragma once
#include <set>
#include <span>

#include "passes/ad/reverse/loop_states.h"

namespace raido::ad {

class InnerLoops {
 public:
  // Emits the forward sweeps of such loops in `body`, in place of the loops. It is the body of the loop `op`, which has these states.
  InnerLoops(Scope& scope, ir::Body& body, const ir::For& op, const States& states);
  // Whether inner loops undo the updates of this state of the outer loop.
  bool undoes(size_t state) const { return undone_.contains(state); }
  // What the outer loop has to record: values of its body.
  const std::vector<ir::Atom>& wanted() const { return wanted_; }
  // Tells the scope of an iteration of the return sweep, before it runs the body. `after`: what the states of the outer loop are after
  // the iteration, of those that inner loops undo; `values`: what was wanted.
  void tell(Scope& iteration, const std::map<size_t, ir::Var>& after, std::span<const ir::Atom> values) const;

 private:
  struct Kept {
    size_t at;                                       // which statement of the body: an inner loop, an update, a copy, a read
    std::map<size_t, size_t> last;                   // by result: it is the last version of this state of the outer loop
    std::vector<size_t> read;                        // other results that statements of the body read
    std::optional<Back> back = {};                   // of a loop
    std::optional<Undo> undo = {};                   // of an update or a copy
  };
  std::vector<Kept> kept_;
  std::set<size_t> undone_;
  std::vector<ir::Atom> wanted_;
};

}  // namespace raido::ad
