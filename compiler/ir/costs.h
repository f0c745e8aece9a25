// costs.h - the thresholds by which passes and backends choose between two right programs. A wrong one costs time, never a result.
//
// Each says its unit and what it was chosen by. Limits that keep the compiler itself from running long are here too. A number that
// a rule needs in order to be right is no threshold and stands in its rule.
#pragma once
#include <cstddef>
#include <cstdint>

#include "compiler/ir/ir.h"

namespace raido::costs {

// ---- estimates ----
inline constexpr double unknown_trips = 64;             // of a loop, elements of a dimension: what no constant says

// How often a loop of `n` iterations runs, or how many elements a dimension has: at least 1.
inline double expected(const ir::Dim& n) {
  auto constant = ir::const_of(n);
  return !constant ? unknown_trips : constant->as_i64() < 1 ? 1 : double(constant->as_i64());
}

// ---- the compiler's own time ----
inline constexpr int simplify_rounds = 8;               // over one body, each as long as the one before found something
inline constexpr int simplify_tries = 32;               // rules on one statement
inline constexpr size_t longest_literal = 64;           // elements of a replicate that becomes part of an array literal
inline constexpr size_t common_factors = 12;            // of one product that is searched for among others
inline constexpr int most_power = 16, most_float_power = 4;   // that become products
inline constexpr size_t chain_factors = 5;              // matrices of one product of which all orders are tried
inline constexpr size_t longest_chain = 16;             // matrices of one product: beyond chain_factors, neighbours are multiplied
inline constexpr size_t chain_sets = 1 << 17;           // ways to cut sets of them in two that are looked at
inline constexpr size_t band_bounds = 8;                 // of the indices of one sum or array that are kept in mind
inline constexpr int64_t short_band = 8;                 // iterations of a sum or loop: to run only some of them, an unknown number, saves nothing
inline constexpr size_t chain_orders = 14;              // as five matrices in a row have

inline constexpr size_t function_statements = 300;      // of the kernel program: larger functions are divided,
inline constexpr size_t part_statements = 200;          // in parts of no more: smaller ones would be called by inner loops,
inline constexpr size_t run_statements = 100;           // of several statements no more than these,
inline constexpr size_t least_part = 40;                // and of no less: a call costs some twenty operations
inline constexpr size_t objects_text = 50'000;          // bytes of C functions: from here on each version is an object of its own, and
inline constexpr size_t versions_text = 500'000;        // with so many the C compiler needs 10 s for one version, so beyond
                                                        // there are two instead of three, and one beyond twice as many

// ---- any target ----
inline constexpr size_t quick_steps = 8;                // of both sides of a condition: fewer than a jump that was not foreseen costs
inline constexpr size_t inline_statements = 24;         // of a function that is inlined wherever it is called
inline constexpr size_t inline_on_device = 300000;      // statements that kernels may get: what is too large for one is refused
inline constexpr size_t inline_growth = 20;             // times the size of the program before inlining
inline constexpr double record_trips = 8;               // runs of a statement for each element that it makes: keeping pays from here
inline constexpr size_t records_of_loop = 8;            // values that one pair of loops keeps: each goes to memory and back
inline constexpr int64_t least_time_sum = 64;            // elements of an array to which each iteration adds, that are worth to be summed after the loop
inline constexpr int64_t records_of_state = 16;         // times the bytes of the loop's arrays that its records may have
inline constexpr int64_t peeled_ends = 4;               // iterations that are peeled off at either end of a loop
inline constexpr int64_t peeled_trips = 16;             // of a loop with ends to peel, if their number is known
inline constexpr size_t peeled_statements = 100;        // of its body, which is copied for each end
inline constexpr size_t peeled_updates = 200;           // of one that adds to places at its edges, too: there are no vectors with them
inline constexpr size_t switched_tiles = 4;             // times as many statements are copied where tiles, or a scan in vectors, are for large rows only
inline constexpr size_t switched_statements = 12;       // of a branch on numbers that C compilers leave in a loop, though it goes one way
inline constexpr int64_t unrolled_width = 4;             // of maps and reductions inside others that become straight code
inline constexpr int64_t unrolled_sum = 7;               // the same of reductions that give numbers only: eight are a vector
inline constexpr int64_t unrolled_window = 25;           // the same of what reads around the place of a map: then this one is a vector
inline constexpr int64_t unrolled_cells = 64;            // of arrays that may be numbers in it
inline constexpr int64_t unrolled_state = 16;            // numbers that an array in the state of a loop becomes
inline constexpr int64_t unrolled_choices = 16;          // the same of maps whose branches depend on the number of the element only
inline constexpr size_t element_statements = 8;        // of an iteration that each element may repeat (element_loops.cc)
inline constexpr size_t divided_statements = 40, divided_parts = 4;   // of what goes over a concatenation, and parts of that
inline constexpr size_t unrolled_statements = 320;       // that it may have
inline constexpr int64_t copied_state = 256;             // bytes of a state that stays in one block, inside of another loop
inline constexpr size_t unrolled_arithmetic = 64;        // the same of a loop that reads no array, inside of a map
inline constexpr size_t unrolled_loop = 1000;            // statements and iterations of a loop over elements of a small array, all written out
inline constexpr int64_t batch_trips = 8;               // of the loop over a batch of seeds, and of the one around it

namespace ad {
inline constexpr int64_t chunk_width = 8;                // seeds that go through the code together: two vectors of four f64
inline constexpr int64_t most_chunk_width = 32;          // of a chunk whose number of seeds is known
inline constexpr int64_t chunked_seeds = 4;              // seeds from which chunks pay
inline constexpr int64_t chunked_point = 1 << 18;        // cells of the point, whose tangents a chunk multiplies
inline constexpr int64_t most_lanes = 64;                // seeds whose tangents of one number lie in a small array
inline constexpr int64_t lane_cells = 4096;              // of an array of constant size that is laid out anew with its lanes innermost
inline constexpr size_t records_of_update = 4;           // records of an inner loop for each update of an array around it
inline constexpr int64_t chosen_scalars = 8;             // of an array at most. Where one is read at run time, each adjoint is a choice
inline constexpr size_t recomputed_statements = 16;      // that the return sweep computes again instead of reading a record
inline constexpr int64_t first_records = 16;             // rows of a record of numbers that is enlarged where it is full
inline constexpr int64_t compared_places = 16;           // of a scatter whose places are compared with each other, without scratch memory
inline constexpr int64_t budget_levels = 10;             // of loops into which a memory budget divides one
inline constexpr int64_t budget_runs = 10;               // of an iteration, again, for a memory budget
inline constexpr int64_t budget_few_states[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64};   // of which a loop keeps the least with which it does so
inline constexpr int64_t budget_states = 16;             // that a loop keeps at least if its number of iterations is not known before
inline constexpr int64_t many_threads = 1024;            // what fits for so many fits
inline constexpr double call_work = 16;                  // operations that a call of a function of the C library counts as
inline constexpr double function_work = 256;             // the same for a function of the program
inline constexpr int64_t few_seeds = 64;                 // known number, that go through the code together even where each is zero but for one place
inline constexpr int sparse_rounds = 10;                 // of the search for what is zero but for one place
inline constexpr int bound_depth = 8;                    // operations that the search for a bound of a divisor looks through
}  // namespace ad

namespace cpu {
inline constexpr int64_t wide_rows = 12;                 // elements of a row from which it pays that a map around a reduction goes inside
inline constexpr size_t narrow_statements = 40;          // of a map that is there in both orders
inline constexpr int64_t strip = 2048;                  // partial results of f64: half of a first-level cache of 32 KiB
inline constexpr int64_t thread_strip = 64;             // the least strip for a thread: eight lines of a cache for f64
inline constexpr int64_t thread_strips = 4;             // for each thread, so that one that comes late has less to do
inline constexpr int64_t inner_trips = 4;               // iterations of a map that are worth a loop inside
inline constexpr int64_t stack_bytes = 2048;            // of a block of constant size; larger ones come from the heap
inline constexpr size_t interleaved_streams = 8;        // arrays read side by side that caches and prefetchers follow without help
inline constexpr int64_t accumulator_copies = 64;       // private ones of one accumulator, whatever the number of threads
inline constexpr int64_t assumed_threads = 8;            // where none run: in the interpreter
inline constexpr int64_t owner_parts = 64;              // into which the rows of an accumulator are divided among tasks
inline constexpr int64_t copied_cells = 4096;           // of an accumulator that always has private copies
inline constexpr int64_t most_copied_cells = 1 << 19;   // of one that may have them: beyond, they would fill the memory
inline constexpr int64_t atomic_threads = 6;             // that are slower than one at atomic updates with little work between
inline constexpr size_t light_update = 12;               // statements of a body for each of its updates: little work
inline constexpr int far_reads = 4;                      // of a loop that is no vector code, if they are
inline constexpr int far_reads_for_near = 2;             // times as many as reads beside those of the iteration before
inline constexpr int64_t least_lanes = 4, most_lanes = 32;   // of a loop that is told to be vector code; gcc finds longer ones by itself
inline constexpr int position_depth = 6;                 // sums and products that the search for the place of an element looks through
inline constexpr size_t position_terms = 16;             // of it
inline constexpr size_t alias_tests = 10;               // gcc compares at most so many pairs of places before a loop of vectors
inline constexpr size_t last_statements = 32;            // of a loop with loops inside, from which its last lanes run one by one: twice the code
inline constexpr int64_t lanes = 32;                     // iterations with loops inside that run side by side: four vectors of eight f64
inline constexpr int64_t grouped_points = 256;           // of a reduction whose parts are whole groups of them
inline constexpr int64_t part_operations = 8192;         // of points without loops that are worth a part of their own: a microsecond
inline constexpr int64_t lane_bytes = 4 << 20;           // of memory that lanes have for themselves, all together: of a second- or third-level cache
inline constexpr int64_t sum_bytes = 64;                 // of a vector of sums: the widest vector there is, two or four of others
inline constexpr int64_t half_sum = 8;                   // elements of half a vector that are added faster together than one by one
inline constexpr size_t sum_statements = 40;             // of a loop that is there twice for it
inline constexpr size_t wide_sum_statements = 8;         // of a loop that waits for its additions rather than for what it adds
inline constexpr size_t strip_statements = 240;          // of a loop that is there three times for its strips
inline constexpr int64_t chain_strip = 64;               // iterations of a loop that hands on numbers, whose other work is a vector
inline constexpr size_t chain_statements = 120;          // of one that is there three times for it
inline constexpr size_t chain_work = 8;                  // operations of a vector that are worth arrays for what it makes
inline constexpr size_t chain_arrays = 4;                // of these
inline constexpr int64_t fission_block = 256;            // iterations of a loop that becomes several, over blocks of so many
inline constexpr size_t fission_statements = 200, fission_arrays = 8;   // of its body; for numbers between its parts
inline constexpr int fission_stages = 5;                 // of them, so that half of the parts are lanes
inline constexpr int64_t scalar_strip = 32;              // iterations of a loop for vectors whose operations without vector form stand apart
inline constexpr size_t strip_updates = 12;              // that have memory for a strip each
inline constexpr size_t stores_apart = 1;                // of an iteration, from which lanes make them one after the other
inline constexpr int64_t few_lanes = 8;                  // that are left of them and run one after the other
inline constexpr int64_t unrolled = 16;                  // trips of a loop inside that C compilers unroll, so that none is left
inline constexpr int64_t straight_elements = 8;          // of an array that is filled or copied without a loop
inline constexpr size_t operations_for_gather = 8;       // for each element that lanes read from places far apart
inline constexpr size_t operations_of_guess = 12;        // that a processor loses by a branch that data decides, and lanes do not
inline constexpr size_t operations_for_scatter = 18;     // for each element that they store far apart, where those of short loops would lie side by side
inline constexpr size_t operations_of_loop = 56;        // that lanes do while a processor begins and ends a short loop
inline constexpr int64_t narrow_trips = 8;               // of such a loop, at most: as long as a vector
inline constexpr size_t operations_of_call = 64;        // that vectors save of a mathematical function
inline constexpr size_t float_cycles = 4, product_cycles = 3, division_cycles = 13;   // until the result of an operation, of integers, of a division is there
inline constexpr size_t operations_of_cycle = 2;        // that lanes do while one iteration waits for the one before
inline constexpr int64_t waiting_cycles = 512;          // of a whole loop that waits so: below, processors begin with the next loop meanwhile
inline constexpr int64_t interleaved = 4;                // iterations that run interleaved, since loops inside wait
inline constexpr size_t operations_of_extremum = 4;      // of a float, where a NaN has to be the result
inline constexpr size_t interleaved_operations = 3;      // of a processor for each cycle that such a loop waits: with more it is busy
inline constexpr int64_t interleaved_cycles = 128;       // of a whole loop that waits so: below, processors begin with the next loop meanwhile
inline constexpr int64_t scan_strip = 256;              // elements of a scan in vectors between two looks at what it has reached
inline constexpr int64_t lane_distance = 1024;          // bytes: rows of lanes that lie a multiple of it apart push each other out of a first-level cache
inline constexpr int64_t filter_threads = 7;             // that filter more slowly than one if an element costs little: measured with two, assumed beyond
inline constexpr size_t light_operations = 16;           // of such an element
inline constexpr int64_t least_block = 16;               // of a transposition: if both sides are shorter, two loops are as fast
inline constexpr int64_t parts_points = 512;             // of a reduction that is taken in parts, one for each lane, at least
inline constexpr int64_t group_points = 16384, part_groups = 16;   // on threads: points for which there are more groups of parts, and how many at most
inline constexpr int64_t tile_rows = 5, tile_columns = 1, tile_depth = 3;   // of a contraction in tiles: below, most of a tile is not stored
inline constexpr int64_t tile_batch_columns = 4;         // the same of columns in a batch, whose results are put in order afterwards
inline constexpr int64_t tile_short_sums = 16, tile_uses = 8;               // where loops are vectors of points: points at most, or sums of a copied number
inline constexpr size_t tile_results = 2;                // sums of one contraction: tiles of more do not stay in registers
inline constexpr int64_t tile_cells = 1 << 25;            // of arrays that only tiles need: 256 MiB of f64, where loops would keep one row
inline constexpr size_t tile_reads = 6;                  // of its operands, which are all copied
inline constexpr size_t tile_statements = 200;           // of maps around a contraction: they are there twice
inline constexpr int64_t panel_depth = 256;              // points of a sum that are taken together: a panel of 24 f64 in a first-level cache, with eight rows
inline constexpr int64_t panel_bytes = 3072;             // of columns that are taken together: with panel_depth three quarters of a MiB, in a second-level cache
inline constexpr int64_t shared_batch = 16;              // from so many contractions on, each has one thread; where there are fewer, threads share the tiles of each
inline constexpr int64_t shared_columns = 64;            // that one thread transposes at once: whole lines of every type
}  // namespace cpu

namespace gpu {
inline constexpr int64_t warp = 32;                     // threads that run together
inline constexpr int64_t full_device = 65536;           // threads that hide the latency of memory
inline constexpr int64_t least_block = 32;               // threads of a block, whatever the user says: a warp
inline constexpr int64_t shared_bytes = 40;              // of what each thread combines: in the largest block, 40 of the 48 KiB that all devices have
inline constexpr int64_t most_items = 15;                // elements of a scan that a thread keeps in registers, whatever their size
inline constexpr int64_t items_bytes = 120;              // and their bytes at most: where a block has few threads, shared memory has room for more
inline constexpr int64_t gathered_updates = 4;          // that a block's copy of a cell takes for each one of memory at its end
inline constexpr size_t update_statements = 48;          // of a value that an atomic update is worth, which takes as long as some hundred steps
inline constexpr int64_t locks = 1 << 16;               // that cells share by their number: as many as threads fill a device
inline constexpr int64_t copies_bytes = 32;             // for each thread, of several copies of a cell: so many leave room for all threads that a multiprocessor has
inline constexpr int64_t reduced_device = 1 << 17;      // threads of a reduction: a large device holds them all at once, and each waits for many elements at a time
inline constexpr int64_t scanned_device = 1024;         // the same where one thread runs over the partial results
inline constexpr int64_t fewer_parts = 256;             // of the partial results of a full device
inline constexpr int64_t long_row = 512;                // elements from which a warp takes a row, if their order does not matter
inline constexpr int64_t short_row = 64;                // elements of a row that a thread may run through beside other threads' rows
inline constexpr double lone_elements = 64;             // of an array that one thread makes alone rather than that a loop of the CPU launches a kernel
inline constexpr int64_t tile_rows = 16, tile_columns = 16, tile_depth = 16;   // of a contraction in tiles: below, most of a tile has no sums
inline constexpr size_t tile_operands = 4;              // of each side: more do not fit into shared memory
inline constexpr int64_t tile_bytes = 48 << 10;         // of shared memory for the rows and columns of a tile, in the largest block
inline constexpr int64_t tile_cells = 1 << 29;          // of arrays that only tiles need: 4 GiB of f64, which a nest would often have as well
inline constexpr int64_t tile_part = 32;                // points of a sum that is divided among blocks, at least: four steps of a block
inline constexpr int64_t batch_work = 1 << 21;          // multiply-adds of a step, from which a map of loops is a loop of products in tiles
inline constexpr size_t joined_results = 16;            // arrays that one kernel makes for several of the program
inline constexpr int64_t nest_width = 8;                // of a screma that becomes a dimension of the grid, if it is constant
inline constexpr size_t repeated_operations = 24;       // before an inner nest, which every kernel of the nest repeats
inline constexpr int64_t registers_bytes = 1024;        // of one thread's constant arrays that stay private to it
inline constexpr int64_t private_bytes = 16384;         // of all arrays of one thread
}  // namespace gpu

}  // namespace raido::costs
