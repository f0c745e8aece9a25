// commands.h - one function for each command word; the result is the exit code (0 ok, 1 usage or internal, 2 program).
#pragma once
#include "compiler/driver/options.h"

namespace raido {

int command_check(const Options& options);   // check.cc
int command_eval(const Options& options);    // eval.cc
int command_repl(const Options& options);    // repl.cc
int command_check_syntax(const Options& options);   // info.cc, and the five that follow
int command_imports(const Options& options);
int command_defs(const Options& options);
int command_query(const Options& options);
int command_hash(const Options& options);
int command_tokens(const Options& options);
int command_fmt(const Options& options);     // fmt.cc
int command_build(const Options& options);   // build.cc: c, multicore, opencl, cuda, llvm
int command_python(const Options& options);  // build.cc
int command_dataset(const Options& options); // dataset.cc
int command_datacmp(const Options& options); // dataset.cc
int command_dataget(const Options& options); // dataset.cc
int command_script(const Options& options);  // script_command.cc
int command_roofline(const Options& options);   // roofline.cc: a part of dev
int command_pkg(const Options& options);     // pkg.cc
int command_doc(const Options& options);     // doc.cc
int command_literate(const Options& options); // literate.cc
int command_run(const Options& options);     // run.cc
int command_test(const Options& options);    // test.cc
int command_bench(const Options& options);   // bench.cc
int command_benchcmp(const Options& options);    // benchcmp.cc
int command_autotune(const Options& options);    // autotune.cc
int command_profile(const Options& options); // profile.cc
int command_lsp(const Options& options);     // lsp.cc
int command_gradbench(const Options& options);   // gradbench.cc
int command_dev(const Options& options);     // dev.cc

}  // namespace raido
