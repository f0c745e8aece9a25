# tests.cmake - the tests, by label: `quick` (unit, golden, errors: seconds) and the rest.
if(RAIDO_TESTS)
  find_package(doctest REQUIRED)
  file(GLOB UNIT CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/unit/*_test.cc)
  add_executable(unit_tests tests/unit/main.cc ${UNIT})
  target_link_libraries(unit_tests PRIVATE raido_driver doctest::doctest)
  # The vptr check of the undefined-behaviour sanitizer wants RTTI, which the libraries do not have.
  target_compile_options(unit_tests PRIVATE $<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=vptr>)
  add_test(NAME unit COMMAND unit_tests)
  set_tests_properties(unit PROPERTIES LABELS quick TIMEOUT 120)
endif()

find_package(Python3 REQUIRED COMPONENTS Interpreter)

# script_test(NAME LABEL SECONDS SCRIPT [ARGUMENT ..]): a script of tests/, which ends with 77 where it cannot run.
function(script_test name label seconds script)
  add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/${script} ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS "${label}" TIMEOUT ${seconds} SKIP_RETURN_CODE 77)
endfunction()
# blocks_test(NAME LABEL SECONDS PROGRAM|FOLDER|OPTION ..): the test blocks of programs. Compiled ones have no fused operations.
function(blocks_test name label seconds)
  add_test(NAME ${name} COMMAND raido test --tolerance=1e-9 --pass-compiler-option=--cpu=baseline ${ARGN} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS "${label}" TIMEOUT ${seconds})
endfunction()
set(raido $<TARGET_FILE:raido>)
set(conformance ${CMAKE_SOURCE_DIR}/tests/conformance)

# Every program in every configuration takes two hours. Without RAIDO_ALL_TESTS (scripts/test --all) each configuration has a share of the
# programs: one in PARTS, from number FIRST on. Each program runs on the interpreter and is compiled by at least one backend: the eighths
# of baseline 0, avx2 2, avx512 4, opencl 6 and the fourths of multicore 1, llvm 3 are all. Of random programs a fifth are made.
option(RAIDO_ALL_TESTS "every program in every configuration, in place of a share" OFF)
function(share variable parts first)
  file(GLOB programs ${conformance}/*.fut)
  set(chosen)
  set(number 0)
  foreach(program ${programs})
    math(EXPR part "${number} % ${parts}")
    if(RAIDO_ALL_TESTS OR part EQUAL first)
      list(APPEND chosen ${program})
    endif()
    math(EXPR number "${number} + 1")
  endforeach()
  set(${variable} ${chosen} PARENT_SCOPE)
endfunction()
# shared_test(NAME LABEL SECONDS PARTS FIRST [OPTION ..]): the test blocks of a share of the conformance programs.
function(shared_test name label seconds parts first)
  share(programs ${parts} ${first})
  blocks_test(${name} ${label} ${seconds} ${ARGN} ${programs})
endfunction()
# random_test(NAME LABEL SECONDS COUNT SCRIPT [OPTION ..]): programs that are made by chance, COUNT of them, by a script of tests/fuzz/.
function(random_test name label seconds count script)
  if(NOT RAIDO_ALL_TESTS)
    math(EXPR count "(${count} + 4) / 5")
  endif()
  script_test(${name} ${label} ${seconds} fuzz/${script} --raido ${raido} --count ${count} ${ARGN})
endfunction()
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  set(sanitized ON)
  set(derive --derive --every 8)                        # the compiler is what is looked at, not the numbers
else()
  set(derive --pipelines cpu,gpu --option=--check-shapes)      # with every value compared with its type
endif()

# The sources and the documents; passes and messages by golden files.
script_test(layers quick 60 check_layers.py)
script_test(citations quick 60 check_citations.py)
script_test(words quick 60 check_words.py)
script_test(pictures quick 60 pictures.py)
script_test(golden quick 300 golden.py --raido ${raido})
script_test(verified quick 600 verified.py ${raido} ${CMAKE_SOURCE_DIR}/tests/conformance ${CMAKE_SOURCE_DIR}/tests/ad ${CMAKE_SOURCE_DIR}/benchmarks ${CMAKE_SOURCE_DIR}/examples)
script_test(rules_doc quick 300 rules_doc.py --raido ${raido})
script_test(errors quick 300 errors.py ${raido})
script_test(essays quick 300 essays.py ${raido})
script_test(documents full 600 check_docs.py --raido ${raido})

# The commands as a person sees them, the layout of every program here, and what is installed.
script_test(commands quick 300 commands/run.py ${raido})
script_test(layout quick 300 commands/layout.py ${raido})
script_test(literate quick 300 literate.py ${raido})
script_test(doc quick 300 doc.py ${raido})
script_test(packages quick 300 packages.py ${raido})
script_test(bench quick 120 bench.py ${raido})                     # with a server whose times are known
script_test(repl quick 120 repl.py ${raido})                       # on a terminal
script_test(lsp quick 120 lsp.py ${raido})                         # a client in a whole session
script_test(install quick 120 install.py ${CMAKE_BINARY_DIR})

# The language: each rule of it; programs on the interpreter, there also with every value compared with its type, on real blocks
# after the pipelines, and compiled.
script_test(rules quick 600 rules.py ${raido})
if(sanitized)
  shared_test(conformance_interpreter quick 300 8 0 -i)
elseif(RAIDO_PORTABLE)
  blocks_test(conformance_interpreter quick 300 -i tests/conformance)
else()
  blocks_test(conformance_shapes quick 300 -i --check-shapes tests/conformance)
endif()
shared_test(conformance_after_cpu_passes quick 600 4 0 -i --pipeline=cpu)
shared_test(conformance_after_gpu_passes full 600 4 2 -i --pipeline=gpu)
# With the flags of users each program is compiled once, for one version of the processor; with -O1, which takes a third of the time, for threads.
set(turn 0)
foreach(version baseline avx2 avx512)
  share(programs 8 ${turn})
  script_test(conformance_${version} full 3600 processors.py ${raido} conformance ${version} ${programs})
  math(EXPR turn "${turn} + 2")
endforeach()
# Few threads leave much to one: nine do not.
shared_test(conformance_multicore full 3600 4 1 --backend=multicore -p --num-threads=9)
shared_test(conformance_one_thread full 3600 8 5 --backend=multicore -p --num-threads=1)
set_tests_properties(conformance_multicore conformance_one_thread PROPERTIES ENVIRONMENT CFLAGS=-O1)
shared_test(conformance_opencl full 3600 8 6 --backend=opencl -p --build-option=-cl-opt-disable)
# With the optimisations of the OpenCL compiler: kernels with barriers, which these have broken before.
blocks_test(conformance_opencl_optimised full 1800 --backend=opencl ${conformance}/collective.fut
            ${conformance}/collective_scans.fut ${conformance}/collective_filters.fut)
blocks_test(conformance_many_threads full 600 --backend=multicore -p --num-threads=9 tests/conformance/one_pass_filters.fut)
script_test(scalars full 1200 scalars.py ${raido} interpreter c multicore opencl)
# Where LLVM is. Golden values of the benchmarks, too.
find_library(LLVM_LIBRARY NAMES libLLVM.so.19.1 libLLVM-19.so PATHS /usr/lib/llvm-19/lib)
if(RAIDO_LLVM AND LLVM_LIBRARY)
  shared_test(conformance_llvm full 1200 4 3 --backend=llvm)
  share(programs 8 1)
  add_test(NAME conformance_llvm_native COMMAND raido test --backend=llvm ${programs})
  set_tests_properties(conformance_llvm_native PROPERTIES LABELS full TIMEOUT 1200)
  blocks_test(benchmarks_llvm full 600 --backend=llvm benchmarks)
  script_test(scalars_llvm full 300 scalars.py ${raido} llvm)
  script_test(server_llvm full 300 server/run.py ${raido} --backends=llvm)
  script_test(llvm quick 120 llvm.py ${raido})
endif()
script_test(vector_math full 300 vector_math.py ${raido})
script_test(processors full 300 processors.py ${raido} versions)
script_test(bad_data full 120 bad_data.py ${raido} c multicore opencl)
script_test(counters full 600 counters/counters.py ${raido})
if(RAIDO_ALL_TESTS)
  set(long --long)
endif()
script_test(counters_large full 3600 counters/large.py ${raido} ${long})
share(programs 8 2)
script_test(nvrtc full 3600 nvrtc.py ${raido} ${CMAKE_BINARY_DIR} ${programs})

# Derivatives: checked four ways as they are lowered and after both pipelines, under budgets, with checks, at sizes 0 and 1.
if(NOT RAIDO_ALL_TESTS)
  set(some --every 5)
  if(NOT sanitized)
    list(APPEND derive ${some})
  endif()
endif()
script_test(derivatives full 1200 ad/run.py --raido ${raido} ${derive})
script_test(derivatives_memory quick 300 ad/run.py --raido ${raido} --option=--ad-memory=60 ${CMAKE_SOURCE_DIR}/tests/ad/schedules.fut)
script_test(derivatives_budgets quick 300 ad/budgets.py --raido ${raido})
script_test(derivatives_check quick 300 ad/run.py --raido ${raido} --option=--ad-check ${CMAKE_SOURCE_DIR}/tests/ad/asserted.fut)
script_test(derivatives_costs quick 300 ad/costs.py --raido ${raido})
script_test(costs quick 300 cost/run.py ${raido})
script_test(derivatives_costs_cpu full 300 ad/costs.py --raido ${raido} --pipeline cpu)
script_test(derivatives_sizes full 900 ad/run.py --raido ${raido} --sizes 0,1 ${some})

# Programs that are made by chance.
random_test(derivatives_random full 1200 120 derivatives.py)
random_test(bands_random full 600 12 bands.py)
random_test(sums_random full 600 60 sums.py)
random_test(derivatives_random_memory full 1200 30 derivatives.py --seed 70000 --ad-memory 100)
random_test(derivatives_random_least full 1200 30 derivatives.py --seed 71000 --ad-memory 1)
random_test(derivatives_random_gpu_memory full 1200 30 derivatives.py --seed 72000 --pipeline gpu --ad-memory 1k)
random_test(updates_random full 600 150 updates.py)
random_test(collective_random full 900 8 collective.py)
random_test(stencils_random full 1200 8 stencils.py)
random_test(lanes_random full 1200 8 lanes.py)
random_test(tiles_random full 1200 4 tiles.py)
random_test(growth full 600 40 growth.py)
random_test(bounds_random full 600 300 bounds.py)
random_test(places_random full 600 60 places.py)
random_test(irregular_random full 900 400 irregular.py --c)
random_test(short_loops_random full 600 60 short_loops.py)
random_test(operators_random full 600 60 operators.py)
script_test(messages_random full 300 fuzz/messages.py --raido ${raido} --seconds 10)
script_test(fuzz_runtime full 300 fuzz/runtime.py --raido ${raido} --seconds 20)
random_test(sizes_random full 900 600 sizes.py --shapes --c
            --verdicts ${CMAKE_SOURCE_DIR}/tests/fuzz/sizes_verdicts.txt)
random_test(nests_random full 600 60 nests.py)
random_test(nests_random_wide full 600 4 nests.py --wide)

# Golden values of the benchmark programs.
blocks_test(benchmarks_interpreter full 600 -i benchmarks)
blocks_test(benchmarks_c full 600 --backend=c benchmarks)
script_test(gradbench full 600 gradbench.py ${raido})
script_test(profile full 600 profile.py --raido ${raido})

# Programs as C libraries and as servers. What a device's emulator and its driver do with memory is not looked at.
script_test(library quick 300 library/run.py ${raido} --faults c multicore)
script_test(library_devices full 900 library/run.py ${raido} --faults opencl cuda-emulated)
script_test(library_memory full 900 library/run.py ${raido} --sanitize=address,undefined c multicore opencl-emulated)
script_test(library_threads full 900 library/run.py ${raido} --sanitize=thread multicore)
script_test(server quick 300 server/run.py ${raido} --backends=c,multicore)
script_test(server_devices full 900 server/run.py ${raido} --backends=opencl,cuda-emulated)
script_test(server_soak full 900 server/run.py ${raido} --backends=c,multicore,opencl-emulated --soak=100000)
script_test(clients full 900 clients.py ${raido} ${CMAKE_BINARY_DIR})
script_test(library_clients full 300 library/clients/run.py ${raido} ${CMAKE_BINARY_DIR} c multicore opencl)

# Programs as packages of Python. PyTorch may have to be installed (python/run.py).
set(python python/run.py ${raido} ${CMAKE_BINARY_DIR})
script_test(python quick 300 ${python} plain c)
script_test(python_backends full 600 ${python} plain multicore opencl cuda)
foreach(what header sanitize numpy torch jax distributed plot)
  script_test(python_${what} full 600 ${python} ${what})
endforeach()
set_tests_properties(python_torch python_distributed PROPERTIES TIMEOUT 1800 RESOURCE_LOCK python_torch)
script_test(packaged full 300 packaged.py ${CMAKE_BINARY_DIR})

script_test(warnings full 600 warnings.py ${raido} ${conformance} ${CMAKE_SOURCE_DIR}/benchmarks)

# Generated programs, compiled by clang with a sanitizer: device kernels on the emulator, tasks, plain C. The compiler itself
# is not sanitized here.
if(NOT RAIDO_PORTABLE AND NOT sanitized)
  foreach(what "tsan thread emulator 10 3" "asan address emulator 10 8" "tsan thread multicore 8 2" "asan address c 8 7")
    separate_arguments(what)
    list(GET what 0 label)
    list(GET what 1 kind)
    list(GET what 2 target)
    list(GET what 3 parts)
    list(GET what 4 first)
    share(programs ${parts} ${first})
    script_test(${target}_${label} "full;${label}" 2400 sanitizers.py ${raido} ${CMAKE_BINARY_DIR} ${kind} ${target}
                ${programs} ${CMAKE_SOURCE_DIR}/benchmarks/adbench)
  endforeach()
endif()

# The thread pool of generated programs, plain and under the thread sanitizer; copies in blocks; the words of the vocabularies that block-wide
# kernels need, on the installed OpenCL device.
if(NOT RAIDO_PORTABLE)
  foreach(kind plain tsan)
    add_executable(pool_${kind} tests/runtime/pool.c)
    target_compile_options(pool_${kind} PRIVATE -std=c99 -pedantic $<$<STREQUAL:${kind},tsan>:-fsanitize=thread>)
    target_link_options(pool_${kind} PRIVATE $<$<STREQUAL:${kind},tsan>:-fsanitize=thread>)
    target_link_libraries(pool_${kind} PRIVATE Threads::Threads m)
    add_test(NAME pool_${kind} COMMAND pool_${kind})
    set_tests_properties(pool_${kind} PROPERTIES LABELS "quick;tsan" TIMEOUT 120)
  endforeach()
  add_executable(copies tests/runtime/copies.c)
  target_compile_options(copies PRIVATE -std=c99 -pedantic -Wall -Wextra)
  target_link_libraries(copies PRIVATE m)
  add_test(NAME copies COMMAND copies)
  set_tests_properties(copies PROPERTIES LABELS quick TIMEOUT 120)
  add_executable(counts tests/runtime/counts.c)
  target_compile_options(counts PRIVATE -std=c99)
  target_link_libraries(counts PRIVATE Threads::Threads m)
  add_test(NAME counts COMMAND counts)
  add_test(NAME counts_sampled COMMAND counts 8)
  set_tests_properties(counts counts_sampled PROPERTIES LABELS quick TIMEOUT 120)
  set(runtime ${CMAKE_SOURCE_DIR}/backends/runtime)
  add_executable(kernels_opencl tests/runtime/kernels.c)
  target_compile_definitions(kernels_opencl PRIVATE RAIDO_ON_OPENCL)
  target_link_libraries(kernels_opencl PRIVATE Threads::Threads m ${CMAKE_DL_LIBS})
  add_test(NAME kernels_opencl COMMAND kernels_opencl all ${runtime}/words_opencl.h ${runtime}/words.h
                                       ${CMAKE_SOURCE_DIR}/tests/runtime/kernels.h)
  set_tests_properties(kernels_opencl PROPERTIES LABELS full TIMEOUT 300)
endif()

# What the sanitizer configuration runs, and the portable one.
foreach(name unit golden errors conformance_interpreter derivatives)
  if(TEST ${name})                            # no unit tests without RAIDO_TESTS
    set_property(TEST ${name} APPEND PROPERTY LABELS asan)
    if(sanitized)
      set_tests_properties(${name} PROPERTIES TIMEOUT 1800)
    endif()
  endif()
endforeach()
foreach(name unit golden errors commands conformance_interpreter install)
  if(TEST ${name})
    set_property(TEST ${name} APPEND PROPERTY LABELS portable)
  endif()
endforeach()

# Long tests start first, so that all cores have work to the end. A clean build folder knows no earlier durations. The numbers are
# seconds that were measured once; only their order counts.
function(long_test seconds)
  foreach(name ${ARGN})
    if(TEST ${name})
      set_tests_properties(${name} PROPERTIES COST ${seconds})
    endif()
  endforeach()
endfunction()
long_test(400 counters_large scalars)
long_test(200 benchmarks_c conformance_multicore verified commands)
long_test(130 derivatives derivatives_sizes processors conformance_shapes conformance_opencl conformance_opencl_optimised)
long_test(80 gradbench library library_memory emulator_asan emulator_tsan conformance_avx512 conformance_avx2 conformance_baseline collective_random
             conformance_after_gpu_passes conformance_after_cpu_passes)
if(sanitized)
  long_test(700 conformance_interpreter)
endif()

if(RAIDO_FUZZ)
  foreach(target text source programs)
    add_executable(fuzz_${target} tests/fuzz/fuzz_${target}.cc)
    target_link_libraries(fuzz_${target} PRIVATE raido_lower raido_check raido_ir)
    target_compile_options(fuzz_${target} PRIVATE -fno-sanitize=vptr)          # as for the unit tests
    target_link_options(fuzz_${target} PRIVATE -fsanitize=fuzzer)
  endforeach()
  foreach(target source programs)      # what the fuzzers came upon
    script_test(corpus_${target} asan 1200 fuzz/replay.py $<TARGET_FILE:fuzz_${target}> ${CMAKE_SOURCE_DIR}/tests/fuzz/corpus_${target}.tar.xz)
  endforeach()
endif()

find_package(benchmark QUIET)
if(benchmark_FOUND AND NOT RAIDO_PORTABLE AND NOT RAIDO_FUZZ)
  foreach(name compile_time check_speed)
    add_executable(${name} benchmarks/${name}.cc)
    target_link_libraries(${name} PRIVATE raido_driver benchmark::benchmark)
    add_test(NAME ${name} COMMAND ${name} --benchmark_min_time=0.01 WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES LABELS quick TIMEOUT 300 FAIL_REGULAR_EXPRESSION "ERROR OCCURRED")
  endforeach()
endif()

# Derivatives written by hand, which benchmarks/run.py sets beside those of the compiler.
add_custom_target(native_benchmarks)
foreach(name ba gmm hand lanes lstm product)
  add_executable(native_${name} EXCLUDE_FROM_ALL benchmarks/native/${name}.cc)
  target_compile_options(native_${name} PRIVATE -O3 -march=native -ffast-math -fopenmp-simd -Wno-psabi)   # lanes: wider than some machines
  set_target_properties(native_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/native OUTPUT_NAME ${name})
  add_dependencies(native_benchmarks native_${name})
endforeach()
target_link_libraries(native_product PRIVATE ${CMAKE_DL_LIBS})
