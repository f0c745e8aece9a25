// isolated.h - work that may fail in any way, done by a copy of this process.
#pragma once
#include <functional>
#include <optional>
#include <string>

namespace raido {

// What f returns; none if the copy dies, or has not ended in time. Nothing else that f does is seen here.
std::optional<std::string> isolated(const std::function<std::string()>& f, double seconds);

}  // namespace raido
