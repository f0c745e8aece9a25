// entry.h - the interface of a program in C: tables of its types and entry points, and for each entry point a function that every
// caller from outside goes through.
#pragma once
#include <string>
#include <vector>

#include "backends/interface.h"
#include "backends/kernel/kernel.h"

namespace raido {

// Sizes that the runtime is compiled for; before it.
std::string interface_limits(const Interface& interface);
struct InterfaceText {
  std::string tables;
  std::string functions;               // of the entry points, after the functions of the program
  std::vector<std::string> names;      // of `functions`, in the order of the table of entry points
};
InterfaceText print_interface(const ir::Program& program, const kir::Module& module, const Interface& interface, bool device);

}  // namespace raido
