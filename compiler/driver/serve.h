// serve.h - the cases of a program on its server, as `bench` and `autotune` run them.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/driver/cases.h"
#include "compiler/driver/script.h"
#include "compiler/driver/server.h"

namespace raido {

// `prog.fut` is compiled to `./prog`.
std::string executable_of(const std::string& program);
// Compiles a program with --server; what the compiler said if it failed.
std::string compile_server(const Options& options, const CaseTools& tools, const std::string& backend, const std::string& program,
                           const std::string& executable);

// The entry points of a server; none and a reason if it does not tell.
std::optional<ScriptEntries> script_entries(Server& server, std::string& wrong);
// Calls of a script that a server answers.
ScriptEvaluator::Call calls_of(Server& server);

// A program for scripts: interpreted, compiled first, or compiled as a server before.
class ScriptProgram {
 public:
  explicit ScriptProgram(const Options& options) : options_(options), tools_(options) {}

  int start();                                         // an exit code; 0: it is ready
  ScriptEvaluator evaluator(std::string folder, bool may_store);      // as long as the program lives

 private:
  bool serve(const std::string& executable);

  const Options& options_;
  CaseTools tools_;
  TemporaryFolder folder_;
  std::optional<Compiled> compiled_;
  std::unique_ptr<Server> server_;
  ScriptEntries entries_;                              // where there is only a server
};

// A program whose server runs from the first case on, and again after one that ended it.
class ServedProgram {
 public:
  ServedProgram(const Options& options, const CaseTools& tools, std::string path, std::vector<std::string> more_options = {});

  const std::string& path() const { return path_; }
  const CaseTools& tools() const { return tools_; }
  const Options& options() const { return options_; }
  std::string tuning_file() const;                                   // empty: there is none
  // The server, greeted; null and a reason if it does not start.
  Server* server(std::optional<Child::Time> deadline, std::string& wrong);
  bool late() const { return server_ && server_->late(); }
  // The program as scripts need it; null and a reason if it is refused.
  const Compiled* compiled(std::string& wrong);

 private:
  const Options& options_;
  const CaseTools& tools_;
  std::string path_;
  std::vector<std::string> more_options_;
  std::unique_ptr<Server> server_;
  std::optional<Compiled> compiled_;
};

// A case with its arguments on the server.
class ServedCase {
 public:
  ServedCase(ServedProgram& program, std::string entry, const TestCase& c, std::optional<Child::Time> deadline);

  // False, or nothing, after a failure, which error() tells.
  bool load();
  std::optional<int64_t> once();              // a run; the microseconds it took
  bool profiled(std::string& log);            // one run, with events of all kernels and copies
  const std::string& error() const { return error_; }

  // Empty, or how the result of the last run differs from what is expected.
  std::string wrong_result(double tolerance);
  void report(std::vector<std::pair<std::string, int64_t>>& bytes, std::string& profiling);

 private:
  bool fail(std::string why) { return error_ = std::move(why), false; }
  bool find_data();
  bool script();
  std::optional<std::string> reference(std::string& wrong) const;

  ServedProgram& program_;
  std::string entry_;
  const TestCase& case_;
  std::optional<Child::Time> deadline_;
  Server* server_ = nullptr;
  std::vector<std::string> types_, arguments_;
  std::string file_;                          // has the arguments
  bool has_result_ = false, consumes_ = false;
  std::string error_;
};

}  // namespace raido
