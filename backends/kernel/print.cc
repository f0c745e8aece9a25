// print.cc - the kernel program as text.
#include "backends/kernel/print.h"

#include <algorithm>

#include "backends/kernel/writer.h"
#include "compiler/base/text.h"

namespace raido::kir {
namespace {

std::string data_arrays(const Module& m) {
  std::string out;
  for (const DataRef& d : m.data) {
    const std::string& bytes = d.data->bytes;
    size_t size = size_t(bytes_of(d.data->elem)), count = bytes.size() / size;
    out += fmt::format("static const {} {}[{}] = {{", storage_type(d.data->elem), m.names[d.name.index].text, std::max<size_t>(count, 1));
    for (size_t i = 0; i < count; i++) {
      Const c{d.data->elem, 0};
      for (size_t k = 0; k < size; k++) c.bits |= uint64_t(static_cast<unsigned char>(bytes[i * size + k])) << (8 * k);
      if (c.type == Scalar::F16) c.type = Scalar::U16;
      out += (i % 16 == 0 ? "\n  " : " ") + literal(c) + ",";
    }
    out += count == 0 ? "0};\n" : "\n};\n";
  }
  return out;
}

}  // namespace

Printed print(const Module& m, bool emulated) {
  Writer host(m, For_::C), device(m, For_::Device), counted(m, For_::Device), all(m, For_::C);
  Printed printed;
  for (const Kernel& k : m.kernels) printed.can_fail |= k.can_fail, printed.traces |= k.traces;
  host.can_fail = device.can_fail = counted.can_fail = printed.can_fail;
  host.emulated = counted.counted = emulated;
  std::string& data = printed.data;
  data = "struct raido_constants {\n";
  for (Name n : m.constants) data += fmt::format("  {};\n", host.declared(n));
  if (m.constants.empty()) data += "  char none;\n";
  data += "};\n\n" + data_arrays(m);
  if (m.sites > 0) data += fmt::format("static struct raido_site raido_sites[{}];\n", m.sites);
  std::string prototypes;
  for (const HostFunction& f : m.functions) {
    prototypes += host.signature(f) + ";\n";
    printed.names.push_back(f.name);
  }
  for (int k = 0; k < m.sites; k++) printed.names.insert(printed.names.end(), {fmt::format("captures{}", k), fmt::format("chunk{}", k)});
  for (const HostFunction& f : m.functions) host.function(f);
  printed.functions = prototypes + "\n" + host.out;
  printed.transposes = host.transposes;
  printed.tiles = host.tiles;
  printed.vector_scans = host.vector_scans;
  for (const Kernel& k : m.kernels) device.kernel(k);
  printed.kernels = device.out;
  if (emulated) for (const Kernel& k : m.kernels) counted.kernel(k);
  printed.counted_kernels = counted.out;
  printed.device_scalars = device.scalar_functions();
  printed.scalars = host.scalar_functions();
  all.use_scalars_of(host);
  all.use_scalars_of(device);
  printed.all_scalars = all.scalar_functions();
  return printed;
}

std::string print_kernel_calls(const Module& m, bool can_fail, std::string_view prefix) {
  std::string out, table;
  for (const Kernel& k : m.kernels) {
    std::vector<std::string> args;
    for (size_t i = 0; i < k.params.size(); i++) {
      const NameInfo& n = m.names[k.params[i].index];
      if (n.memory) args.push_back(fmt::format("({} *)*(char **)args[{}]", passed_type(n), i));
      else args.push_back(fmt::format("*({} *)args[{}]", passed_type(n), i));
    }
    if (can_fail) args.push_back(fmt::format("(i64 *)*(char **)args[{}]", k.params.size()));
    out += fmt::format("static void call_{0}{1}(void **args) {{ {0}{1}({2}); }}\n", prefix, k.name, join(args, ", "));
    table += fmt::format("call_{}{}, ", prefix, k.name);
  }
  return out + fmt::format("static void (*const raido_{}kernel_calls[])(void **) = {{{}NULL}};\n", prefix, table);
}

std::string print_kernel_uses(const Module& m) {
  std::string out = "static const char *const raido_kernel_uses[] = {\n";
  for (const Kernel& k : m.kernels) out += "  " + quote(uses_of_parameters(m, k)) + ",\n";
  return out + "  NULL};\n";
}

}  // namespace raido::kir
