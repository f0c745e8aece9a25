// check.cc - `raido check`: the front end alone.
#include "compiler/driver/commands.h"
#include "compiler/driver/compile.h"

namespace raido {

int command_check(const Options& options) {
  auto checked = check::check_file(options.words[0], check_options(options));
  return print_reports(*checked, options) ? 0 : 2;
}

}  // namespace raido
