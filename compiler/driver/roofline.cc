// roofline.cc - `raido dev --roofline DEVICE FILE`: the time of each kernel on a device, from the counts of a program (`--counts-file` of an
// emulated one). It says what bounds a kernel, and how near that is to the least time: that of the bytes it needs.
//
// Each resource of the device would take some time for what a kernel wants of it; the longest is the prediction, since they work at the same
// time. A device is a file of compiler/driver/devices, or one of the user in the same form: peak numbers of its maker.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "compiler/base/files.h"
#include "compiler/base/text.h"
#include "compiler/driver/commands.h"
#include "compiler/driver/output.h"

namespace raido {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array devices = {"a100", "h100", "h200", "mi210", "rtx4090"};
constexpr double reached = 0.92;              // the share of the peak bandwidth that copies of large arrays reach
constexpr double in_flight = 4;               // loads that a warp has on their way at once: iterations of a loop that is unrolled four times
constexpr double clocks_of_chain = 4;         // from an operation to the next one that needs its result
constexpr double barrier_clocks = 30;         // a block waits for its slowest warp
constexpr double sector = 32, lanes = 32;

// What an operation takes, in instructions of each pipe: sequences that compilers for devices make of it.
struct Cost { std::string_view kind; double i32, f32, f64, special; };
constexpr Cost costs[] = {
    {"i32_add", 1, 0, 0, 0}, {"i32_mul", 1, 0, 0, 0}, {"i32_div", 18, 0, 0, 1}, {"i64_add", 2, 0, 0, 0}, {"i64_mul", 4, 0, 0, 0},
    {"i64_div", 80, 0, 0, 2}, {"convert", 0, 0, 0, 1}, {"f32_add", 0, 1, 0, 0}, {"f32_mul", 0, 1, 0, 0}, {"f32_fma", 0, 1, 0, 0},
    {"f32_div", 0, 8, 0, 1}, {"f32_special", 0, 6, 0, 1}, {"f64_add", 0, 0, 1, 0}, {"f64_mul", 0, 0, 1, 0}, {"f64_fma", 0, 0, 1, 0},
    {"f64_div", 0, 0, 9, 1}, {"f64_special", 4, 0, 25, 0},
    {"f64_tensor", 0, 0, 0.5, 0}};

double number(const Json& object, std::string_view name) {
  auto at = object.is_object() ? object.find(name) : object.end();
  return object.is_object() && at != object.end() && at->is_number() ? at->get<double>() : 0;
}
const Json& part(const Json& object, std::string_view name) {
  static const Json none = Json::object();
  auto at = object.is_object() ? object.find(name) : object.end();
  return object.is_object() && at != object.end() ? *at : none;
}
std::string word(const Json& object, std::string_view name) {
  const Json& text = part(object, name);
  return text.is_string() ? text.get<std::string>() : "";
}

struct Bound { std::string_view name; double seconds; };
struct Prediction {
  double seconds = 0, least = 0;
  std::string_view by;
};

class Device {
 public:
  explicit Device(const Json& d)
      : file_(d), units_(number(d, "multiprocessors")), clock_(1e9 * number(d, "clock_ghz")), memory_(reached * 1e9 * number(d, "memory_gbs")),
        cache_(1e9 * number(d, "cache_gbs")) {}
  // The number that is missing, or nothing.
  std::string_view missing() const {
    for (std::string_view name : {"multiprocessors", "clock_ghz", "warps", "memory_gbs", "cache_gbs", "cache_mb", "memory_latency_ns", "issue", "launch_us",
                                  "sync_us", "bus_gbs"})
      if (number(file_, name) <= 0) return name;
    for (std::string_view name : {"i32", "f32", "f64", "special"}) if (number(part(file_, "lanes"), name) <= 0) return name;
    return "";
  }

  Prediction kernel(const Json& k) const {
    double launches = number(k, "launches"), needed = number(k, "needed_read_bytes") + number(k, "needed_written_bytes");
    Prediction p;
    if (launches <= 0) return p;
    p.least = needed / memory_;
    std::vector<Bound> bounds = {{"launches", launches * 1e-6 * number(file_, "launch_us")}, {"memory", traffic(k, launches) / memory_},
                                 {"cache", sector * (number(k, "fetched_sectors") + number(k, "write_sectors") + 2 * number(k, "atomic_sectors")) / cache_}};
    // A round of lanes that meet at a cell goes through the cache like an access of its own.
    double meetings = number(k, "atomic_rounds") - number(k, "atomic_requests");
    if (meetings > 0) bounds.push_back({"atomics", 2 * sector * (number(k, "atomic_sectors") + meetings) / cache_});
    double busy = std::clamp(number(k, "blocks") / launches / units_, 1 / units_, 1.0), rate = busy * units_ * clock_;    // of all that are busy
    bounds.push_back({"accesses", (number(k, "read_sectors") + number(k, "write_sectors")) / (4 * rate)});
    bounds.push_back({"shared memory", number(k, "shared_wavefronts") / rate});
    double pipes[4] = {}, issued = number(k, "branches");
    for (std::string_view access : {"read_requests", "write_requests", "shared_requests", "atomic_requests"}) issued += number(k, access);
    for (const Cost& c : costs) {
      double n = number(k, std::string(c.kind) + "_issued"), each[4] = {c.i32, c.f32, c.f64, c.special};
      for (int j = 0; j < 4; j++) pipes[j] += n * each[j], issued += n * each[j];
    }
    constexpr std::string_view names[] = {"i32", "f32", "f64", "special"}, said[] = {"integers", "f32", "f64", "special functions"};
    for (int j = 0; j < 4; j++) bounds.push_back({said[j], lanes * pipes[j] / (number(part(file_, "lanes"), names[j]) * rate)});
    bounds.push_back({"instructions", issued / (number(file_, "issue") * rate)});
    bounds.push_back({"latency", latency(k, launches)});
    auto most = std::ranges::max_element(bounds, {}, &Bound::seconds);
    p.by = most->name;
    p.seconds = most->seconds + (most->name == "launches" ? 0 : bounds[0].seconds);
    return p;
  }

  // What the host does between kernels.
  double host(const Json& h) const {
    double bytes = number(h, "read_bytes") + number(h, "written_bytes");
    return 1e-6 * (number(h, "reads") * number(file_, "sync_us") + (number(h, "writes") + number(h, "copies")) * number(file_, "launch_us")) +
           bytes / (1e9 * number(file_, "bus_gbs")) + 2 * number(h, "copied_bytes") / memory_;
  }

 private:
  const Json& file_;
  double units_, clock_, memory_, cache_;

  // Bytes between memory and the second cache. What is touched several times comes once if it all fits there; else part of it again.
  double traffic(const Json& k, double launches) const {
    double size = 1e6 * number(file_, "cache_mb"), read = number(k, "needed_read_bytes"), written = number(k, "needed_written_bytes");
    auto all = [&](double needed, double sectors) {
      double footprint = needed / launches, again = footprint > size ? 1 - size / footprint : 0;
      return needed + again * std::max(0.0, sector * sectors - needed);
    };
    return all(read, number(k, "fetched_sectors")) + all(written, number(k, "write_sectors") + number(k, "atomic_sectors"));
  }
  // One warp after the other waits for its loads and for its own results; `longest` is the one that has most to do.
  double latency(const Json& k, double launches) const {
    double warps = number(k, "blocks") / launches * std::ceil(number(k, "block_size") / lanes);
    double waves = std::max(1.0, warps / (units_ * number(file_, "warps")));
    double requests = 0, issued = 0;
    for (std::string_view access : {"read_requests", "atomic_requests"}) requests += number(k, access);
    for (const Cost& c : costs) issued += number(k, std::string(c.kind) + "_issued");
    double load = 1e-9 * number(file_, "memory_latency_ns") / in_flight, chain = clocks_of_chain / clock_, all = warps * launches;
    double average = all > 0 ? launches * waves * (requests / all * load + issued / all * chain) : 0;
    double longest = number(k, "longest_requests") * load + number(k, "longest_issued") * chain;
    return std::max(average, longest) + number(k, "barriers") / std::max(1.0, number(k, "blocks")) * launches * waves * barrier_clocks / clock_;
  }
};

std::optional<Json> json_of(std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object()) return {};
  return json;
}

std::string share(double part, double whole) { return whole > 0 ? fmt::format("{:.1f} %", 100 * part / whole) : "-"; }

}  // namespace

int command_roofline(const Options& options) {
  const std::string& name = options.roofline;
  if (options.words.empty()) {
    fmt::print(stderr, "dev: --roofline needs a file of counts, which `--counts-file` of an emulated program writes\n");
    return 1;
  }
  FileContents own, counts = read_file(options.words[0]);
  std::optional<std::string_view> text = find_embedded_file("compiler/driver/devices/" + name + ".json");
  if (!text) {
    own = read_file(name);
    if (own.text) text = *own.text;
  }
  if (!text) {
    fmt::print(stderr, "there is no device `{}`: {}, or a file in their form\n", name, join(std::vector<std::string>(devices.begin(), devices.end()), ", "));
    return 2;
  }
  if (!counts.text) return fmt::print(stderr, "{}: {}\n", options.words[0], counts.error), 2;
  auto file = json_of(*text), run = json_of(*counts.text);
  if (!file) return fmt::print(stderr, "{}: no JSON object\n", name), 2;
  if (!run || !part(*run, "kernels").is_array()) return fmt::print(stderr, "{}: no counts\n", options.words[0]), 2;
  Device device(*file);
  if (auto missing = device.missing(); !missing.empty()) return fmt::print(stderr, "{}: `{}` is missing or not positive\n", name, missing), 2;

  print("{}\nnumbers: {}\n", word(*file, "name"), word(*file, "source"));
  if (number(*run, "sample") > 0) print("counts from a sample of {} blocks of each launch\n", number(*run, "sample"));
  print("{:<28}{:>9}{:>13}{:>13}{:>9}  {}\n", "kernel", "launches", "predicted us", "least us", "reached", "bound by");
  double predicted = 0, least = 0;
  for (const Json& k : part(*run, "kernels")) {
    Prediction p = device.kernel(k);
    predicted += p.seconds;
    least += p.least;
    print("{:<28}{:>9}{:>13.2f}{:>13.2f}{:>9}  {}{}\n", word(k, "name"), number(k, "launches"), 1e6 * p.seconds, 1e6 * p.least, share(p.least, p.seconds), p.by,
          part(k, "uneven") == Json(true) ? " (its blocks differ)" : "");
  }
  double host = device.host(part(*run, "host"));
  print("{:<28}{:>9}{:>13.2f}\n", "host", "", 1e6 * host);
  print("{:<28}{:>9}{:>13.2f}{:>13.2f}{:>9}\n", "all", "", 1e6 * (predicted + host), 1e6 * least, share(least, predicted + host));
  return 0;
}

}  // namespace raido
