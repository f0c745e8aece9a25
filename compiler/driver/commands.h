// commands.h - one function for each command word; the result is the exit code (0 ok, 1 usage or internal, 2 program).
#pragma once
#include "compiler/driver/options.h"

namespace raido {

int command_check(const Options& options);   // check.cc
int command_fmt(const Options& options);     // fmt.cc
int command_build(const Options& options);   // build.cc: c, multicore, opencl, cuda
int command_run(const Options& options);     // run.cc
int command_test(const Options& options);    // test.cc
int command_dev(const Options& options);     // dev.cc

}  // namespace raido
