// pipelines.cc - the lists. A step is a pass of passes.def or a group with a condition.
#include "passes/pipelines.h"

#include <algorithm>

#include "compiler/ir/transform.h"

namespace raido {
namespace {

bool uses_ad(const ir::Program& p) { return p.level == ir::Ad; }
bool has_batches(const ir::Program& p) {
  return std::ranges::any_of(p.vars, [](const ir::VarInfo& v) { return v.batched; });
}

const Pipeline& cleanup() {
  static const Pipeline steps = {pass::simplify, pass::cse, pass::hoist, pass::dce};
  return steps;
}
const Pipeline& fusion() {
  static const Pipeline steps = Pipeline{
      pass::early_accumulators,                            // maps and reductions fuse, accumulators do not
      pass::products,
      pass::fuse,
  } + then(pass::flattened, {pass::simplify, pass::dce, pass::fuse, pass::fuse}) +   // maps over rows, then what is in them
      then(pass::filter_sums, {pass::dce, pass::simplify, pass::fuse}) + then(pass::totals, {pass::simplify, pass::fuse}) + Pipeline{
      pass::patterns,                                      // what they match appears when producers have met consumers
  } + cleanup();
  return steps;
}

const Pipeline& differentiation() {
  static const Pipeline steps = Pipeline{
      pass::split,                                         // rules know a screma only as a pure map, reduction or scan
      pass::differentiate,                                 // runs `between_rounds` after each of its rounds
  } + cleanup() + then(pass::sparse, cleanup()) + Pipeline{
      pass::copies,                                        // of the copies that preparation made, most were not needed
  } + then(pass::time_sums, cleanup()) +                   // while the maps of an update are apart from others
      then(pass::loop_maps, cleanup()) + fusion() + then(pass::sparse, cleanup());          // once more, now that summands have met sums
  return steps;
}

const Pipeline& memory() {
  static const Pipeline steps = {
      pass::place,
      pass::double_buffer,                                 // before their allocations leave the loops
      pass::hoist_allocs,
  };
  return steps;
}

}  // namespace

const Pipeline& common_pipeline() {
  static const Pipeline steps =
      Pipeline{pass::inline_small} + cleanup() +
      Pipeline{pass::inline_parallel} + cleanup() +        // looks at the sizes of functions, so after a cleanup
      fusion() +
      then(pass::batch_loops, cleanup() + fusion()) +          // before differentiation, so that return sweeps are loops around maps as well
      when(uses_ad, then(pass::unroll, cleanup()) + then(pass::numbers, cleanup()) +     // short loops need no records
                        differentiation() + then(pass::batch_loops, cleanup() + fusion())) +
      Pipeline{pass::copies} +
      Pipeline{pass::masked_sums} + cleanup();             // after differentiation: a zero times an element that nobody wanted may be no number
  return steps;
}
const Pipeline& between_rounds() {
  // Records of records do not appear in simplified code; and the rules need split scremas again.
  static const Pipeline steps = {pass::simplify, pass::cse, pass::dce, pass::split};
  return steps;
}
const Pipeline& pipeline_for(ir::Target target) {
  static const Pipeline cpu =
      common_pipeline() +
      then(pass::concat_parts, cleanup() + fusion()) +
      then(pass::transposed_maps, cleanup() + fusion()) +
      then(pass::element_loops, cleanup() + fusion()) +    // after differentiation, which follows what the user has written
      Pipeline{pass::cse_maps, pass::cse_loops} + cleanup() +   // tiles hide what two operations both compute
      then(pass::whole_rows, cleanup()) +                  // what is there twice is not found to be the same elsewhere
      Pipeline{pass::tiles} +                              // before the maps of contractions change places or are divided
      Pipeline{pass::owners} +                             // before the maps that it divides are cut into strips
      Pipeline{pass::rows, pass::interchange} +            // operators and maps on neighbouring elements
      Pipeline{pass::early_accumulators} +                 // more of them show after that
      then(pass::unroll, cleanup()) +                      // what is a contraction has been found
      then(pass::few_rows, cleanup()) +
      then(pass::numbers, cleanup()) +                     // straight code shows after that
      then(pass::unroll, cleanup()) +                      // of maps whose scopes were accumulators
      then(pass::numbers, cleanup()) +
      then(pass::primal_sums, cleanup()) +
      Pipeline{pass::cse_maps, pass::cse_loops, pass::cse_branches} +   // between operations that did not fuse
      then(pass::records, cleanup()) +                     // cse_loops knows whole records
      Pipeline{pass::filters} +                            // before scans become loops
      then(pass::scan_maps, cleanup()) +                   // filters know scans by their arrays
      Pipeline{pass::reduce_parts} +                       // its parts are tasks, or loops
      Pipeline{pass::tasks} + cleanup() +
      Pipeline{pass::accumulators, pass::sequentialise} + cleanup() +
      when(has_batches, Pipeline{pass::zero_seeds} + cleanup()) +
      Pipeline{pass::copies} +                             // loops that sequentialise has made update in place
      then(pass::carry, cleanup()) +
      then(pass::chosen_rows, cleanup()) +
      then(pass::peel, cleanup()) +
      then(pass::unswitch, cleanup()) +                    // conditions on the edges of rows have gone
      then(pass::reversed_loops, cleanup()) +              // loops without the strips of long scans
      then(pass::fuse_loops, cleanup()) +                  // so have those on the lengths of scans
      then(pass::fission, cleanup()) +                     // of iterations that are alike
      Pipeline{pass::own_rows} +                           // of loops that are what they will be
      memory() +
      then(pass::flat_loops, {pass::dce}) +
      Pipeline{pass::loop_shape};                          // no rule may undo what it makes of selects
  static const Pipeline gpu =
      common_pipeline() +
      then(pass::concat_parts, cleanup() + fusion()) +
      then(pass::transposed_maps, cleanup() + fusion()) +
      then(pass::loop_maps, cleanup() + fusion()) +        // loops whose states have become sums
      then(pass::triangle_sums, cleanup() + fusion()) +
      then(pass::element_loops, cleanup() + fusion()) +
      then(pass::records, cleanup()) +
      Pipeline{pass::rows} +
      Pipeline{pass::columns} + cleanup() +                // contractions show after that
      Pipeline{pass::cse_loops} + cleanup() +              // tiles hide what two operations both compute
      Pipeline{pass::tiles} +                              // before nests become kernels
      then(pass::unroll, cleanup()) +                      // what is a contraction has been found
      then(pass::few_rows, cleanup()) +
      then(pass::numbers, cleanup()) +                     // straight code shows after that
      Pipeline{pass::host_loops} +
      Pipeline{pass::filters} +                            // of the CPU's code, its loops included; before scans become kernels
      then(pass::scan_maps, cleanup()) +                   // filters know scans by their arrays
      Pipeline{pass::lone_loops, pass::flatten} + cleanup() +
      Pipeline{pass::accumulators, pass::sequentialise} + cleanup() +
      then(pass::fuse_loops, cleanup()) +
      then(pass::join, cleanup()) +
      then(pass::device_scalars, {pass::dce}) +            // after the last `hoist`, which moves steps to the CPU
      memory() +
      Pipeline{pass::expand};                              // needs the blocks that `place` gives to the arrays of a thread
  return target == ir::Target::Gpu ? gpu : cpu;
}

}  // namespace raido
