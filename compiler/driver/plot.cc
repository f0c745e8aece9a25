// plot.cc - the axes have steps of 1, 2 or 5 times a power of ten; the range is that of the finite points.
#include "compiler/driver/plot.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace raido {
namespace {

struct Axis {
  double low = std::numeric_limits<double>::infinity(), high = -low, step = 1;
  double from = 0, to = 0;         // where low and high are, in pixels

  void take(double v) { low = std::min(low, v), high = std::max(high, v); }
  void place(double a, double b) {
    from = a, to = b;
    double size = std::max(std::abs(low), std::abs(high));
    if (high - low <= 1e-12 * size) low -= size > 0 ? size / 2 : 1, high += size > 0 ? size / 2 : 1;
    double rough = (high - low) / std::max(2.0, std::abs(b - a) / 80), power = std::pow(10, std::floor(std::log10(rough)));
    step = rough <= power ? power : rough <= 2 * power ? 2 * power : rough <= 5 * power ? 5 * power : 10 * power;
  }
  double at(double v) const { return from + (v - low) / (high - low) * (to - from); }
  std::vector<double> ticks() const {
    std::vector<double> out;
    for (double i = std::ceil(low / step - 1e-9); i * step <= high + 1e-9 * step && out.size() < 100; i++) out.push_back(i * step);
    return out;
  }
  std::string label(double v) const { return std::abs(v) < step / 1e6 ? "0" : fmt::format("{:.6g}", v); }
};

// Told apart by people who do not see all colours (Okabe and Ito).
constexpr const char* colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"};

}  // namespace

std::string escape_html(std::string_view text) {
  std::string out;
  for (char c : text)
    if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '&') out += "&amp;";
    else if (c == '"') out += "&quot;";
    else out += c;
  return out;
}

std::string plot_svg(const std::vector<Series>& series, int width, int height) {
  Axis x, y;
  for (const Series& s : series)
    for (size_t i = 0; i < s.x.size(); i++)
      if (std::isfinite(s.x[i]) && std::isfinite(s.y[i])) x.take(s.x[i]), y.take(s.y[i]);
  if (x.low > x.high) return "";
  double left = 64, right = width - 16, top = 16, bottom = height - 32;
  x.place(left, right), y.place(bottom, top);
  std::string out = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
                                "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n", width, height);
  auto line = [&](double x1, double y1, double x2, double y2) {
    out += fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke=\"#ddd\"/>\n", x1, y1, x2, y2);
  };
  auto text = [&](double px, double py, const char* anchor, const std::string& t) {
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"#333\">{}</text>\n", px, py, anchor, escape_html(t));
  };
  for (double v : x.ticks()) line(x.at(v), top, x.at(v), bottom), text(x.at(v), bottom + 18, "middle", x.label(v));
  for (double v : y.ticks()) line(left, y.at(v), right, y.at(v)), text(left - 6, y.at(v) + 4, "end", y.label(v));
  out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#333\"/>\n", left, top, right - left, bottom - top);
  size_t named = 0;
  for (size_t k = 0; k < series.size(); k++) {
    const Series& s = series[k];
    const char* colour = colours[k % std::size(colours)];
    std::string path;
    bool drawing = false;
    for (size_t i = 0; i < s.x.size(); i++) {
      bool finite = std::isfinite(s.x[i]) && std::isfinite(s.y[i]);
      bool alone = finite && !drawing && (i + 1 == s.x.size() || !std::isfinite(s.x[i + 1]) || !std::isfinite(s.y[i + 1]));
      if (finite) path += fmt::format("{}{:.1f} {:.1f}{}", drawing ? 'L' : 'M', x.at(s.x[i]), y.at(s.y[i]), alone ? "h0" : "");
      drawing = finite;
    }
    out += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/>\n", path, colour);
    if (s.name.empty()) continue;
    double at = top + 16 + 18.0 * double(named++);
    out += fmt::format("<path d=\"M{:.1f} {:.1f}h24\" stroke=\"{}\" stroke-width=\"2\"/>\n", right - 34, at - 4, colour);
    text(right - 40, at, "end", s.name);
  }
  return out + "</svg>\n";
}

}  // namespace raido
