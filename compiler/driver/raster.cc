// raster.cc - a pixel takes so much of a line's colour as the line covers of it, which its distance to the line says. Letters are lines, too.
#include "compiler/driver/raster.h"

#include <algorithm>
#include <cmath>

namespace raido {
namespace {

constexpr double unit = 1.2, advance = 6 * unit;      // of letters: they are four units wide, and capitals six units high

// Each letter is lines, apart by `;`, through points of two digits: to the right from 0 to 4, down from 0 to 8. The baseline is at 6.
const char* strokes(char c) {
  static constexpr const char* table[] = {
      "", "2024;2626", "1012;3032", "1016;3036;0242;0444", "413010010213334445361605;2026", "0640;0011;3546", "461120310405162644", "2022",
      "30121436", "10323416", "1135;3115;0343", "0343;2145", "2617", "0343", "2626", "0640",
      // digits
      "103041453616050110", "112026;1636", "01103041420646", "01103041423313;334445361605", "36300444", "400002324345361605", "40200205163645443303", "004016",
      "13020110304142331304051636454433", "43130201103041442606", "2222;2626", "2222;2617", "410345", "0242;0444", "014305", "01103041422324;2626",
      // @ and capitals
      "3323243433311001051636", "062046;1434", "000636454433030030414233", "4130100105163645", "00062644422000", "40000646;0333", "400006;0333", "41301001051636454323",
      "0006;4046;0343", "1030;2026;1636", "4045361605", "0006;400346", "000646", "0600234046", "06004640", "103041453616050110",
      "06003041423303", "103041453616050110;2446", "06003041423303;2346", "413010010213334445361605", "0040;2026", "000516364540", "002640", "0016223640",
      "0046;4006", "002340;2326", "00400646", "30101636", "0046", "10303616", "022042", "0747",
      // ` and small letters
      "1021", "1232434616051444", "00063645433202", "421203051646", "40461605031242", "044443321203051646", "302126;1232", "421203051646;42473818",
      "0006;0312324346", "2226;2020", "32372818;3030", "0006;420446", "102026;1636", "0602122326;23324346", "0602;0312324346", "123243453616050312",
      "08023243453606", "48421203051646", "0206;031232", "4212031434453606", "20253646;1232", "02051646;4246", "022642", "0216233642",
      "0246;4206", "0226;4208", "02420646", "30212213242536", "2026", "10212233242516", "03123443"};
  return c >= ' ' && c <= '~' ? table[c - ' '] : "1030361610";
}

double distance(double x, double y, double ax, double ay, double bx, double by) {
  double dx = bx - ax, dy = by - ay, length = dx * dx + dy * dy;
  double t = length > 0 ? std::clamp(((x - ax) * dx + (y - ay) * dy) / length, 0.0, 1.0) : 0;
  return std::hypot(x - ax - t * dx, y - ay - t * dy);
}

}  // namespace

Raster::Raster(int width, int height) {
  picture_.width = uint32_t(width);
  picture_.height = uint32_t(height);
  picture_.bytes.assign(size_t(width) * size_t(height) * 4, '\xff');
  covered_.resize(size_t(width) * size_t(height));
}

void Raster::line(const std::vector<std::pair<double, double>>& points, uint32_t colour, double width) {
  const int w = int(picture_.width), h = int(picture_.height);
  double far = width / 2 + 1;
  auto each_pixel = [&](size_t k, auto&& f) {
    auto [ax, ay] = points[k];
    auto [bx, by] = points[std::min(k + 1, points.size() - 1)];
    int left = int(std::clamp(std::min(ax, bx) - far, 0.0, double(w))), right = int(std::clamp(std::max(ax, bx) + far + 1, 0.0, double(w)));
    int top = int(std::clamp(std::min(ay, by) - far, 0.0, double(h))), bottom = int(std::clamp(std::max(ay, by) + far + 1, 0.0, double(h)));
    for (int y = top; y < bottom; y++)
      for (int x = left; x < right; x++) f(size_t(y) * size_t(w) + size_t(x), distance(x + 0.5, y + 0.5, ax, ay, bx, by));
  };
  const size_t pieces = points.size() > 1 ? points.size() - 1 : points.size();
  // Where pieces meet the pixels are covered once, so colours are mixed after all of them.
  for (size_t k = 0; k < pieces; k++)
    each_pixel(k, [&](size_t at, double away) { covered_[at] = std::max(covered_[at], float(std::clamp(width / 2 + 0.5 - away, 0.0, 1.0))); });
  for (size_t k = 0; k < pieces; k++)
    each_pixel(k, [&](size_t at, double) {
      float part = std::exchange(covered_[at], 0.0F);
      for (int c = 0; part > 0 && c < 3; c++) {
        char& byte = picture_.bytes[4 * at + size_t(c)];
        float there = static_cast<unsigned char>(byte), wanted = float(colour >> (16 - 8 * c) & 255);
        byte = char(static_cast<unsigned char>(there + part * (wanted - there) + 0.5F));
      }
    });
}

void Raster::text(double x, double y, std::string_view anchor, std::string_view text, uint32_t colour) {
  auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };   // a letter of several bytes
  double width = advance * double(std::ranges::count_if(text, [&](char c) { return !continues(c); }));
  x -= anchor == "end" ? width : anchor == "middle" ? width / 2 : 0;
  for (char c : text) {
    if (continues(c)) continue;
    std::vector<std::pair<double, double>> points;
    auto draw = [&] {
      if (!points.empty()) line(points, colour, 1);
      points.clear();
    };
    for (const char* s = strokes(c); *s != 0;) {
      if (*s == ';') {
        draw();
        s++;
        continue;
      }
      points.emplace_back(x + unit * (s[0] - '0') + 0.5, y + unit * (s[1] - '0' - 6));
      s += 2;
    }
    draw();
    x += advance;
  }
}

}  // namespace raido
