// pictures.cc - the formats of PNG and WAV. zlib has the compression of PNG and its checksum.
#include "compiler/driver/pictures.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include <zlib.h>

namespace raido {
namespace {

constexpr std::string_view png_signature = "\x89PNG\r\n\x1a\n";
constexpr uint64_t most_bytes = uint64_t(1) << 31;     // of a picture that is read

// --- numbers in files: PNG begins with the high byte, WAV with the low one ---

template <class T> T number(std::string_view bytes, size_t at, bool high_first) {
  T n = 0;
  for (size_t i = 0; i < sizeof(T); i++) n |= T(T(uint8_t(bytes[at + i])) << (8 * (high_first ? sizeof(T) - 1 - i : i)));
  return n;
}
template <class T> void put(std::string& out, T n, bool high_first) {
  for (size_t i = 0; i < sizeof(T); i++) out += char(uint8_t(n >> (8 * (high_first ? sizeof(T) - 1 - i : i))));
}
uint32_t big(std::string_view bytes, size_t at) { return number<uint32_t>(bytes, at, true); }
void put_big(std::string& out, uint32_t n) { put(out, n, true); }

uint32_t checksum(std::string_view bytes) {
  return uint32_t(crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), uInt(bytes.size())));
}
void chunk(std::string& out, std::string_view name, std::string_view data) {
  put_big(out, uint32_t(data.size()));
  std::string body = std::string(name) + std::string(data);
  out += body;
  put_big(out, checksum(body));
}

std::string deflated(const Picture& p) {
  std::string rows;
  size_t row = size_t(p.width) * size_t(p.channels);
  for (size_t y = 0; y < p.height; y++) rows += '\0' + p.bytes.substr(y * row, row);      // 0: as it is
  std::string out(compressBound(uLong(rows.size())), '\0');
  uLongf size = uLongf(out.size());
  compress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(rows.data()), uLong(rows.size()));
  out.resize(size);
  return out;
}
std::string head_of(const Picture& p) {
  std::string head;
  put_big(head, p.width);
  put_big(head, p.height);
  head += {8, char(p.channels == 1 ? 0 : 6), 0, 0, 0};
  std::string out(png_signature);
  chunk(out, "IHDR", head);
  return out;
}

// --- reading PNG ---

struct Header {
  uint32_t width, height;
  int depth, colour, interlaced;
  int samples() const { return colour == 2 ? 3 : colour == 4 ? 2 : colour == 6 ? 4 : 1; }
  uint64_t row_bytes(uint64_t columns) const { return (columns * uint64_t(samples() * depth) + 7) / 8; }
  bool valid() const {
    bool depths = colour == 0 ? true : colour == 3 ? depth <= 8 : depth >= 8;
    bool one_of = depth == 1 || depth == 2 || depth == 4 || depth == 8 || depth == 16;
    bool colours = colour == 0 || colour == 2 || colour == 3 || colour == 4 || colour == 6;
    return width > 0 && height > 0 && depths && one_of && colours && interlaced <= 1 && uint64_t(width) * height <= most_bytes / 8;
  }
};

// Which pixels the passes of an interlaced picture have: first column and row, and the distance of the next ones.
struct Interlace { uint32_t x, y, dx, dy; };
constexpr Interlace interlaced_passes[] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
constexpr Interlace whole_pass[] = {{0, 0, 1, 1}};

// A row is what is stored plus what a filter makes of the bytes to the left, above, and above to the left.
bool unfilter(uint8_t filter, std::string& row, const std::string& above, size_t distance) {
  for (size_t i = 0; i < row.size(); i++) {
    int left = i >= distance ? uint8_t(row[i - distance]) : 0, up = uint8_t(above[i]);
    int corner = i >= distance ? uint8_t(above[i - distance]) : 0, guess = 0;
    if (filter == 1) guess = left;
    else if (filter == 2) guess = up;
    else if (filter == 3) guess = (left + up) / 2;
    else if (filter == 4) {
      int a = std::abs(up - corner), b = std::abs(left - corner), c = std::abs(left + up - 2 * corner);
      guess = a <= b && a <= c ? left : b <= c ? up : corner;
    } else if (filter != 0) return false;
    row[i] = char(uint8_t(row[i]) + guess);
  }
  return true;
}

struct PngReader {
  Header h{};
  std::string_view palette, transparent;
  std::string data;            // compressed

  // Sample s of pixel x of a row, with its own number of bits.
  unsigned sample(const std::string& row, size_t x, int s) const {
    size_t bit = (x * size_t(h.samples()) + size_t(s)) * size_t(h.depth);
    if (h.depth == 16) return number<uint16_t>(row, bit / 8, true);
    return (uint8_t(row[bit / 8]) >> (8 - size_t(h.depth) - bit % 8)) & ((1u << h.depth) - 1);
  }
  bool pixel(const std::string& row, size_t x, char* out) const {
    auto eight = [&](unsigned v) { return char(h.depth == 16 ? v >> 8 : v * 255 / ((1u << h.depth) - 1)); };
    auto key = [&](size_t i) { return number<uint16_t>(transparent, 2 * i, true); };
    out[3] = char(255);
    if (h.colour == 3) {
      unsigned index = sample(row, x, 0);
      if (3 * index + 3 > palette.size()) return false;
      std::memcpy(out, palette.data() + 3 * index, 3);
      if (index < transparent.size()) out[3] = transparent[index];
      return true;
    }
    bool grey = h.colour == 0 || h.colour == 4;
    bool keyed = transparent.size() >= (grey ? 2u : 6u) && (h.colour == 0 || h.colour == 2);
    for (int c = 0; c < 3; c++) {
      unsigned v = sample(row, x, grey ? 0 : c);
      keyed = keyed && v == key(grey ? 0 : size_t(c));
      out[c] = eight(v);
    }
    if (h.colour == 4 || h.colour == 6) out[3] = eight(sample(row, x, h.samples() - 1));
    if (keyed) out[3] = 0;
    return true;
  }
};

}  // namespace

std::string to_png(const Picture& p) {
  std::string out = head_of(p);
  chunk(out, "IDAT", deflated(p));
  chunk(out, "IEND", "");
  return out;
}

std::string to_png(const std::vector<Picture>& frames, double rate, bool endless) {
  std::string out = head_of(frames[0]), control;
  put_big(control, uint32_t(frames.size()));
  put_big(control, endless ? 0 : 1);
  chunk(out, "acTL", control);
  uint32_t number = 0;
  for (const Picture& p : frames) {
    std::string frame;
    for (uint32_t n : {number++, p.width, p.height, 0u, 0u}) put_big(frame, n);
    bool slow = rate <= 600;                         // a frame takes 100 / (100 rate) seconds, or 1 / rate
    put(frame, uint16_t(slow ? 100 : 1), true);
    put(frame, uint16_t(std::clamp(std::lround(slow ? 100 * rate : rate), 1l, 65535l)), true);
    frame += {0, 0};                                 // what was there is replaced
    chunk(out, "fcTL", frame);
    std::string data;
    if (&p != &frames[0]) put_big(data, number++);
    chunk(out, &p == &frames[0] ? "IDAT" : "fdAT", data + deflated(p));
  }
  chunk(out, "IEND", "");
  return out;
}

std::optional<Picture> read_png(std::string_view bytes, std::string& error) {
  auto fail = [&](const char* message) { error = message; return std::nullopt; };
  if (!bytes.starts_with(png_signature)) return fail("this is no PNG file");
  PngReader reader;
  Header& h = reader.h;
  bool end = false;
  for (size_t at = png_signature.size(); !end;) {
    if (bytes.size() - at < 12 || big(bytes, at) > bytes.size() - at - 12) return fail("the file ends too early");
    size_t size = big(bytes, at);
    std::string_view name = bytes.substr(at + 4, 4), data = bytes.substr(at + 8, size);
    if (checksum(bytes.substr(at + 4, size + 4)) != big(bytes, at + 8 + size)) return fail("a checksum is wrong");
    if (name == "IHDR" && size == 13)
      h = {big(data, 0), big(data, 4), data[8], data[9], data[12]};
    else if (name == "PLTE") reader.palette = data;
    else if (name == "tRNS") reader.transparent = data;
    else if (name == "IDAT") reader.data += data;
    end = name == "IEND";
    at += size + 12;
  }
  if (!h.valid()) return fail("its size or kind is not one of PNG");
  bool parts = h.interlaced == 1;
  auto columns = [&](const Interlace& p) { return p.x < h.width ? (h.width - p.x + p.dx - 1) / p.dx : 0; };
  auto rows = [&](const Interlace& p) { return p.y < h.height ? (h.height - p.y + p.dy - 1) / p.dy : 0; };
  const Interlace* begin = parts ? std::begin(interlaced_passes) : std::begin(whole_pass);
  const Interlace* stop = parts ? std::end(interlaced_passes) : std::end(whole_pass);
  uint64_t size = 0;
  for (const Interlace* p = begin; p != stop; p++) if (columns(*p)) size += rows(*p) * (1 + h.row_bytes(columns(*p)));
  if (size > most_bytes || size / 2000 > reader.data.size()) return fail("there is too little in it");   // zlib makes at most 1032 of one
  std::string stored(size, '\0');
  uLongf got = uLongf(size);
  if (uncompress(reinterpret_cast<Bytef*>(stored.data()), &got, reinterpret_cast<const Bytef*>(reader.data.data()), uLong(reader.data.size())) != Z_OK || got != size)
    return fail("its compressed part is damaged");
  Picture out{h.width, h.height, 4, std::string(size_t(h.width) * h.height * 4, '\0')};
  size_t at = 0, distance = std::max(1, h.samples() * h.depth / 8);
  for (const Interlace* p = begin; p != stop; p++) {
    size_t length = h.row_bytes(columns(*p));
    if (length == 0) continue;
    std::string above(length, '\0');
    for (uint32_t y = 0; y < rows(*p); y++) {
      std::string row = stored.substr(at + 1, length);
      if (!unfilter(uint8_t(stored[at]), row, above, distance)) return fail("its compressed part is damaged");
      at += 1 + length;
      for (uint32_t x = 0; x < columns(*p); x++)
        if (!reader.pixel(row, x, &out.bytes[(size_t(p->y + y * p->dy) * h.width + p->x + x * p->dx) * 4])) return fail("a colour is missing");
      above = std::move(row);
    }
  }
  return out;
}

std::string to_wav(const Sound& sound) {
  size_t channels = sound.channels.size(), samples = channels ? sound.channels[0].size() : 0;
  std::string data;
  for (size_t i = 0; i < samples; i++)
    for (const auto& channel : sound.channels) put(data, uint16_t(int16_t(std::lround(32767 * std::clamp(channel[i], -1.0, 1.0)))), false);
  std::string out = "RIFF";
  put(out, uint32_t(36 + data.size()), false);
  out += "WAVEfmt ";
  put(out, uint32_t(16), false);
  put(out, uint16_t(1), false);
  put(out, uint16_t(channels), false);
  put(out, sound.rate, false);
  put(out, uint32_t(sound.rate * channels * 2), false);
  put(out, uint16_t(channels * 2), false);
  put(out, uint16_t(16), false);
  out += "data";
  put(out, uint32_t(data.size()), false);
  return out + data;
}

std::optional<Sound> read_wav(std::string_view bytes, std::string& error) {
  auto fail = [&](const char* message) { error = message; return std::nullopt; };
  auto small = [&](std::string_view b, size_t at) { return number<uint16_t>(b, at, false); };
  if (bytes.size() < 12 || !bytes.starts_with("RIFF") || bytes.substr(8, 4) != "WAVE") return fail("this is no WAV file");
  Sound out;
  unsigned kind = 0, width = 0, channels = 0;
  for (size_t at = 12; bytes.size() - at >= 8;) {
    std::string_view name = bytes.substr(at, 4);
    size_t size = std::min<size_t>(number<uint32_t>(bytes, at + 4, false), bytes.size() - at - 8);
    std::string_view data = bytes.substr(at + 8, size);
    if (name == "fmt " && size >= 16) {
      kind = small(data, 0), channels = small(data, 2), width = small(data, 14) / 8;
      if (kind == 0xFFFE && size >= 26) kind = small(data, 24);
      out.rate = number<uint32_t>(data, 4, false);
    } else if (name == "data") {
      bool integers = kind == 1 && width >= 1 && width <= 4, floats = kind == 3 && (width == 4 || width == 8);
      if (channels == 0 || !(integers || floats)) return fail("only PCM of 8 to 32 bits and floats can be read");
      out.channels.resize(channels);
      for (size_t i = 0; (i + 1) * width <= size / (width * channels) * (width * channels); i++) {
        double x = 0;
        if (floats && width == 4) { float f; std::memcpy(&f, &data[i * 4], 4); x = double(f); }
        else if (floats) std::memcpy(&x, &data[i * 8], 8);
        else if (width == 1) x = (int(uint8_t(data[i])) - 128) / 128.0;      // the only width without a sign
        else {
          int64_t n = int8_t(data[i * width + width - 1]);
          for (size_t b = width - 1; b-- > 0;) n = n * 256 + uint8_t(data[i * width + b]);
          x = double(n) / std::ldexp(1.0, int(8 * width) - 1);
        }
        out.channels[i % channels].push_back(x);
      }
      return out;
    }
    at += 8 + size + size % 2;
    if (at > bytes.size()) break;
  }
  return fail("there is no sound in it");
}

}  // namespace raido
