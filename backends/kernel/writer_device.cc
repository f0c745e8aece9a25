// writer_device.cc - kernels and their launches, updates that threads make together, and memory of devices.
#include "backends/kernel/writer.h"

#include "compiler/base/match.h"
#include "compiler/base/text.h"
#include "compiler/ir/costs.h"

namespace raido::kir {

void Writer::kernel(const Kernel& k) {
  out += fmt::format("{}KERNEL {}{}(", k.dense ? "DENSE_" : "", counted ? "counted_" : "", k.name);
  loops_ = 0;
  std::string_view separator;
  for (Name n : k.params) {
    const NameInfo& i = m_.names[n.index];
    out += fmt::format("{}{}{} {}{}", separator, i.memory ? "GLOBAL " : "", passed_type(i), i.memory ? "*" : "", i.text);
    separator = ", ";
  }
  if (can_fail) out += fmt::format("{}GLOBAL i64 *failure", separator);
  out += k.dynamic ? " DYNAMIC_PARAMETER) {\n  DYNAMIC_SHARED;\n" : ") {\n";
  in_kernel_ = true;
  depth_ = 1;
  const bool asks = can_fail && !k.collective && (k.can_fail || is_steered_by_memory(m_, k));     // whether an earlier one has failed
  if (asks && counted) line("if (BRANCH(LOAD(failure, 0) >= 0)) return;");
  else if (asks) line("if (RAIDO_FAILED(failure)) return;");
  else if (can_fail) line("(void)failure;");
  if (std::string text = ran(k.body); !text.empty()) line(text);
  block(k.body);
  in_kernel_ = false;
  out += "}\n\n";
}
void Writer::atomic(const Atomic& x) {
  Scalar t = m_.names[x.memory.index].type;
  if (counted) line(fmt::format("UPDATES({}, {});", name(x.memory), expr(x.index)));
  used_.insert({x.op, t});
  bool shared = m_.names[x.memory.index].space == ir::Space::Shared, native = in_kernel_ && may_be_native(x.op, t);
  std::string how = t == Scalar::F16 && !in_kernel_ ? "ATOMIC_UPDATE_HALF(" + function_name(x.op, t)
                    : native ? fmt::format("NATIVE_UPDATE({}, {}, {}", name_of(t), name_of(x.op), shared ? "LOCAL" : "GLOBAL")
                    : fmt::format("{}_UPDATE({}, {}", shared ? "SHARED" : "ATOMIC", name_of(t), function_name(x.op, t));
  line(fmt::format("{}, {}, {}, {});", how, name(x.memory), expr(x.index), expr(x.value)));
}
std::string Writer::cell_of(Name memory, ExprId index) {
  const NameInfo& i = m_.names[memory.index];
  if (i.space != ir::Space::Device && i.space != ir::Space::Shared) return fmt::format("{}[{}]", i.text, expr(index));
  return fmt::format("((volatile {} {} *){})[{}]", i.space == ir::Space::Shared ? "LOCAL" : "GLOBAL", passed_type(i), i.text, expr(index));
}
void Writer::locked(const Locked& x) {
  if (counted) for (size_t k = 0; k < x.at.size(); k++) line(fmt::format("UPDATES({}, {});", name(x.memories[k]), expr(x.at[k])));
  if (std::string text = ran(x.body); !text.empty()) line(text);
  bool counts = std::exchange(counted, false), outer = std::exchange(locked_, true);
  braces(fmt::format("LOCKED({}, {}, {})", m_.names[x.locks.index].space == ir::Space::Shared ? "LOCAL" : "GLOBAL", name(x.locks), expr(x.place)), x.body);
  line("} UNLOCKED");
  counted = counts;
  locked_ = outer;
}
void Writer::swap(const Swap& x) {
  std::string_view t = name_of(m_.names[x.memory.index].type), space = m_.names[x.memory.index].space == ir::Space::Shared ? "LOCAL" : "GLOBAL";
  if (counted) line(fmt::format("UPDATES({}, {});", name(x.memory), expr(x.index)));
  if (std::string text = ran(x.body); !text.empty()) line(text);
  bool counts = std::exchange(counted, false);
  line("{");
  depth_++;
  line(fmt::format("ATOMIC_CELL({}, {}, {}, {});", t, space, name(x.memory), expr(x.index)));
  braces("do", x.body, fmt::format("{} = ATOMIC_OLD({});", declared(x.old), t));
  line(fmt::format("  ATOMIC_SWAP({}, {});", t, expr(x.now)));
  line("} while (ATOMIC_AGAIN);");
  depth_--;
  line("}");
  counted = counts;
}
bool Writer::may_be_native(ScalarOp op, Scalar at) {
  using enum ScalarOp;
  if (is_float(at)) return op == add && at != Scalar::F16;
  return is_integer(at) && bytes_of(at) >= 4 && (op == add || op == min || op == max || op == and_ || op == or_ || op == xor_);
}
void Writer::read_back(const ReadBack& x) {
  const NameInfo& i = m_.names[x.memory.index];
  std::string cell = name(x.var) + "_cell";
  line(fmt::format("{} {};", storage_type(i.type), cell));
  std::string_view read = results_.contains(x.var) ? "raido_device_read_result" : "raido_device_read";
  line(fmt::format("if ({}(w, &{}, {}, {}, sizeof {}) != 0) return 1;", read, cell, i.text, expr(x.index), cell));
  line(fmt::format("{} = {};", declared(x.var), i.type == Scalar::F16 ? fmt::format("raido_f16_to_f32({})", cell) : cell));
}
void Writer::write_out(const WriteOut& x) {
  const NameInfo& i = m_.names[x.memory.index];
  std::string value = expr(x.value);
  if (i.type == Scalar::F16) value = fmt::format("raido_f32_to_f16({})", value);
  line(fmt::format("{{ {} cell = {}; if (raido_device_write(w, {}, {}, &cell, sizeof cell) != 0) return 1; }}", storage_type(i.type),
                   value, i.text, expr(x.index)));
}
void Writer::upload(const Upload& x) {
  line(fmt::format("if (raido_device_upload(w, {}, {}, {}, sizeof {}[0]) != 0) return 1;", name(x.memory), name(x.data), expr(x.count), name(x.data)));
}
void Writer::copy_memory(const CopyMemory& x) {
  line(fmt::format("if (raido_device_copy(w, {}, {}, {}, {}, {}, sizeof({})) != 0) return 1;", name(x.to), expr(x.to_at), name(x.from),
                   expr(x.from_at), expr(x.count), storage_type(m_.names[x.to.index].type)));
}
void Writer::device_fail(const Fail& x) {
  std::string args;
  for (size_t k = 0; k < x.args.size() && k < 8; k++) {
    Scalar t = m_.exprs[x.args[k].index].type;
    std::string value = expr(x.args[k]);
    args += fmt::format(" failure[{}] = {};", k + 1, is_float(t) ? fmt::format("(i64){}", value) : fmt::format("(i64){}", value));
  }
  line(fmt::format("if (RAIDO_FAIL_FIRST(failure, {})) {{{} }}", x.text, args));
  left_ = true;
  line(guard_ ? fmt::format("goto guarded_{};", *guard_) : "return;");
}
void Writer::guarded(const Guarded& x) {
  std::optional<int> outer = std::exchange(guard_, guards_++);
  bool left = std::exchange(left_, false);
  std::string_view test = counted ? "if (BRANCH(LOAD(failure, 0) < 0))" : "if (!RAIDO_FAILED(failure))";
  braces(std::string(x.elements && can_fail ? test : ""), x.body, ran(x.body));
  line("}");
  if (left_) line(fmt::format("guarded_{}:;", *guard_));
  guard_ = outer;
  left_ = left;
}
void Writer::shape(const Shape& x) {
  auto names = {x.lanes, x.blocks, x.threads, x.finish};
  line(fmt::format("i64 {};", join(names, ", ", [&](Name n) { return name(n); })));
  line(fmt::format("raido_grid_of_rows(w, {}, {}, {}, {});", expr(x.rows), expr(x.parts), x.beside, join(names, ", ", [&](Name n) { return "&" + name(n); })));
}
void Writer::update_shape(const UpdateShape& x) {
  std::vector<Name> names = {x.threads, x.shared};
  for (const Copies& c : x.copies) names.insert(names.end(), {c.at, c.count});
  line(fmt::format("i64 {};", join(names, ", ", [&](Name n) { return name(n); })));
  line("{");
  depth_++;
  line(fmt::format("struct raido_copies of[] = {{{}}};", join(x.copies, ", ", [&](const Copies& c) {
    return fmt::format("{{{}, {}, {}, -1, 1}}", expr(c.cells), c.bytes, c.updates);
  })));
  line(fmt::format("raido_grid_of_updates(w, {}, {}, {}, {}, of, {}, &{}, &{});", expr(x.points), costs::gpu::full_device, costs::gpu::gathered_updates,
                   costs::gpu::copies_bytes, x.copies.size(), name(x.threads), name(x.shared)));
  for (size_t k = 0; k < x.copies.size(); k++) line(fmt::format("{} = of[{}].at, {} = of[{}].count;", name(x.copies[k].at), k, name(x.copies[k].count), k));
  depth_--;
  line("}");
}
void Writer::device_trace(const Trace& x) {
  Scalar t = m_.exprs[x.value->index].type;
  int kind = t == Scalar::Bool ? 4 : t == Scalar::F64 ? 2 : is_float(t) ? 3 : is_signed(t) ? 0 : 1;
  std::string value = expr(*x.value), bits = is_float(t) ? fmt::format("raido_to_bits_f64((f64){})", value) : value;
  line(fmt::format("raido_trace(failure, {}, (i64){});", x.label * 8 + kind, bits));
}
void Writer::transpose(const Transpose& x) {
  transposes = true;
  auto at = [&](Name n, ExprId e) { return fmt::format("{} + {}", name(n), expr(e)); };
  line(fmt::format("raido_transpose_{}({}, {}, {}, {}, {}, {}, {}, {});", bytes_of(m_.names[x.to.index].type), at(x.to, x.to_at), expr(x.to_row),
                   at(x.from, x.from_at), expr(x.from_row), expr(x.rows), expr(x.columns), expr(x.first), expr(x.last)));
}
void Writer::launch(const Launch& x) {
  const Kernel& k = m_.kernels[size_t(x.kernel)];
  line("{");
  depth_++;
  std::vector<std::string> args, sizes;
  for (size_t i = 0; i < x.args.size(); i++) {
    const NameInfo& n = m_.names[k.params[i].index];
    if (n.memory) {
      args.push_back(fmt::format("&{}->device", expr(x.args[i])));
      sizes.push_back("sizeof(dev_mem)");
    } else {
      line(fmt::format("{} a{} = {};", passed_type(n), i, expr(x.args[i])));
      args.push_back(fmt::format("&a{}", i));
      sizes.push_back(fmt::format("sizeof a{}", i));
    }
  }
  if (can_fail) {
    args.push_back("&w->context->device->failure");
    sizes.push_back("sizeof(dev_mem)");
  }
  line(fmt::format("void *args[] = {{{}}};", join(args, ", ")));
  line(fmt::format("size_t sizes[] = {{{}}};", join(sizes, ", ")));
  line(fmt::format("if (raido_launch(w, {}, {}, args, sizes, {}, {}) != 0) return 1;", x.kernel, expr(x.threads), args.size(),
                   x.shared ? expr(*x.shared) : "0"));
  depth_--;
  line("}");
}

}  // namespace raido::kir
