// reports.h - messages to the user's terminal, as text or as data, and what passes and options have to say.
#pragma once
#include <vector>

#include "compiler/check/load.h"
#include "compiler/driver/options.h"
#include "compiler/ir/ir.h"
#include "passes/pass.h"

namespace raido {

// The reports to standard error, errors and warnings in order of place, as the options ask (-w, --Werror, --warn, --json).
// True if compilation may go on.
bool print_reports(const Sources& sources, const Diagnostics& diags, const Options& options);

inline bool print_reports(const check::Checked& checked, const Options& options) {
  return print_reports(checked.sources, checked.diags, options);
}

// What passes refused (checked: null for a program that was read from its text form).
void report_refused(const std::vector<Refused>& refused, const ir::Program& program, const check::Checked* checked, const Options& options);
// What the device refused and the CPU does now. False: warnings are errors.
bool report_on_host(const std::vector<Refused>& moved, const ir::Program& program, const check::Checked* checked, const Options& options);
// Loops that cannot do with --ad-memory. False: warnings are errors.
bool report_exceeded(const std::vector<Exceeded>& exceeded, const ir::Program& program, const check::Checked* checked, const Options& options);

// After the passes: what attributes of the source asked to be told (`#[warn(safety_checks)]`, `#[unroll]`).
bool report_attributes(const ir::Program& program, const check::Checked& checked, const Options& options);

// The essay of a code; false and a message if there is no such code.
bool explain(std::string code);
void list_errors();

}  // namespace raido
