// chart.cc - a row for each data set, in it a bar for each set of results, with the interval of its mean.
#include "compiler/driver/chart.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "compiler/driver/plot.h"

namespace raido {
namespace {

constexpr const char* colours[] = {"#9a9a9a", "#5b8db8", "#c08a3e", "#6aa56a", "#a06a9a"};
constexpr const char* now = "#d5522f";
constexpr double left = 330, right = 880, bar = 12, gap = 10, top = 50;

std::string time_text(double microseconds) {
  if (microseconds < 1000) return fmt::format("{:.3g} µs", microseconds);
  if (microseconds < 1e6) return fmt::format("{:.3g} ms", microseconds / 1e3);
  return fmt::format("{:.3g} s", microseconds / 1e6);
}

const DataSetResult* find(const Results& results, const std::string& program, const std::string& title) {
  for (const ProgramResult& p : results)
    for (const DataSetResult& d : p.data_sets)
      if (p.name == program && d.title == title && !d.runtimes.empty()) return &d;
  return nullptr;
}

std::string shortened(std::string text) {
  constexpr size_t most = 46;
  if (text.size() <= most) return text;
  size_t end = most - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) end--;
  return text.substr(0, end) + "...";
}

}  // namespace

std::string chart(const std::vector<std::pair<std::string, Results>>& all) {
  struct Row { std::string label; std::vector<const DataSetResult*> sets; };
  std::vector<Row> rows;
  double least = 1e300, most = 1;
  for (const ProgramResult& p : all.back().second)
    for (const DataSetResult& d : p.data_sets) {
      if (d.runtimes.empty()) continue;
      Row& row = rows.emplace_back(Row{p.name + " " + d.title, {}});
      for (auto& [name, results] : all) {
        row.sets.push_back(find(results, p.name, d.title));
        if (!row.sets.back()) continue;
        Statistics s = statistics(row.sets.back()->runtimes);
        least = std::min(least, s.mean), most = std::max(most, s.high);
      }
    }
  // Whole powers of ten; a microsecond is the shortest time that is measured.
  double from = std::floor(std::log10(std::clamp(least, 1.0, 1e12)) - 0.01), to = std::max(from + 1, std::ceil(std::log10(std::max(most, 1.0))));
  auto x = [&](double microseconds) { return left + (right - left) * std::clamp((std::log10(std::max(microseconds, 1e-3)) - from) / (to - from), 0.0, 1.0); };
  auto colour = [&](size_t i) { return i + 1 == all.size() ? now : colours[i % std::size(colours)]; };

  double row_height = bar * double(all.size()) + gap, bottom = top + row_height * double(rows.size());
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 980 {0:.0f}\" width=\"980\" height=\"{0:.0f}\" font-family=\"sans-serif\" font-size=\"11\">\n"
      "<style>text{{fill:#222}}.grid{{stroke:#ccc}}.interval{{stroke:#222}}@media(prefers-color-scheme:dark){{text{{fill:#ddd}}.grid{{stroke:#444}}.interval{{stroke:#ddd}}}}</style>\n",
      bottom + 30);
  double at = left;
  for (size_t i = 0; i < all.size(); i++) {
    std::string name = shortened(all[i].first);
    out += fmt::format("<rect x=\"{:.0f}\" y=\"12\" width=\"12\" height=\"12\" fill=\"{}\"/><text x=\"{:.0f}\" y=\"22\">{}</text>\n", at, colour(i), at + 16, escape_html(name));
    at += 36 + 6.5 * double(name.size());
  }
  for (double power = from; power <= to; power++) {
    double here = x(std::pow(10, power));
    out += fmt::format("<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.0f}\" y2=\"{2:.0f}\"/><text x=\"{0:.1f}\" y=\"{3:.0f}\" text-anchor=\"middle\">{4}</text>\n", here,
                       top - 8, bottom, bottom + 16, time_text(std::pow(10, power)));
  }
  double y = top;
  for (const Row& row : rows) {
    out += fmt::format("<text x=\"{:.0f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", left - 8, y + bar * double(all.size()) / 2 + 4, escape_html(shortened(row.label)));
    for (size_t i = 0; i < row.sets.size(); i++, y += bar) {
      if (!row.sets[i]) continue;
      Statistics s = statistics(row.sets[i]->runtimes);
      out += fmt::format("<rect x=\"{:.0f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.0f}\" fill=\"{}\"><title>{}: {}</title></rect>\n", left, y + 1,
                         std::max(1.0, x(s.mean) - left), bar - 2, colour(i), escape_html(all[i].first), time_text(s.mean));
      out += fmt::format("<line class=\"interval\" x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>", x(s.low), x(s.high), y + bar / 2);
      out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"10\">{}</text>\n", x(s.high) + 4, y + bar - 2, time_text(s.mean));
    }
    y += gap;
  }
  return out + "</svg>\n";
}

}  // namespace raido
