// raster.h - lines and words on a white picture.
#pragma once
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/driver/pictures.h"

namespace raido {

class Raster {
 public:
  Raster(int width, int height);

  // A line through points, with round ends; one point is a dot. The colour is 0xRRGGBB.
  void line(const std::vector<std::pair<double, double>>& points, uint32_t colour, double width);
  // The baseline and where it begins, ends or has its middle: `anchor` is "start", "middle" or "end".
  void text(double x, double y, std::string_view anchor, std::string_view text, uint32_t colour);
  Picture picture() && { return std::move(picture_); }

 private:
  Picture picture_;
  std::vector<float> covered_;   // of each pixel, by the line that is being drawn
};

}  // namespace raido
