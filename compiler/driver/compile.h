// compile.h - the whole compiler: file to checked program to core program to backend.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "backends/backend.h"
#include "compiler/check/load.h"
#include "compiler/driver/options.h"
#include "compiler/driver/reports.h"
#include "compiler/ir/interpret.h"
#include "compiler/ir/ir.h"
#include "compiler/lower/lower.h"
#include "passes/pass.h"

namespace raido {

// A core program and what messages about it need. Made from a .fut file, or read from an .ir file (then `checked` is null).
struct Compiled {
  std::unique_ptr<check::Checked> checked;
  ir::Program program;
  std::vector<lower::EntryLayout> layouts;     // of the entry points; none for an .ir file
  lower::Calls calls;
};

check::Options check_options(const Options& options);

// Loads, checks and lowers. Problems are printed; none means exit code 2.
std::optional<Compiled> front_end(const std::string& path, const Options& options);

PassOptions pass_options(const Options& options);
ir::InterpretOptions interpret_options(const Options& options);
// `ad, core`: the levels of a set of them.
std::string level_names(int levels);
struct PassNotes {                       // for --explain-ad
  std::vector<Note> notes;
  std::vector<Exceeded> exceeded;
};
// Runs the pipeline; what a pass refuses is printed, and a pass at the wrong level; the result is false then.
bool run_passes(const Pipeline& pipeline, Compiled& compiled, ir::Target target, const PassOptions& pass_options, Stats& stats,
                const Options& options, PassNotes* said = nullptr);

// The pipeline called so (empty: none) and its target; none and a message if there is no such pipeline.
std::optional<Pipeline> find_pipeline(const std::string& name, ir::Target& target);

// The tables of --time-passes and --stats, to standard error.
void print_tables(const Stats& stats, const Options& options);

std::vector<std::string> pass_names();

// Why a source file cannot be read: "is a directory.", .. Empty if it can, or if it is not there.
std::string why_unreadable(const std::string& path);

std::string read_standard_input();

}  // namespace raido
