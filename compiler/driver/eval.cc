// eval.cc - `raido eval`: the values of expressions.
#include <cstdio>

#include <fmt/format.h>

#include "compiler/driver/commands.h"
#include "compiler/driver/evaluate.h"
#include "compiler/driver/output.h"
#include "compiler/driver/show.h"

namespace raido {

int command_eval(const Options& options) {
  Session session(options.file, options.abi == "0.25");
  std::string messages;
  bool ok = session.check_file(!options.no_warnings, messages);
  fmt::print(stderr, "{}", messages);
  if (!ok) return 1;
  for (const std::string& expression : options.words) {
    messages.clear();
    auto value = session.evaluate("<expression>", expression, !options.no_warnings, messages);
    if (!messages.empty()) fmt::print(stderr, "{}", messages);
    if (!value) return 1;
    print("{}\n\n", show_value(value->layout, value->leaves, false));
    flush_output();
  }
  return 0;
}

}  // namespace raido
