// writer.h - the text of functions and kernels, statement by statement.
//
// Scalar operations are functions (print_scalars.h), one for each operation and type that occurs. A parallel loop becomes a function of one
// chunk and a struct of what it captures, printed before the function in which it stands.
#pragma once
#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "backends/kernel/counting.h"
#include "backends/kernel/kernel.h"
#include "backends/kernel/print_scalars.h"
#include "backends/kernel/vector_loops.h"

namespace raido::kir {

// In so many braces stand both sides of a branch. Clang takes 256 brackets in each other, so what is deeper goes on in the same block, after a jump.
inline constexpr int deepest_chain = 64;

// A bool is a byte in device memory and among the arguments of kernels.
inline std::string_view passed_type(const NameInfo& i) {
  if (i.type == Scalar::Bool) return "u8";
  return i.memory ? storage_type(i.type) : c_type(i.type);
}

// Prints bodies; collects the scalar operations that they use. writer.cc has what all code has, writer_device.cc what kernels and launches have,
// and writer_vector_scan.cc one statement of processors.
class Writer {
 public:
  Writer(const Module& m, For_ language) : m_(m), language_(language) {}

  std::string out;
  std::string before;        // chunk functions
  bool can_fail = false;     // kernels take the failure word
  bool counted = false;      // the kernels say what they do (words_counts.h)
  bool emulated = false;     // host code says which values are results only
  bool transposes = false, tiles = false, vector_scans = false;
  bool places = true;        // allocations say where they are

  std::string scalar_functions() const;
  void use_scalars_of(const Writer& other) { used_.insert(other.used_.begin(), other.used_.end()); }

  void function(const HostFunction& f);
  std::string signature(const HostFunction& f) const;

  void kernel(const Kernel& k);

  std::string declared_type(Name n) const;
  std::string declared(Name n) const;
  std::string name(Name n) const { return m_.names[n.index].text; }

 private:
  const Module& m_;
  For_ language_;
  int depth_ = 0;
  bool in_kernel_ = false, locked_ = false;
  struct ForVectors {
    const VectorLoop& loop;
    bool widest;                                           // with AVX-512 only
    std::vector<std::pair<Const, std::string>> bounds;     // constants that have names, which GCC does not see through
    std::unordered_map<Name, std::string> truths;          // conditions from outside, as numbers that it does not know
    std::string zero;                                      // 0, which it does not know
    std::map<uint32_t, std::string> divisors;              // by expression
  };
  const ForVectors* vectors_ = nullptr;  // the loop around, which may run as vectors
  std::vector<Name> numbers_;  // declared right before, with a constant that is no NaN
  IdSet<Name> compared_;     // truth values that the C function makes by comparisons
  int names_ = 0;            // of such loops so far
  std::optional<ForVectors> for_vectors(const VectorLoop& loop);
  std::vector<Name> general_;                            // VectorLoop::general of the loop around
  const std::string* hidden(const Const& c) const;
  bool pairs_ = false;       // in a loop that changes neighbours
  const HostFunction* current_ = nullptr;
  int guards_ = 0;                       // so far
  std::optional<int> guard_;             // around the statement at hand
  bool left_ = false;                    // some check inside of it leaves it
  std::set<std::pair<ScalarOp, Scalar>> used_;
  int chains_ = 0;           // jumps so far
  bool in_chain_ = false;    // such a jump may pass by the statement at hand
  int loops_ = 0;            // of a counted kernel
  Around around_{m_};        // the statement at hand
  IdSet<Name> results_;

  // What a counted kernel says at the start of a block of code, of an iteration, and after a loop.
  std::string ran(const Block& b) const { return counted ? fmt::format("RAN({});", operations_of(m_, b, around_)) : ""; }
  std::string iteration(int loop, const Block& b, const std::vector<ExprId>& with, int more) const;
  void loop_end(int loop) { if (counted) line(fmt::format("LOOP_END({});", loop)); }

  // Beyond 40 levels nothing is indented further: a chain of many branches would be spaces for the most part.
  void line(const std::string& text) { out += std::string(size_t(2 * std::min(depth_, 40)), ' ') + text + "\n"; }
  void block(const Block& b) { for (const Stm& s : b) stm(s); }
  void braces(const std::string& head, const Block& b, const std::string& first = "");

  std::string expr(ExprId id);
  std::string prim(ExprId id);
  std::string division(const Prim& p);
  // What a loop for vectors says, where it may be that only some versions of it are vectors.
  std::string in_vectors(const std::string& vector, const std::string& scalar) const { return vectors_->widest ? fmt::format("RAIDO_WIDEST({}, {})", vector, scalar) : vector; }
  bool is_number(ExprId a) const { return m_.const_of(a) && literal(*m_.const_of(a)) != "RAIDO_NAN"; }
  static std::string parenthesised(const std::string& text);
  static std::string condition(const std::string& text) { return text[0] == '(' ? text : "(" + text + ")"; }
  std::string cast(Scalar from, Scalar to, const std::string& value);

  // The expression of a test: no doubled parentheses.
  std::string test(ExprId e) { return condition(expr(e)); }

  std::string fail(const Fail& x);

  void stm(const Stm& s);

  std::string_view element_type(const NameInfo& i) const { return in_kernel_ ? passed_type(i) : storage_type(i.type); }
  void declare(const Declare& x);
  void declare_array(const DeclareArray& x);
  void store(const Store& x);
  void atomic(const Atomic& x);
  // What other threads have written and shall see.
  std::string cell_of(Name memory, ExprId index);
  void locked(const Locked& x);
  // In a counted kernel the statements count once, however often they run.
  void swap(const Swap& x);
  // What the words have as NATIVE_UPDATE.
  static bool may_be_native(ScalarOp op, Scalar at);
  void for_loop(const For& x);
  void loop(const For& x, bool combines);      // combines: what lanes have reduced
  void while_loop(const While& x);
  void chosen_text(const If& x);
  void branch(const If& x);
  // Of a branch in very many others: where the condition holds, a jump leads past it.
  void flat_branch(const If& x);
  std::string when(ExprId condition);
  std::string unless(ExprId condition);
  void call(const Call& x);
  void give_back(const Return& x);
  void read_back(const ReadBack& x);
  void write_out(const WriteOut& x);
  void upload(const Upload& x);
  void copy_memory(const CopyMemory& x);

  std::string field(Name n) const { return m_.names[n.index].constant ? "w->context->constants->" : ""; }
  std::string prefix(Name n) const { return m_.names[n.index].space == ir::Space::Device ? "raido_device" : "raido"; }

  void trace(const Trace& x);

  void alloc(const Alloc& x);

  void parallel_for(const ParallelFor& x);
  bool is_data(Name n) const;

  void device_fail(const Fail& x);
  void guarded(const Guarded& x);
  void shape(const Shape& x);

  void update_shape(const UpdateShape& x);

  // After the failure word; the host knows how to print each kind (gpu.h).
  void device_trace(const Trace& x);

  class VectorScans;
  void vector_scan(const VectorScan& x);      // writer_vector_scan.cc
  void transpose(const Transpose& x);
  void launch(const Launch& x);
};

}  // namespace raido::kir
