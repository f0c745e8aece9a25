# tests.cmake - the tests, by label: `quick` (unit, golden, errors: seconds) and the rest.
if(RAIDO_TESTS)
  find_package(doctest REQUIRED)
  file(GLOB UNIT CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/unit/*_test.cc)
  add_executable(unit_tests tests/unit/main.cc ${UNIT})
  target_link_libraries(unit_tests PRIVATE raido_lower raido_passes raido_backends doctest::doctest)
  # The vptr check of the undefined-behaviour sanitizer wants RTTI, which the libraries do not have.
  target_compile_options(unit_tests PRIVATE $<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=vptr>)
  if(TARGET raido_driver)
    target_link_libraries(unit_tests PRIVATE raido_driver)
  endif()
  add_test(NAME unit COMMAND unit_tests)
  set_tests_properties(unit PROPERTIES LABELS quick TIMEOUT 120)
endif()

find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME layers COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/check_layers.py)
add_test(NAME citations COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/check_citations.py)
set_tests_properties(layers citations PROPERTIES LABELS quick)
if(TARGET raido AND EXISTS ${CMAKE_SOURCE_DIR}/tests/golden.py)
  add_test(NAME golden COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/golden.py --raido $<TARGET_FILE:raido>)
  add_test(NAME rules_doc COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/rules_doc.py --raido $<TARGET_FILE:raido>)
  set_tests_properties(golden rules_doc PROPERTIES LABELS quick TIMEOUT 300)
endif()

if(TARGET raido)
  add_test(NAME errors COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/errors.py $<TARGET_FILE:raido>)
  add_test(NAME essays COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/essays.py $<TARGET_FILE:raido>)
  set_tests_properties(errors essays PROPERTIES LABELS quick TIMEOUT 300)
endif()

# The commands as a person sees them, and the layout of every program here.
if(TARGET raido)
  add_test(NAME commands COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/commands/run.py $<TARGET_FILE:raido>)
  add_test(NAME layout COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/commands/layout.py $<TARGET_FILE:raido>)
  add_test(NAME literate COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/literate.py $<TARGET_FILE:raido>)
  add_test(NAME doc COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/doc.py $<TARGET_FILE:raido>)
  add_test(NAME packages COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/packages.py $<TARGET_FILE:raido>)
  set_tests_properties(commands layout literate doc packages PROPERTIES LABELS quick TIMEOUT 300)
  set_tests_properties(packages PROPERTIES SKIP_RETURN_CODE 77)
endif()

# Measuring, with a server whose times are known.
if(TARGET raido)
  add_test(NAME bench COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/bench.py $<TARGET_FILE:raido>)
  set_tests_properties(bench PROPERTIES LABELS quick TIMEOUT 120)
endif()

# The language server, by a client in a whole session.
if(TARGET raido)
  add_test(NAME lsp COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/lsp.py $<TARGET_FILE:raido>)
  set_tests_properties(lsp PROPERTIES LABELS quick TIMEOUT 120)
endif()

# What is installed.
if(TARGET raido)
  add_test(NAME install COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/install.py ${CMAKE_BINARY_DIR})
  set_tests_properties(install PROPERTIES LABELS quick TIMEOUT 120)
endif()

# Each rule of the language.
if(TARGET raido)
  add_test(NAME rules COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/rules.py $<TARGET_FILE:raido>)
  set_tests_properties(rules PROPERTIES LABELS quick TIMEOUT 600)
endif()

# The language, by test blocks: on the interpreter (quick), compiled (full).
if(TARGET raido)
  add_test(NAME conformance_interpreter
           COMMAND raido test -i --tolerance=1e-9 ${CMAKE_SOURCE_DIR}/tests/conformance)
  set_tests_properties(conformance_interpreter PROPERTIES LABELS quick TIMEOUT 300)
  # The same, where every value is compared with its type.
  add_test(NAME conformance_shapes
           COMMAND raido test -i -p --check-shapes --tolerance=1e-9 ${CMAKE_SOURCE_DIR}/tests/conformance)
  set_tests_properties(conformance_shapes PROPERTIES LABELS quick TIMEOUT 300)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    set(derive --derive)                                 # the compiler is what is looked at, not the numbers
  endif()
  add_test(NAME derivatives
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/ad/run.py --raido $<TARGET_FILE:raido> ${derive})
  set_tests_properties(derivatives PROPERTIES LABELS quick TIMEOUT 300)
  add_test(NAME derivatives_memory
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/ad/run.py --raido $<TARGET_FILE:raido> --option=--ad-memory=60
                   ${CMAKE_SOURCE_DIR}/tests/ad/schedules.fut)
  set_tests_properties(derivatives_memory PROPERTIES LABELS quick TIMEOUT 300)
  add_test(NAME derivatives_check
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/ad/run.py --raido $<TARGET_FILE:raido> --option=--ad-check
                   ${CMAKE_SOURCE_DIR}/tests/ad/asserted.fut)
  set_tests_properties(derivatives_check PROPERTIES LABELS quick TIMEOUT 300)
  add_test(NAME derivatives_costs COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/ad/costs.py --raido $<TARGET_FILE:raido>)
  set_tests_properties(derivatives_costs PROPERTIES LABELS quick TIMEOUT 300)
  add_test(NAME costs COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/cost/run.py $<TARGET_FILE:raido>)
  set_tests_properties(costs PROPERTIES LABELS quick TIMEOUT 300)
  foreach(pipeline cpu gpu)
    add_test(NAME derivatives_${pipeline} COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/ad/run.py
                                          --raido $<TARGET_FILE:raido> --pipeline ${pipeline})
    set_tests_properties(derivatives_${pipeline} PROPERTIES LABELS full TIMEOUT 600)
  endforeach()
  add_test(NAME derivatives_costs_cpu COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/ad/costs.py
                                      --raido $<TARGET_FILE:raido> --pipeline cpu)
  set_tests_properties(derivatives_costs_cpu PROPERTIES LABELS full TIMEOUT 300)
  add_test(NAME derivatives_sizes COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/ad/run.py
           --raido $<TARGET_FILE:raido> --sizes 0,1)
  set_tests_properties(derivatives_sizes PROPERTIES LABELS full TIMEOUT 900)
  add_test(NAME derivatives_random
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/fuzz/derivatives.py --raido $<TARGET_FILE:raido> --count 120)
  set_tests_properties(derivatives_random PROPERTIES LABELS full TIMEOUT 1200)
  add_test(NAME derivatives_random_memory
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/fuzz/derivatives.py --raido $<TARGET_FILE:raido> --count 30 --seed 70000
                   --ad-memory 100)
  set_tests_properties(derivatives_random_memory PROPERTIES LABELS full TIMEOUT 1200)
  add_test(NAME derivatives_shapes COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/ad/run.py --raido $<TARGET_FILE:raido>
                                   --option=--check-shapes)
  set_tests_properties(derivatives_shapes PROPERTIES LABELS full TIMEOUT 600)
  add_test(NAME updates_random
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/fuzz/updates.py --raido $<TARGET_FILE:raido> --count 150)
  set_tests_properties(updates_random PROPERTIES LABELS full TIMEOUT 600)
  add_test(NAME bounds_random
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/fuzz/bounds.py --raido $<TARGET_FILE:raido> --count 300)
  set_tests_properties(bounds_random PROPERTIES LABELS full TIMEOUT 600)
  add_test(NAME irregular_random
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/fuzz/irregular.py --raido $<TARGET_FILE:raido> --count 400 --c)
  set_tests_properties(irregular_random PROPERTIES LABELS full TIMEOUT 900)
  add_test(NAME sizes_random
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/fuzz/sizes.py --raido $<TARGET_FILE:raido> --count 600 --shapes --c
                   --verdicts ${CMAKE_SOURCE_DIR}/tests/fuzz/sizes_verdicts.txt)
  set_tests_properties(sizes_random PROPERTIES LABELS full TIMEOUT 900)
  foreach(what "nests_random 60" "nests_random_wide 4 --wide")
    separate_arguments(what)
    list(POP_FRONT what name)
    add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/fuzz/nests.py --raido $<TARGET_FILE:raido> --count ${what})
    set_tests_properties(${name} PROPERTIES LABELS full TIMEOUT 600)
  endforeach()
  # The same behind the pipelines, where the interpreter works on real blocks.
  foreach(pipeline cpu gpu)
    add_test(NAME conformance_after_${pipeline}_passes
             COMMAND raido test -i --pipeline=${pipeline} --tolerance=1e-9 ${CMAKE_SOURCE_DIR}/tests/conformance)
    set_tests_properties(conformance_after_${pipeline}_passes PROPERTIES LABELS full TIMEOUT 600)
  endforeach()
  set_tests_properties(conformance_after_cpu_passes PROPERTIES LABELS quick)
  foreach(backend c multicore opencl)
    add_test(NAME conformance_${backend}
             COMMAND raido test --backend=${backend} --tolerance=1e-9 ${CMAKE_SOURCE_DIR}/tests/conformance)
    set_tests_properties(conformance_${backend} PROPERTIES LABELS full TIMEOUT 3600)
  endforeach()
  add_test(NAME scalars COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/scalars.py $<TARGET_FILE:raido> interpreter c multicore opencl)
  set_tests_properties(scalars PROPERTIES LABELS full TIMEOUT 1200)
  add_test(NAME bad_data COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/bad_data.py $<TARGET_FILE:raido> c multicore)
  set_tests_properties(bad_data PROPERTIES LABELS full TIMEOUT 120)
  add_test(NAME counters COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/counters/counters.py $<TARGET_FILE:raido>)
  set_tests_properties(counters PROPERTIES LABELS full TIMEOUT 600)
  add_test(NAME nvrtc COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/nvrtc.py $<TARGET_FILE:raido> ${CMAKE_BINARY_DIR}
                              ${CMAKE_SOURCE_DIR}/tests/conformance)
  set_tests_properties(nvrtc PROPERTIES LABELS full TIMEOUT 3600 SKIP_RETURN_CODE 77)
endif()

# The thread pool of generated programs, plain and under the thread sanitizer.
if(NOT RAIDO_PORTABLE)
find_package(Threads REQUIRED)
foreach(kind plain tsan)
  add_executable(pool_${kind} tests/runtime/pool.c)
  target_compile_options(pool_${kind} PRIVATE -std=c99 -pedantic $<$<STREQUAL:${kind},tsan>:-fsanitize=thread>)
  target_link_options(pool_${kind} PRIVATE $<$<STREQUAL:${kind},tsan>:-fsanitize=thread>)
  target_link_libraries(pool_${kind} PRIVATE Threads::Threads m)
  add_test(NAME pool_${kind} COMMAND pool_${kind})
  set_tests_properties(pool_${kind} PROPERTIES LABELS quick TIMEOUT 120)
endforeach()
endif()

# The words of the vocabularies that block-wide kernels need, on the installed OpenCL device.
if(NOT RAIDO_PORTABLE)
  set(runtime ${CMAKE_SOURCE_DIR}/backends/runtime)
  add_executable(kernels_opencl tests/runtime/kernels.c)
  target_compile_definitions(kernels_opencl PRIVATE RAIDO_ON_OPENCL)
  target_link_libraries(kernels_opencl PRIVATE Threads::Threads m ${CMAKE_DL_LIBS})
  add_test(NAME kernels_opencl COMMAND kernels_opencl all ${runtime}/words_opencl.h ${runtime}/words.h
                                       ${CMAKE_SOURCE_DIR}/tests/runtime/kernels.h)
  set_tests_properties(kernels_opencl PROPERTIES LABELS full TIMEOUT 300)
endif()

# Golden values of the benchmark programs, transcripts in the documents, the example's fit.
if(TARGET raido)
  add_test(NAME benchmarks_interpreter COMMAND raido test -i --tolerance=1e-9 ${CMAKE_SOURCE_DIR}/benchmarks)
  add_test(NAME benchmarks_c COMMAND raido test --backend=c --tolerance=1e-9 ${CMAKE_SOURCE_DIR}/benchmarks)
  add_test(NAME gradbench COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/gradbench.py $<TARGET_FILE:raido>)
  add_test(NAME documents COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/check_docs.py --raido $<TARGET_FILE:raido>)
  set_tests_properties(benchmarks_interpreter benchmarks_c gradbench documents PROPERTIES LABELS full TIMEOUT 600)
endif()

# Generated programs, compiled by clang with a sanitizer: device kernels on the emulator, tasks, plain C. The compiler itself
# is not sanitized here.
if(TARGET raido AND NOT RAIDO_PORTABLE AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  foreach(what "tsan thread emulator" "asan address emulator" "tsan thread multicore" "asan address c")
    separate_arguments(what)
    list(GET what 0 label)
    list(GET what 1 kind)
    list(GET what 2 target)
    add_test(NAME ${target}_${label}
             COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/sanitizers.py $<TARGET_FILE:raido> ${CMAKE_BINARY_DIR} ${kind} ${target}
                     ${CMAKE_SOURCE_DIR}/tests/conformance ${CMAKE_SOURCE_DIR}/benchmarks/adbench)
    set_tests_properties(${target}_${label} PROPERTIES LABELS "full;${label}" TIMEOUT 1200 SKIP_RETURN_CODE 77)
  endforeach()
endif()

# What the sanitizer configurations run.
foreach(name unit golden errors conformance_interpreter derivatives)
  if(TEST ${name})
    set_property(TEST ${name} APPEND PROPERTY LABELS asan)
    if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
      set_tests_properties(${name} PROPERTIES TIMEOUT 1800)
    endif()
  endif()
endforeach()
foreach(name pool_plain pool_tsan)
  if(TEST ${name})
    set_property(TEST ${name} APPEND PROPERTY LABELS tsan)
  endif()
endforeach()

if(RAIDO_FUZZ)
  foreach(target text source programs)
    add_executable(fuzz_${target} tests/fuzz/fuzz_${target}.cc)
    target_link_libraries(fuzz_${target} PRIVATE raido_lower raido_check raido_ir)
    target_compile_options(fuzz_${target} PRIVATE -fno-sanitize=vptr)          # as for the unit tests
    target_link_options(fuzz_${target} PRIVATE -fsanitize=fuzzer)
  endforeach()
  foreach(target source programs)      # what the fuzzers came upon
    add_test(NAME corpus_${target} COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/fuzz/replay.py $<TARGET_FILE:fuzz_${target}>
                                           ${CMAKE_SOURCE_DIR}/tests/fuzz/corpus_${target}.tar.xz)
    set_tests_properties(corpus_${target} PROPERTIES LABELS asan TIMEOUT 1200)
  endforeach()
endif()

find_package(benchmark QUIET)
if(benchmark_FOUND AND TARGET raido_driver AND NOT RAIDO_PORTABLE AND NOT RAIDO_FUZZ)
  foreach(name compile_time check_speed)
    add_executable(${name} benchmarks/${name}.cc)
    target_link_libraries(${name} PRIVATE raido_driver benchmark::benchmark)
    add_test(NAME ${name} COMMAND ${name} --benchmark_min_time=0.01 WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES LABELS quick TIMEOUT 300 FAIL_REGULAR_EXPRESSION "ERROR OCCURRED")
  endforeach()
endif()

# Derivatives written by hand, which benchmarks/run.py sets beside those of the compiler.
add_custom_target(native_benchmarks)
foreach(name gmm ba hand lstm)
  add_executable(native_${name} EXCLUDE_FROM_ALL benchmarks/native/${name}.cc)
  target_compile_options(native_${name} PRIVATE -O3 -march=native -ffast-math -fopenmp-simd)
  set_target_properties(native_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/native OUTPUT_NAME ${name})
  add_dependencies(native_benchmarks native_${name})
endforeach()

# Programs as C libraries and as servers. What a device's emulator and its driver do with memory is not looked at.
if(TARGET raido)
  set(library ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/library/run.py $<TARGET_FILE:raido>)
  set(server ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/server/run.py $<TARGET_FILE:raido>)
  add_test(NAME library COMMAND ${library} --faults c multicore)
  add_test(NAME library_devices COMMAND ${library} opencl cuda-emulated)
  add_test(NAME library_memory COMMAND ${library} --sanitize=address,undefined c multicore opencl-emulated)
  add_test(NAME library_threads COMMAND ${library} --sanitize=thread multicore)
  add_test(NAME server COMMAND ${server} --backends=c,multicore)
  add_test(NAME server_devices COMMAND ${server} --backends=opencl,cuda-emulated)
  add_test(NAME server_soak COMMAND ${server} --backends=c,multicore,opencl-emulated --soak=100000)
  add_test(NAME clients COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/clients.py $<TARGET_FILE:raido> ${CMAKE_BINARY_DIR})
  set_tests_properties(clients PROPERTIES LABELS full TIMEOUT 900 SKIP_RETURN_CODE 77)
  set_tests_properties(library server PROPERTIES LABELS quick TIMEOUT 300)
  set_tests_properties(library_devices library_memory library_threads server_devices server_soak PROPERTIES LABELS full TIMEOUT 900)
endif()
