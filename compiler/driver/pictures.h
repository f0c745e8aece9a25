// pictures.h - pictures and sounds as files: PNG, also with several frames, and WAV. Readers say in `error` what is wrong.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace raido {

struct Picture {
  uint32_t width = 0, height = 0;
  int channels = 4;            // 1: grey; 4: red, green, blue, opacity
  std::string bytes;           // row by row
};
std::string to_png(const Picture& picture);
// Frames of the same size and channels, one after the other; `endless`: again from the first.
std::string to_png(const std::vector<Picture>& frames, double frames_per_second, bool endless);
// Always with four channels of eight bits.
std::optional<Picture> read_png(std::string_view bytes, std::string& error);

struct Sound {
  uint32_t rate = 44100;
  std::vector<std::vector<double>> channels;     // of one length, from -1 to 1
};
std::string to_wav(const Sound& sound);          // 16 bits
std::optional<Sound> read_wav(std::string_view bytes, std::string& error);

}  // namespace raido
