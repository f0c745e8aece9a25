// plot.h - lines in a frame with axes, as SVG or PNG.
#pragma once
#include <string>
#include <vector>

namespace raido {

struct Series {
  std::string name;                // empty: no entry in the legend
  std::vector<double> x, y;        // of one length; where one is infinite or no number the line is broken
};
// Empty if no point has finite coordinates.
std::string plot_svg(const std::vector<Series>& series, int width, int height);
std::string plot_png(const std::vector<Series>& series, int width, int height);

std::string escape_html(std::string_view text);      // for the text and the attributes of SVG and HTML

}  // namespace raido
