// code.h - the text of one function of LLVM's language while it is written, and what the module needs besides.
//
// Every value has a number of its own (`%t7`); variables of the kernel program are memory on the stack, which LLVM turns into values.
#pragma once
#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/scalar.h"

namespace raido::llvm {

// What a module is made for.
struct Machine {
  bool native = true;          // this processor; otherwise the least of its architecture
  int vector_bytes = 16;
  bool strict_fp = false;      // no fused operations, no sums in another order
  bool vector_math = true;     // exp and its kind for several numbers at once
};

// Functions that are called and not defined here, texts, and the attributes of calls.
class Surroundings {
 public:
  explicit Surroundings(const Machine& m) : machine(m) {}
  const Machine& machine;

  // The declaration stands once in the module; the result is `@name`.
  std::string function(const std::string& result, const std::string& name, const std::string& params, std::string_view attributes);
  std::string text(std::string_view s);              // a global that holds it, with a zero after it
  // The attributes of a call of a mathematical function: which functions do it for several numbers at once.
  std::string vector_variants(std::string_view name, Scalar at, int arity);
  std::string metadata(const std::string& node);     // `!7`
  std::string globals() const;

 private:
  std::map<std::string, std::string> declarations_;
  std::map<std::string, std::string, std::less<>> texts_;
  std::map<std::string, std::string> variants_;      // lists of functions, and the group of attributes that has them
  std::vector<std::string> used_, metadata_;
};

struct Code {
  explicit Code(Surroundings& s) : around(s) {}
  Surroundings& around;
  std::string text;
  int values = 0, labels = 0;

  void line(const std::string& s) { text += "  " + s + "\n"; }
  template <class... T> std::string value(fmt::format_string<T...> f, T&&... args) {
    std::string name = fmt::format("%t{}", values++);
    line(name + " = " + fmt::format(f, std::forward<T>(args)...));
    return name;
  }
  std::string label(std::string_view hint) { return fmt::format("{}.{}", hint, labels++); }
  void begin(const std::string& label) { text += label + ":\n"; }
};

// ---- print_scalars.cc ----

std::string type_of(Scalar s);              // of a value in a register: f16 is float, bool is i1
std::string storage_of(Scalar s);           // of an element in memory
std::string literal(const Const& c);        // in a register
// The operation at this type; `flags`: what is known of a float operation beyond the usual.
std::string operation(Code& code, ScalarOp op, Scalar at, const std::vector<std::string>& args, std::string_view flags = "");
std::string smaller_or_larger(Code& code, bool smaller, Scalar at, const std::string& x, const std::string& y);   // y is no NaN
std::string cast(Code& code, Scalar from, Scalar to, const std::string& x);
std::string from_storage(Code& code, Scalar s, const std::string& x);      // what is in memory as what is in registers
std::string to_storage(Code& code, Scalar s, const std::string& x);

}  // namespace raido::llvm
