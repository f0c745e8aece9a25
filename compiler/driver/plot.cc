// plot.cc - the axes have steps of 1, 2 or 5 times a power of ten; the range is that of the finite points.
#include "compiler/driver/plot.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "compiler/driver/raster.h"

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
constexpr uint32_t colours[] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x000000};
using Line = std::vector<std::pair<double, double>>;   // of pixels

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

namespace {

// Where the parts of a plot are drawn: as text of SVG, or on a picture.
class Svg {
 public:
  Svg(int width, int height)
      : out_(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
                         "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n", width, height)) {}
  void grid(double x1, double y1, double x2, double y2) { out_ += fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke=\"#ddd\"/>\n", x1, y1, x2, y2); }
  void text(double x, double y, const char* anchor, const std::string& t) {
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"#333\">{}</text>\n", x, y, anchor, escape_html(t));
  }
  void frame(double left, double top, double right, double bottom) {
    out_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#333\"/>\n", left, top, right - left, bottom - top);
  }
  void series(const std::vector<Line>& lines, uint32_t colour) {
    std::string path;
    for (const Line& l : lines) {
      for (size_t i = 0; i < l.size(); i++) path += fmt::format("{}{:.1f} {:.1f}", i > 0 ? 'L' : 'M', l[i].first, l[i].second);
      if (l.size() == 1) path += "h0";
    }
    out_ += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"#{:06x}\" stroke-width=\"2\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/>\n", path, colour);
  }
  void sample(double x, double y, double length, uint32_t colour) {
    out_ += fmt::format("<path d=\"M{:.1f} {:.1f}h{}\" stroke=\"#{:06x}\" stroke-width=\"2\"/>\n", x, y, length, colour);
  }
  std::string finished() && { return out_ + "</svg>\n"; }

 private:
  std::string out_;
};
class Pixels {
 public:
  Pixels(int width, int height) : raster_(width, height) {}
  void grid(double x1, double y1, double x2, double y2) { raster_.line({{x1, y1}, {x2, y2}}, 0xdddddd, 1); }
  void text(double x, double y, const char* anchor, const std::string& t) { raster_.text(x, y, anchor, t, 0x333333); }
  void frame(double left, double top, double right, double bottom) {
    raster_.line({{left, top}, {right, top}, {right, bottom}, {left, bottom}, {left, top}}, 0x333333, 1);
  }
  void series(const std::vector<Line>& lines, uint32_t colour) { for (const Line& l : lines) raster_.line(l, colour, 2); }
  void sample(double x, double y, double length, uint32_t colour) { raster_.line({{x, y}, {x + length, y}}, colour, 2); }
  std::string finished() && { return to_png(std::move(raster_).picture()); }

 private:
  Raster raster_;
};

template <class Drawing> std::string plot(const std::vector<Series>& series, int width, int height) {
  Axis x, y;
  auto finite = [](const Series& s, size_t i) { return std::isfinite(s.x[i]) && std::isfinite(s.y[i]); };
  for (const Series& s : series)
    for (size_t i = 0; i < s.x.size(); i++)
      if (finite(s, i)) x.take(s.x[i]), y.take(s.y[i]);
  if (x.low > x.high) return "";
  double left = 64, right = width - 16, top = 16, bottom = height - 32;
  x.place(left, right), y.place(bottom, top);
  Drawing out(width, height);
  for (double v : x.ticks()) out.grid(x.at(v), top, x.at(v), bottom), out.text(x.at(v), bottom + 18, "middle", x.label(v));
  for (double v : y.ticks()) out.grid(left, y.at(v), right, y.at(v)), out.text(left - 6, y.at(v) + 4, "end", y.label(v));
  out.frame(left, top, right, bottom);
  size_t named = 0;
  for (size_t k = 0; k < series.size(); k++) {
    const Series& s = series[k];
    std::vector<Line> lines;
    for (size_t i = 0; i < s.x.size(); i++) {
      if (!finite(s, i)) continue;
      if (i == 0 || !finite(s, i - 1)) lines.emplace_back();
      lines.back().emplace_back(x.at(s.x[i]), y.at(s.y[i]));
    }
    uint32_t colour = colours[k % std::size(colours)];
    out.series(lines, colour);
    if (s.name.empty()) continue;
    double at = top + 16 + 18.0 * double(named++);
    out.sample(right - 34, at - 4, 24, colour);
    out.text(right - 40, at, "end", s.name);
  }
  return std::move(out).finished();
}

}  // namespace

std::string plot_svg(const std::vector<Series>& series, int width, int height) { return plot<Svg>(series, width, height); }
std::string plot_png(const std::vector<Series>& series, int width, int height) { return plot<Pixels>(series, width, height); }

}  // namespace raido
