// The fuzz targets on mutated programs, for a fixed number of rounds: nothing crashes, and print is the inverse of parse.
#include <random>

#include "tests/unit/test.h"

#define LLVMFuzzerTestOneInput fuzz_text
#include "tests/fuzz/fuzz_text.cc"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_source
#include "tests/fuzz/fuzz_source.cc"
#undef LLVMFuzzerTestOneInput

namespace {

// Deletes, repeats, swaps and replaces pieces.
std::string mutate(std::string s, std::mt19937& random) {
  auto below = [&](size_t n) { return size_t(random() % (n ? n : 1)); };
  static const std::string alphabet = "(){}[]\\.,:=-+*/<>'\"#|&^ ax0189_\n\t\x80\xff";
  for (size_t k = 1 + below(4); k-- > 0 && !s.empty();) {
    size_t at = below(s.size()), n = below(std::min<size_t>(s.size() - at, 12));
    switch (below(4)) {
      case 0: s.erase(at, n); break;
      case 1: s.insert(below(s.size()), s.substr(at, n)); break;
      case 2: s[at] = alphabet[below(alphabet.size())]; break;
      default: s.insert(at, 1, alphabet[below(alphabet.size())]);
    }
  }
  return s;
}
template <class F> void run(const std::string& program, int rounds, F target) {
  std::mt19937 random(1);
  for (int i = 0; i < rounds; i++) {
    std::string s = mutate(program, random);
    target(reinterpret_cast<const uint8_t*>(s.data()), s.size());
  }
}

}  // namespace

TEST_CASE("mutated core programs neither crash the parser nor change when printed") {
  run("data #0: [2]f64 = [0.5, -inf]\nfun f \\(n: i64, *xs: [n]f64) {\n  let d: [2]f64 = data #0\n"
      "  let y: f64 = reduce n add [0f64] [xs]\n  let k: i64, z: [k]f64 = if true { in n, xs } else { in n, xs }\n"
      "  let w: f64 = for i < n (a: f64 = y) {\n    let e: f64 = index xs [i]\n    let b: f64 = max [a, e]\n    in b\n  }\n"
      "  let h: [n]f64 = with_acc [xs] (add [0f64]) \\(t: check, a.1: acc t [n] f64) {\n"
      "    let a.2: acc t [n] f64 = upd a.1 [3i64] [w]\n    in a.2\n  }\n  in h\n}\n", 4000, fuzz_text);
}
TEST_CASE("mutated source programs neither crash the parser nor the checker") {
  run("module type m = { type t val f: t -> t }\nmodule k (x: m) = { def g (a: x.t) = x.f a }\n"
      "type^ p 'a = {x: a, y: [2]a}\ndef h [n] 'a (xs: [n]a) (i: i64): a = xs[i]\n"
      "entry main [n] (xs: [n]f64) (k: i64): ([]f64, #some f64 | #none) =\n  let ys = map (\\x -> x * 2) xs\n"
      "  let zs = loop (a: [n]f64) = copy ys for i < k do a with [i % n] = f64.sin (h a 0)\n"
      "  in (filter (> 0.5) zs[1:n:2], if k > 0 then #some (reduce (+) 0 zs) else #none)\n", 300, fuzz_source);
}
