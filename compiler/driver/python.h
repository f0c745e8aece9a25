// python.h - the texts of a package of Python: what the extension module (backends/runtime/python.h) leaves to Python.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "backends/interface.h"
#include "compiler/ir/ir.h"

namespace raido {

// The extents of a value of the result: a number, a dimension of a value of the arguments, or what only a run tells.
struct ResultSize {
  std::optional<i64> number;
  std::optional<std::pair<size_t, size_t>> place;       // leaf, dimension
};
struct EntrySizes {
  std::string name;
  std::vector<std::vector<ResultSize>> leaves;
};
std::vector<EntrySizes> sizes_of_results(const ir::Program& program);

struct PackageFile { std::string name, text; };
std::vector<PackageFile> python_package(const Interface& interface, const std::vector<EntrySizes>& sizes, const std::string& package, bool device);

bool is_package_name(const std::string& name);

}  // namespace raido
