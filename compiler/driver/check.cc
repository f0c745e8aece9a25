// check.cc - `raido check`: the front end alone.
#include "compiler/driver/commands.h"
#include "compiler/driver/compile.h"

namespace raido {

int command_check(const Options& options) {
  check::Options how;
  how.warnings = !options.no_warnings;
  auto checked = check::check_file(options.words[0], how);
  return print_reports(*checked, options) ? 0 : 2;
}

}  // namespace raido
