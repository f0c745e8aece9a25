// gradbench.cc - `raido gradbench`: the tool side of GradBench's protocol, one JSON object on each line in both directions.
//
// A module is a program of the folder, compiled when it is defined. An evaluation is a run of it in a process of its own, which
// times its entry point itself. The table below says which entry point a function is. It also says which fields of the input
// are its arguments, and where in the output its results go.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "compiler/base/files.h"
#include "compiler/base/text.h"
#include "compiler/driver/commands.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/data.h"
#include "compiler/driver/output.h"
#include "compiler/driver/run.h"

namespace raido {
namespace {

using Json = nlohmann::ordered_json;
using ir::Value;

struct Function {
  std::string_view module, name, file, entry;
  std::string_view inputs;      // paths of fields, in the order of the parameters; empty: the input itself
  std::string_view outputs;     // fields, in the order of the results; empty: the result itself; +: all numbers of all results in one list
};

constexpr std::string_view hand =
    "data.model.parents data.model.base_relatives data.model.inverse_base_absolutes data.model.base_positions data.model.weights "
    "data.model.triangles data.model.is_mirrored data.correspondences data.points us theta";

const Function functions[] = {
    {"hello", "square", "gradbench/hello", "square", "", ""},
    {"hello", "double", "gradbench/hello", "double", "", ""},
    {"lse", "primal", "gradbench/lse", "calculate_objective", "x", ""},
    {"lse", "gradient", "gradbench/lse", "calculate_jacobian", "x", ""},
    {"llsq", "primal", "gradbench/llsq", "calculate_objective", "x n", ""},
    {"llsq", "gradient", "gradbench/llsq", "calculate_jacobian", "x n", ""},
    {"det", "primal", "gradbench/det", "calculate_objective", "A ell", ""},
    {"det", "gradient", "gradbench/det", "calculate_jacobian", "A ell", ""},
    {"ode", "primal", "gradbench/ode", "calculate_objective", "x s", ""},
    {"ode", "gradient", "gradbench/ode", "calculate_jacobian", "x s", ""},
    {"gmm", "objective", "adbench/gmm", "calculate_objective", "alpha mu q l x gamma m", ""},
    {"gmm", "jacobian", "adbench/gmm", "calculate_jacobian", "alpha mu q l x gamma m", "alpha mu q l"},
    {"ba", "objective", "adbench/ba", "calculate_objective", "cam x w feat seen", "reproj_error w_err"},
    {"ba", "jacobian", "adbench/ba", "calculate_jacobian", "cam x w feat seen", "rows cols vals"},
    {"ht", "objective", "gradbench/ht", "objective", hand, ""},
    {"ht", "jacobian", "gradbench/ht", "jacobian", hand, ""},
    {"lstm", "objective", "adbench/lstm", "calculate_objective", "main_params extra_params state sequence", ""},
    {"lstm", "jacobian", "adbench/lstm", "calculate_jacobian", "main_params extra_params state sequence", "+"},
    {"kmeans", "cost", "sc22/kmeans", "calculate_objective", "points centroids", ""},
    {"kmeans", "dir", "sc22/kmeans", "dir", "points centroids", ""},
    {"particle", "ff", "gradbench/particle", "ff", "w", ""},
    {"particle", "fr", "gradbench/particle", "fr", "w", ""},
    {"particle", "rf", "gradbench/particle", "rf", "w", ""},
    {"particle", "rr", "gradbench/particle", "rr", "w", ""},
    {"saddle", "ff", "gradbench/saddle", "ff", "start", ""},
    {"saddle", "fr", "gradbench/saddle", "fr", "start", ""},
    {"saddle", "rf", "gradbench/saddle", "rf", "start", ""},
    {"saddle", "rr", "gradbench/saddle", "rr", "start", ""},
};

std::vector<std::string> words(std::string_view text, char between) {
  return text.empty() ? std::vector<std::string>() : split(std::string(text), between);
}

// The field at a path of objects; null if there is none.
const Json* at_path(const Json& object, std::string_view path) {
  const Json* at = &object;
  for (const std::string& key : words(path, '.')) {
    if (!at->is_object() || !at->contains(key)) return nullptr;
    at = &(*at)[key];
  }
  return at;
}

bool push_numbers(const Json& from, size_t depth, Value& to) {
  if (depth < to.shape.size()) {
    if (!from.is_array() || int64_t(from.size()) != to.shape[depth]) return false;
    return std::all_of(from.begin(), from.end(), [&](const Json& row) { return push_numbers(row, depth + 1, to); });
  }
  if (to.elem == Scalar::Bool && from.is_boolean()) return to.push<uint8_t>(from.get<bool>()), true;
  if (to.elem == Scalar::F64 && from.is_number()) return to.push(from.get<double>()), true;
  if (to.elem == Scalar::I64 && from.is_number_integer()) return to.push(from.get<int64_t>()), true;
  return false;
}

// A value of this type; none if the JSON is not one. The first element says how long rows are.
std::optional<Value> to_value(const Json& from, Scalar elem, size_t rank) {
  Value out{elem, {}, {}};
  const Json* first = &from;
  for (size_t d = 0; d < rank; d++) {
    bool empty = !first || first->empty();
    if (first && !first->is_array()) return {};
    out.shape.push_back(empty ? 0 : int64_t(first->size()));
    first = empty ? nullptr : &(*first)[0];
  }
  if (!push_numbers(from, 0, out)) return {};
  return out;
}

// Nothing if a number is not finite: JSON has no word for it.
std::optional<Json> to_json(const Value& v, size_t depth, int64_t& at) {
  if (depth < v.shape.size()) {
    Json rows = Json::array();
    for (int64_t i = 0; i < v.shape[depth]; i++) {
      auto row = to_json(v, depth + 1, at);
      if (!row) return {};
      rows.push_back(std::move(*row));
    }
    return rows;
  }
  int64_t i = at++;
  if (v.elem == Scalar::I64) return Json(v.at<int64_t>(i));
  double x = v.at<double>(i);
  return std::isfinite(x) ? std::optional<Json>(x) : std::nullopt;
}

// Bundle adjustment sends one of each thing and how many there are, and hears of one of each.
Json replicated(const Json& input) {
  Json out = Json::object();
  auto number = [&](const char* key) { return input.contains(key) && input[key].is_number_integer() ? input[key].get<int64_t>() : 0; };
  auto repeat = [&](const char* key, int64_t times) {
    if (input.contains(key)) out[key] = Json(std::vector<Json>(size_t(times), input[key]));
  };
  int64_t cameras = std::max<int64_t>(0, number("n")), points = std::max<int64_t>(0, number("m")), seen = std::max<int64_t>(0, number("p"));
  repeat("cam", cameras);
  repeat("x", points);
  repeat("w", seen);
  repeat("feat", seen);
  out["seen"] = Json::array();
  for (int64_t i = 0; i < seen && cameras > 0 && points > 0; i++) out["seen"].push_back({i % cameras, i % points});
  return out;
}
Json shortened(const Json& output) {
  if (output.contains("w_err")) {
    size_t n = output["w_err"].size();
    if (n == 0) return output;
    return {{"reproj_error", {{"elements", output["reproj_error"][0]}, {"repeated", n}}},
            {"w_err", {{"element", output["w_err"][0]}, {"repeated", n}}}};
  }
  Json out = Json::object();
  for (auto& [key, values] : output.items()) {
    Json some = Json::array();
    for (size_t i = 0; i < std::min<size_t>(30, values.size()); i++) some.push_back(values[i]);
    if (!values.empty()) some.push_back(values.back());
    out[key] = std::move(some);
  }
  return out;
}

class Tool {
 public:
  explicit Tool(const Options& options) : options_(options), folder_(options.words.empty() ? "benchmarks" : options.words[0]) {}

  Json answer(const Json& message) {
    Json reply = {{"id", message.contains("id") ? message["id"] : Json()}};
    std::string kind = text(message, "kind");
    if (kind == "start") reply["tool"] = "raido";
    if (kind != "define" && kind != "evaluate") return reply;
    std::string error = kind == "define" ? define(text(message, "module")) : evaluate(message, reply);
    reply["success"] = error.empty();
    if (!error.empty()) reply["error"] = error;
    return reply;
  }

 private:
  struct Program {
    Compiled compiled;
    std::string executable;
  };

  static std::string text(const Json& object, const char* key) {
    return object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : "";
  }

  static const Function* find(std::string_view module, std::string_view name) {
    for (const Function& f : functions)
      if (f.module == module && (name.empty() || f.name == name)) return &f;
    return nullptr;
  }

  // What went wrong; empty if the program is there, compiled.
  std::string define(const std::string& module) {
    const Function* f = find(module, "");
    if (!f) return fmt::format("there is no module `{}`", module);
    if (programs_.contains(module)) return "";
    std::string path = fmt::format("{}/{}.fut", folder_, f->file), executable = temporary_.path() + "/" + module;
    std::error_code failed;
    std::string self = std::filesystem::read_symlink("/proc/self/exe", failed).string();
    ProcessResult made = run_process({failed ? options_.program : self, options_.backend, "--cpu=native", path, "-o", executable}, "");
    if (made.exit_code != 0) return made.err;
    auto compiled = front_end(path, options_);
    if (!compiled) return fmt::format("{} cannot be read", path);
    programs_.emplace(module, Program{std::move(*compiled), executable});
    return "";
  }

  // What went wrong; else the output and the times are in the reply.
  std::string evaluate(const Json& message, Json& reply) {
    std::string module = text(message, "module"), name = text(message, "function");
    const Function* f = find(module, name);
    auto program = programs_.find(module);
    if (!f) return fmt::format("the module `{}` has no function `{}`", module, name);
    if (program == programs_.end()) return fmt::format("the module `{}` was not defined", module);
    if (!message.contains("input")) return "there is no input";
    const Json input = module == "ba" ? replicated(message["input"]) : message["input"];

    auto types = input_types(program->second.compiled.program, f->entry);
    std::vector<std::string> paths = words(f->inputs, ' ');
    if (paths.empty()) paths.push_back("");
    CHECK(types.size() == paths.size(), "the parameters of `{}` of {} are not those of the table", f->entry, f->file);
    std::string data;
    for (size_t i = 0; i < paths.size(); i++) {
      const Json* field = at_path(input, paths[i]);
      if (!field) return fmt::format("the input has no field `{}`", paths[i]);
      auto value = to_value(*field, types[i].first, types[i].second);
      if (!value) return fmt::format("the field `{}` of the input is not of type {}", paths[i], type_text(types[i].first, types[i].second));
      data += to_binary(*value);
    }

    const Json& limits = message["input"];
    auto limit = [&](const char* key) {
      return limits.is_object() && limits.contains(key) && limits[key].is_number() ? limits[key].get<double>() : 0.0;
    };
    double min_runs = std::max(1.0, limit("min_runs")), min_time = limit("min_seconds") * 1e6;
    // Runs until there are enough and they took long enough; one below the clock's step counts as a step.
    Json timings = Json::array();
    double spent = 0;
    std::string output;
    while (double(timings.size()) < min_runs || spent < min_time) {
      double missing = timings.empty() ? 0 : std::ceil((min_time - spent) * double(timings.size()) / spent);
      int64_t runs = int64_t(std::clamp(std::max(missing, min_runs - double(timings.size())), 1.0, 1e6));
      std::string log = temporary_.path() + "/times";
      ProcessResult ran = run_process({program->second.executable, "-e", std::string(f->entry), "-b", "-r", std::to_string(runs), "-t", log}, data);
      if (ran.exit_code != 0) return ran.err.empty() ? fmt::format("ended with code {}", ran.exit_code) : ran.err;
      output = std::move(ran.out);
      FileContents times = read_file(log);
      if (!times.text) return fmt::format("{}: {}", log, times.error);
      for (const std::string& line : split(*times.text, '\n')) {
        if (line.empty()) continue;
        int64_t microseconds = std::strtoll(line.c_str(), nullptr, 10);
        spent += double(std::max<int64_t>(1, microseconds));
        timings.push_back({{"name", "evaluate"}, {"nanoseconds", microseconds * 1000}});
      }
    }

    DataReader reader(output);
    bool one_list = f->outputs == "+";
    std::vector<std::string> places = words(one_list ? "" : f->outputs, ' ');
    Json result = one_list ? Json::array() : Json();
    for (size_t i = 0; !reader.at_end(); i++) {
      auto value = reader.read();
      CHECK(value, "`{}` of {} printed no value: {}", f->entry, f->file, reader.error());
      if (one_list) value->shape = {value->count()};
      int64_t at = 0;
      auto there = to_json(*value, 0, at);
      if (!there) return "the result has a number that is not finite";
      if (one_list) result.insert(result.end(), there->begin(), there->end());
      else (places.empty() ? result : result[places[i]]) = std::move(*there);
    }
    reply["success"] = true;       // in the order of the protocol
    reply["output"] = module == "ba" ? shortened(result) : std::move(result);
    reply["timings"] = std::move(timings);
    return "";
  }

  const Options& options_;
  std::string folder_;
  TemporaryFolder temporary_;
  std::map<std::string, Program> programs_;
};

}  // namespace

int command_gradbench(const Options& options) {
  if (!find_backend(options.backend)) {
    fmt::print(stderr, "{}: there is no backend `{}`\n", options.program, options.backend);
    return 1;
  }
  Tool tool(options);
  std::string line;
  for (int64_t number = 1; std::getline(std::cin, line); number++) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    Json message = Json::parse(line, nullptr, false);
    if (!message.is_object()) {
      fmt::print(stderr, "line {} is not a JSON object\n", number);
      return 1;
    }
    print("{}\n", tool.answer(message).dump(-1, ' ', false, Json::error_handler_t::replace));
    flush_output();
  }
  return 0;
}

}  // namespace raido
