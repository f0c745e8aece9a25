// results.h - the times of benchmarks: what they say, and the file that `bench --json` writes and `benchcmp` reads.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace raido {

struct DataSetResult {
  std::string title;
  std::string failure;                                       // not empty: there is nothing else
  std::vector<double> runtimes;                              // microseconds
  std::vector<std::pair<std::string, int64_t>> bytes;        // the most at once, by the space of memory
  std::string log, profiling;                                // of --profile: what the program said, its report as JSON
};
struct ProgramResult {
  std::string name;                                          // the file, with `:ENTRY` unless that is main
  std::string failure;
  std::vector<DataSetResult> data_sets;
};
using Results = std::vector<ProgramResult>;

std::string to_json(const Results& results);
// None and a reason: "FILE: what".
std::optional<Results> read_results(const std::string& path, std::string& wrong);

struct Statistics {
  double mean = 0, deviation = 0;                            // of a sample
  double relative_error = 0;                                 // of the mean
  double autocorrelation = 0;                                // of neighbours
  double low = 0, high = 0;                                  // the mean is between them, with 95 % confidence
};
Statistics statistics(const std::vector<double>& runtimes);
// Is the mean certain enough, considering that neighbours which are alike say less?
bool is_certain(const Statistics& s);

}  // namespace raido
