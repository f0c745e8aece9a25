// loaders.h - the executables that the build makes of loader.c and packs into the compiler: `raido_loader`, `raido_loader_server`.
#pragma once
#include <optional>
#include <string_view>

namespace raido {

std::optional<std::string_view> find_loader(std::string_view name);

}  // namespace raido
