// manual.h - what the table of options says elsewhere: manual pages, and how shells complete a command line.
#pragma once
#include <string>
#include <vector>

#include "compiler/driver/options.h"

namespace raido {

using Commands = std::vector<CommandInfo>;

// These print to standard output; the results are exit codes.
int print_completion(const std::string& shell, const Commands& commands);
int print_manual(const std::string& command, const Commands& commands);      // empty: that of raido itself
// All of them, into the folder `share` of a prefix.
int install_texts(const std::string& prefix, const Commands& commands);

}  // namespace raido
