// results.cc - numbers about runs.
#include "compiler/driver/results.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "compiler/base/files.h"

namespace raido {
namespace {

using Json = nlohmann::ordered_json;

// Of a value that is a string (a failure), or an object with a member: that member, else null.
const Json* member(const Json& value, const char* name) {
  auto it = value.is_object() ? value.find(name) : value.end();
  return it == value.end() ? nullptr : &*it;
}

bool read_data_set(const Json& value, DataSetResult& out) {
  if (value.is_string()) return out.failure = value.get<std::string>(), true;
  const Json* runtimes = member(value, "runtimes");
  if (!runtimes || !runtimes->is_array()) return false;
  for (const Json& r : *runtimes) {
    if (!r.is_number()) return false;
    out.runtimes.push_back(r.get<double>());
  }
  if (const Json* bytes = member(value, "bytes")) {
    if (!bytes->is_object()) return false;
    for (auto& [space, n] : bytes->items()) {
      if (!n.is_number_integer()) return false;
      out.bytes.emplace_back(space, n.get<int64_t>());
    }
  }
  if (const Json* log = member(value, "stderr"); log && log->is_string()) out.log = log->get<std::string>();
  if (const Json* report = member(value, "profiling"); report && report->is_object()) out.profiling = report->dump();
  return true;
}

// The 97.5 % quantile of Student's t distribution, by the first terms of its expansion around that of the normal one.
double student(size_t freedom) {
  constexpr double exact[] = {12.706, 4.303, 3.182, 2.776};
  if (freedom <= 4) return exact[freedom - 1];
  double f = double(freedom);
  return 1.95996 + 2.37227 / f + 2.8225 / (f * f);
}

}  // namespace

std::string to_json(const Results& results) {
  Json out = Json::object();
  for (const ProgramResult& p : results) {
    if (!p.failure.empty()) {
      out[p.name] = p.failure;
      continue;
    }
    Json sets = Json::object();
    for (const DataSetResult& d : p.data_sets) {
      if (!d.failure.empty()) {
        sets[d.title] = d.failure;
        continue;
      }
      Json bytes = Json::object(), runs = Json::array();
      for (auto& [space, n] : d.bytes) bytes[space] = n;
      for (double r : d.runtimes) runs.push_back(r == std::floor(r) ? Json(int64_t(r)) : Json(r));
      sets[d.title] = {{"runtimes", runs}, {"bytes", bytes}};
      if (d.profiling.empty()) continue;
      sets[d.title]["stderr"] = d.log;
      sets[d.title]["profiling"] = Json::parse(d.profiling, nullptr, false);
    }
    out[p.name] = {{"datasets", sets}};
  }
  return out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<Results> read_results(const std::string& path, std::string& wrong) {
  FileContents file = read_file(path);
  if (!file.text) return wrong = path + ": " + file.error, std::nullopt;
  Json all = Json::parse(*file.text, nullptr, false);
  if (!all.is_object()) return wrong = path + ": not what `bench --json` writes: no object of programs", std::nullopt;
  Results results;
  for (auto& [name, value] : all.items()) {
    ProgramResult& p = results.emplace_back();
    p.name = name;
    if (value.is_string()) {
      p.failure = value.get<std::string>();
      continue;
    }
    const Json* sets = member(value, "datasets");
    if (!sets || !sets->is_object()) return wrong = fmt::format("{}: program `{}` has no object `datasets`", path, name), std::nullopt;
    for (auto& [title, set] : sets->items()) {
      DataSetResult& d = p.data_sets.emplace_back();
      d.title = title;
      if (!read_data_set(set, d))
        return wrong = fmt::format("{}: data set `{}` of `{}` has no list of numbers `runtimes`, or `bytes` are no numbers", path, title, name),
               std::nullopt;
    }
  }
  return results;
}

Statistics statistics(const std::vector<double>& runs) {
  Statistics s;
  if (runs.empty()) return s;
  double n = double(runs.size()), squares = 0, neighbours = 0;
  for (double r : runs) s.mean += r / n;
  for (size_t i = 0; i < runs.size(); i++) {
    squares += (runs[i] - s.mean) * (runs[i] - s.mean);
    if (i > 0) neighbours += (runs[i] - s.mean) * (runs[i - 1] - s.mean);
  }
  s.low = s.high = s.mean;
  if (runs.size() < 2 || squares == 0) return s;
  s.deviation = std::sqrt(squares / (n - 1));
  s.autocorrelation = neighbours / squares;
  double error = s.deviation / std::sqrt(n);
  s.relative_error = s.mean > 0 ? error / s.mean : 0;
  s.low = std::max(0.0, s.mean - student(runs.size() - 1) * error);
  s.high = s.mean + student(runs.size() - 1) * error;
  return s;
}

bool is_certain(const Statistics& s) {
  // Programs tell whole microseconds.
  if (s.relative_error * s.mean < 0.05) return true;
  // Alike by more than the first number: the mean may be off by at most the second.
  constexpr std::pair<double, double> limits[] = {{0.95, 0.001}, {0.75, 0.0015}, {0.65, 0.0025}, {0.45, 0.005}, {0.0, 0.01}};
  for (auto [alike, error] : limits)
    if (s.autocorrelation > alike && s.relative_error > error) return false;
  return true;
}

}  // namespace raido
