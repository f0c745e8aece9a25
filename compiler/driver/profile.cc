// profile.cc - `raido profile`: what `bench --profile` has collected, by kinds of events and by lines of the source.
//
// An event is something that takes time: a kernel, a copy. Its provenance names the places in the source that it comes from, the
// innermost first; time counts for the first. For each data set there are tables as text, the source with its times as HTML, and a
// trace that browsers (chrome://tracing, Perfetto) draw.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "compiler/base/files.h"
#include "compiler/base/text.h"
#include "compiler/driver/commands.h"
#include "compiler/driver/output.h"
#include "compiler/driver/plot.h"
#include "compiler/driver/results.h"

namespace raido {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Event {
  std::string name, provenance, details;
  double start = 0, duration = 0;            // microseconds
  std::string file;                          // empty: unknown
  size_t line = 0;
};
struct Cost {
  size_t count = 0;
  double sum = 0, least = 0, most = 0;
  void add(double duration) {
    least = count ? std::min(least, duration) : duration;
    most = std::max(most, duration);
    sum += duration, count++;
  }
};
using Costs = std::vector<std::pair<std::string, Cost>>;

// `a.fut` and 3 of `a.fut:3:14-17 ..`, wherever that stands in the text.
void find_place(Event& e) {
  const std::string& text = e.provenance;
  for (size_t dot = text.find(".fut:"); dot != text.npos; dot = text.find(".fut:", dot + 1)) {
    size_t begin = text.find_last_of(" \t\n>#", dot), digits = dot + 5;
    begin = begin == text.npos ? 0 : begin + 1;
    while (digits < text.size() && digits < dot + 14 && text[digits] >= '0' && text[digits] <= '9') digits++;
    if (digits == dot + 5) continue;
    e.file = text.substr(begin, dot + 4 - begin);
    e.line = std::stoul(text.substr(dot + 5, digits - dot - 5));
    return;
  }
}

std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace); }

// False if the report has another form.
bool read_report(const Json& report, std::vector<Event>& events, std::vector<std::pair<std::string, std::string>>& memory) {
  auto list = report.is_object() ? report.find("events") : report.end();
  if (!report.is_object() || list == report.end() || !list->is_array()) return false;
  double now = 0;
  for (const Json& json : *list) {
    if (!json.is_object()) return false;
    Event& e = events.emplace_back();
    if (json.contains("name")) e.name = text_of(json["name"]);
    if (json.contains("provenance")) e.provenance = text_of(json["provenance"]);
    if (json.contains("duration") && json["duration"].is_number()) e.duration = json["duration"].get<double>();
    if (json.contains("details") && json["details"].is_object())
      for (auto& [key, value] : json["details"].items()) e.details += fmt::format("{}{}={}", e.details.empty() ? "" : " ", key, text_of(value));
    e.start = now;
    now += e.duration;
    find_place(e);
  }
  if (report.contains("memory") && report["memory"].is_object())
    for (auto& [space, n] : report["memory"].items()) memory.emplace_back(space, text_of(n));
  return true;
}

// The dearest first.
template <class Key> Costs costs(const std::vector<Event>& events, Key&& key) {
  std::map<std::string, Cost> by;
  for (const Event& e : events) by[key(e)].add(e.duration);
  Costs out(by.begin(), by.end());
  std::stable_sort(out.begin(), out.end(), [](auto& a, auto& b) { return a.second.sum > b.second.sum; });
  return out;
}

std::string table(const std::string& title, const Costs& costs, double total) {
  size_t width = title.size();
  for (auto& [name, c] : costs) width = std::max(width, name.size());
  std::string out = fmt::format("{:<{}}{:>8}{:>14}{:>12}{:>12}{:>12}{:>8}\n", title, width, "count", "sum", "avg", "min", "max", "share");
  for (auto& [name, c] : costs)
    out += fmt::format("{:<{}}{:>8}{:>12.2f}us{:>10.2f}us{:>10.2f}us{:>10.2f}us{:>7.1f}%\n", name, width, c.count, c.sum, c.sum / double(c.count), c.least, c.most,
                       total > 0 ? 100 * c.sum / total : 0);
  return out;
}

std::string place_of(const Event& e) { return e.file.empty() ? "unknown" : fmt::format("{}:{}", e.file, e.line); }

// Tables and sources with the share of each line.
std::string page(const std::string& title, const std::vector<Event>& events, double total, const fs::path& beside) {
  std::string out = "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>" + escape_html(title) +
                    "</title>\n<style>body{font-family:sans-serif;color-scheme:light dark}table{border-collapse:collapse}"
                    "td,th{padding:0 1em;text-align:right}th:first-child,td:first-child{text-align:left}"
                    ".source td{font-family:monospace;white-space:pre;text-align:left}.source td:first-child{text-align:right}</style>\n<h1>" + escape_html(title) + "</h1>\n";
  auto costs_table = [&](const std::string& head, const Costs& all) {
    out += "<table>\n<tr><th>" + head + "<th>count<th>sum, us<th>avg<th>min<th>max<th>share\n";
    for (auto& [name, c] : all)
      out += fmt::format("<tr><td>{}<td>{}<td>{:.2f}<td>{:.2f}<td>{:.2f}<td>{:.2f}<td>{:.1f}%\n", escape_html(name), c.count, c.sum, c.sum / double(c.count), c.least, c.most,
                         total > 0 ? 100 * c.sum / total : 0);
    out += "</table>\n";
  };
  out += "<h2>Events</h2>\n";
  costs_table("event", costs(events, [](const Event& e) { return e.name; }));
  out += "<h2>Lines</h2>\n";
  costs_table("line", costs(events, place_of));
  std::map<std::string, std::map<size_t, Cost>> files;
  for (const Event& e : events) if (!e.file.empty()) files[e.file][e.line].add(e.duration);
  for (auto& [file, lines] : files) {
    out += "<h2>" + escape_html(file) + "</h2>\n";
    FileContents source = read_file(file);
    if (!source.text) source = read_file((beside / file).string());
    if (!source.text) {
      out += "<p>" + escape_html(source.error) + "\n";
      continue;
    }
    out += "<table class=\"source\">\n";
    size_t number = 0;
    for (const std::string& line : split(*source.text, '\n')) {
      auto cost = lines.find(++number);
      double share = cost == lines.end() || total <= 0 ? 0 : cost->second.sum / total;
      std::string paint = share > 0 ? fmt::format(" style=\"background:rgba(230,80,30,{:.2f})\"", 0.1 + 0.6 * share) : "";
      out += fmt::format("<tr{}><td>{}<td>{}<td>{}\n", paint, share > 0 ? fmt::format("{:.1f}%", 100 * share) : "", number, escape_html(line));
    }
    out += "</table>\n";
  }
  return out;
}

std::string trace(const std::vector<Event>& events) {
  Json all = Json::array();
  for (const Event& e : events)
    all.push_back({{"name", e.name}, {"cat", place_of(e)}, {"ph", "X"}, {"ts", e.start}, {"dur", e.duration}, {"pid", 1}, {"tid", 1},
                   {"args", {{"provenance", e.provenance}, {"details", e.details}}}});
  return Json{{"traceEvents", all}, {"displayTimeUnit", "ms"}}.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

// A name as a part of a path.
std::string as_file(std::string name) {
  for (char& c : name) if (c == '/') c = '_';
  if (name.size() > 200) name.resize(200);
  return name.empty() || name.find_first_not_of('.') == name.npos ? "_" + name : name;
}

class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)), folder_(fs::path(file_).replace_extension(".prof").string()) {}

  bool run() {
    FileContents contents = read_file(file_);
    if (!contents.text) return say(contents.error);
    Json json = Json::parse(*contents.text, nullptr, false);
    if (json.is_object() && json.contains("events")) return write("report", folder_ + "/report", "", json);     // of a program's own
    std::string wrong;
    auto results = read_results(file_, wrong);
    if (!results) {
      fmt::print(stderr, "{}\n", wrong);
      return false;
    }
    bool any = false;
    for (const ProgramResult& p : *results)
      for (const DataSetResult& d : p.data_sets) {
        if (d.profiling.empty()) continue;
        any = true;
        std::string base = folder_ + "/" + as_file(p.name) + "/" + as_file(d.title);
        if (!write(p.name + ": " + d.title, base, d.log, Json::parse(d.profiling, nullptr, false))) return false;
      }
    return any || say("there is nothing collected by `bench --profile`");
  }

 private:
  bool say(const std::string& what) const {
    fmt::print(stderr, "{}: {}\n", file_, what);
    return false;
  }
  bool write(const std::string& title, const std::string& base, const std::string& log, const Json& report) const {
    std::vector<Event> events;
    std::vector<std::pair<std::string, std::string>> memory;
    if (!read_report(report, events, memory)) return say(title + ": not a report with a list of events");
    double total = 0;
    for (const Event& e : events) total += e.duration;
    std::string summary;
    for (auto& [space, n] : memory) summary += fmt::format("Peak memory of {}: {} bytes\n", space, n);
    summary += fmt::format("{} events, {:.2f} us\n", events.size(), total);
    if (!events.empty()) {
      summary += "\n" + table("event", costs(events, [](const Event& e) { return e.name; }), total);
      summary += "\n" + table("line", costs(events, place_of), total);
    }
    std::string timeline;
    for (const Event& e : events)
      timeline += fmt::format("{:>12.2f}us {:>10.2f}us  {}  {}{}\n", e.start, e.duration, e.name, e.provenance.empty() ? "unknown" : e.provenance,
                              e.details.empty() ? "" : "  " + e.details);
    std::error_code error;
    fs::create_directories(fs::path(base).parent_path(), error);
    return write_or_say(base + ".log", log) && write_or_say(base + ".summary", summary) && write_or_say(base + ".timeline", timeline) &&
           write_or_say(base + ".html", page(title, events, total, fs::path(file_).parent_path())) && write_or_say(base + ".trace.json", trace(events));
  }

  std::string file_, folder_;
};

}  // namespace

int command_profile(const Options& options) {
  bool fine = true;
  for (const std::string& file : options.words) fine &= Reader(file).run();
  return fine ? 0 : 1;
}

}  // namespace raido
