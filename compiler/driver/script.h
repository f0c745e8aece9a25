// script.h - FutharkScript: expressions over the entry points of a program, which the interpreter or someone else calls.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/driver/compile.h"
#include "compiler/ir/value.h"

namespace raido {

struct ScriptValue {
  enum class Kind {
    Data,        // a scalar or an array
    Opaque,      // what an entry point returned that is neither: a layout and its leaves
    Tuple,       // made by the script; fields 0, 1, ..
    Record,      // made by the script
    Function,    // an entry point or builtin and the arguments it has got so far
  } kind = Kind::Data;
  bool constant = false;                       // Data written in the script: integers adapt to what is expected
  std::vector<ir::Value> leaves;               // Data: one
  lower::Layout layout;                        // Data and Opaque
  std::string name;                            // Opaque: its type; Function: what is called
  struct Part;
  std::vector<Part> parts;
};
struct ScriptValue::Part { std::string name; ScriptValue value; };

// What scripts need to know of an entry point.
struct ScriptEntry {
  std::vector<std::string> param_types;
  std::string result_type;
  lower::EntryLayout layout;
};
using ScriptEntries = std::map<std::string, ScriptEntry>;

class ScriptEvaluator {
 public:
  // Applies an entry point to the leaves of its arguments; none and a reason.
  using Call = std::function<std::optional<std::vector<ir::Value>>(const std::string& entry, const std::vector<ir::Value>& leaves,
                                                                   std::string& wrong)>;

  // `folder` is where the paths of $loaddata and its kin begin; `may_store`: $store exists. Without `call` it is the interpreter's.
  ScriptEvaluator(const Compiled& program, std::string folder, bool may_store, Call call = {});
  ScriptEvaluator(ScriptEntries entries, std::string folder, bool may_store, Call call);

  // The value of a text; none and a message in error().
  std::optional<ScriptValue> run(std::string_view text);
  // The values as the parameters of an entry point want them: those of one value, or the parts of a tuple.
  std::optional<std::vector<std::vector<ir::Value>>> arguments(const std::string& entry, const ScriptValue& value, bool are_several = false);
  // All parameters of the entry point are scalars or arrays of them.
  bool readable(const std::string& entry) const;
  const std::string& error() const { return error_; }

  // The fields of a tuple or record; none if it is something else.
  std::optional<std::vector<ScriptValue::Part>> parts(const ScriptValue& value);
  // The value of a function (an entry point, with some arguments or none) for one more argument.
  std::optional<ScriptValue> applied(ScriptValue function, ScriptValue argument);
  // `[]i32`; of what has no such type, its name.
  std::string type_name(const ScriptValue& value) const;

  // `(1i32, true)`; none if a part has no external representation.
  std::optional<std::string> show(const ScriptValue& value);
  // Its components: data values, tuples spread once.
  std::optional<std::vector<ir::Value>> components(const ScriptValue& value);
  // The expression on one line, constants with their types.
  static std::string one_line(std::string_view text);

 private:
  using Env = std::map<std::string, ScriptValue>;
  std::nullopt_t fail(std::string message);
  std::nullopt_t fail_here(std::string message);
  std::string found();
  void skip();
  char peek();
  bool accept(char c);
  bool expect(char c);
  bool at_word(std::string_view word);
  std::string name();
  bool at_constant();
  bool at_atom();

  std::optional<ScriptValue> expression(Env& env);
  std::optional<ScriptValue> let(Env env);
  std::optional<ScriptValue> application(Env& env);
  std::optional<ScriptValue> atom(Env& env);
  std::optional<ScriptValue> atom_start(Env& env);
  std::optional<ScriptValue> braces(Env& env);
  std::optional<ScriptValue> index(ScriptValue array, Env& env);
  std::optional<ScriptValue> project(ScriptValue value, const std::string& field);
  std::optional<ScriptValue> apply(ScriptValue function);
  std::optional<ScriptValue> builtin(const ScriptValue& call);
  std::optional<ScriptValue> call(const std::string& name, const std::vector<std::vector<ir::Value>>& args);
  std::optional<std::vector<ir::Value>> convert(const ScriptValue& value, const lower::Layout& layout);
  ScriptValue of(const lower::Layout& layout, std::vector<ir::Value> leaves, std::string type) const;
  std::optional<std::string> path(const ScriptValue& value);
  std::optional<std::vector<ir::Value>> stored(const ScriptValue& value);

  ScriptEntries entries_;
  std::string folder_;
  bool may_store_;
  Call call_;
  std::map<std::string, const lower::Layout*> types_;          // of what entry points take and give
  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  std::string error_;
};

}  // namespace raido
