// target.h - the kinds of machine a program is made for: they decide the pipeline.
#pragma once
#include <cstdint>

namespace raido::ir {

enum class Target : uint8_t { Sequential, Multicore, Gpu };

}  // namespace raido::ir
