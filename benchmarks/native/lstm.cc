// lstm.cc - the diagonal LSTM of ADBench: loss and gradient by hand.
//
// Rows are padded to whole vector registers. The forward sweep keeps, for each step and layer, what the way back reads: the
// input, the gates, the cell before and its hyperbolic tangent.
#include "native.h"

namespace {

constexpr size_t lanes = 8;

struct Lstm {
  size_t layers, characters, bits, width;      // width: bits, padded
  numbers main, extra, state, sequence;        // [2 l][4][width], [3][width], [2 l][width], [c][width]
  numbers main_bar, extra_bar;

  Lstm(size_t l, size_t c, size_t b) : layers(l), characters(c), bits(b), width((b + lanes - 1) / lanes * lanes) {
    auto padded = [&](size_t rows, uint64_t seed) {
      numbers out(rows * width);
      for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < b; j++) out[i * width + j] = uniform(seed, i * b + j);
      return out;
    };
    main = padded(8 * l, 11);
    extra = padded(3, 12);
    state = padded(2 * l, 13);
    sequence = padded(c, 14);
    for (size_t i = 0; i < c; i++)
      for (size_t j = 0; j < b; j++) sequence[i * width + j] = sequence[i * width + j] < 0.5;
    main_bar.resize(main.size());
    extra_bar.resize(extra.size());
  }

  // What one step of one layer leaves for the way back, each [width]; y and the exponentials follow the layers of a step.
  enum Slot { Input, Hidden, Forget, Gate, Output, Change, Cell, TanhCell, Slots };
  numbers record;
  size_t step_size() const { return (layers * Slots + 2) * width; }

  static void sigmoid(double* out, const double* x, const double* w, const double* b, size_t n) {
#pragma omp simd
    for (size_t j = 0; j < n; j++) out[j] = 1 / (1 + std::exp(-(x[j] * w[j] + b[j])));
  }

  // One step from state (h, c per layer) with everything in `slots`; the loss of the step.
  double forward(size_t t, double* s, double* slots) const {
    const size_t n = width;
    const double* x0 = &sequence[t * n];
    double* y = slots + layers * Slots * n;
    double* e = y + n;
    for (size_t i = 0; i < layers; i++) {
      double* r = slots + i * Slots * n;
      const double* w = &main[8 * i * n];
      const double* b = w + 4 * n;
      double* h = s + 2 * i * n;
      double* c = h + n;
      if (i == 0)
        for (size_t j = 0; j < n; j++) r[j] = x0[j] * extra[j];
      else
        for (size_t j = 0; j < n; j++) r[j] = h[j - 2 * n];
      for (size_t j = 0; j < n; j++) {
        r[Hidden * n + j] = h[j];
        r[Cell * n + j] = c[j];
      }
      sigmoid(r + Forget * n, r, w, b, n);
      sigmoid(r + Gate * n, h, w + n, b + n, n);
      sigmoid(r + Output * n, r, w + 2 * n, b + 2 * n, n);
#pragma omp simd
      for (size_t j = 0; j < n; j++) {
        double z = 1 - 2 / (1 + std::exp(2 * (h[j] * w[3 * n + j] + b[3 * n + j])));
        r[Change * n + j] = z;
        double cell = c[j] * r[Forget * n + j] + r[Gate * n + j] * z;
        double q = 1 - 2 / (1 + std::exp(2 * cell));
        r[TanhCell * n + j] = q;
        c[j] = cell;
        h[j] = r[Output * n + j] * q;
      }
    }
    const double* top = s + 2 * (layers - 1) * n;
    const double* next = &sequence[(t + 1) * n];
    double sum = 0, dot = 0, count = 0;
    for (size_t j = 0; j < n; j++) {
      y[j] = top[j] * extra[n + j] + extra[2 * n + j];
      e[j] = j < bits ? std::exp(y[j]) : 0;
    }
    for (size_t j = 0; j < n; j++) {
      sum += e[j];
      dot += next[j] * y[j];
      count += next[j];
    }
    double total = 2 + sum;
    double scale = count / total;              // the derivative of -count log(2 + sum) by y is -scale e
    for (size_t j = 0; j < n; j++) e[j] = next[j] - scale * e[j];
    for (size_t j = 0; j < n; j++) y[j] = top[j];
    return dot - count * std::log(total);
  }

  double factor() const { return -1 / double(bits * (characters - 1)); }

  double objective() {
    numbers s = state, slots(step_size());
    double total = 0;
    for (size_t t = 0; t + 1 < characters; t++) total += forward(t, s.data(), slots.data());
    return total * factor();
  }

  double gradient() {
    const size_t n = width;
    numbers s = state;
    record.resize((characters - 1) * step_size());
    double total = 0;
    for (size_t t = 0; t + 1 < characters; t++) total += forward(t, s.data(), &record[t * step_size()]);
    std::fill(main_bar.begin(), main_bar.end(), 0);
    std::fill(extra_bar.begin(), extra_bar.end(), 0);
    numbers s_bar(state.size()), x_bar(n);
    for (size_t t = characters - 1; t-- > 0;) {
      const double* slots = &record[t * step_size()];
      const double* top = slots + layers * Slots * n;
      const double* y_bar = top + n;
      for (size_t j = 0; j < n; j++) {
        double d = factor() * y_bar[j];
        extra_bar[n + j] += d * top[j];
        extra_bar[2 * n + j] += d;
        x_bar[j] = d * extra[n + j];
      }
      for (size_t i = layers; i-- > 0;) {
        const double* r = slots + i * Slots * n;
        const double* w = &main[8 * i * n];
        double* wb = &main_bar[8 * i * n];
        double* bb = wb + 4 * n;
        double* hb = &s_bar[2 * i * n];
        double* cb = hb + n;
#pragma omp simd
        for (size_t j = 0; j < n; j++) {
          double x = r[j], h = r[Hidden * n + j], f = r[Forget * n + j], g = r[Gate * n + j];
          double o = r[Output * n + j], z = r[Change * n + j], c = r[Cell * n + j], q = r[TanhCell * n + j];
          double d = hb[j] + x_bar[j];         // of the new hidden value
          double dc = cb[j] + d * o * (1 - q * q);
          double df = dc * c * f * (1 - f), dg = dc * z * g * (1 - g), dout = d * q * o * (1 - o), dz = dc * g * (1 - z * z);
          wb[j] += df * x;
          wb[n + j] += dg * h;
          wb[2 * n + j] += dout * x;
          wb[3 * n + j] += dz * h;
          bb[j] += df;
          bb[n + j] += dg;
          bb[2 * n + j] += dout;
          bb[3 * n + j] += dz;
          x_bar[j] = df * w[j] + dout * w[2 * n + j];
          hb[j] = dg * w[n + j] + dz * w[3 * n + j];
          cb[j] = dc * f;
        }
      }
      for (size_t j = 0; j < n; j++) extra_bar[j] += x_bar[j] * sequence[t * n + j];
    }
    return total * factor();
  }

  numbers flat() const {
    numbers out;
    for (const numbers* part : {&main_bar, &extra_bar})
      for (size_t i = 0; i < part->size(); i += width)
        for (size_t j = 0; j < bits; j++) out.push_back((*part)[i + j]);
    return out;
  }
};

void golden(size_t l, size_t c, size_t b, double f, double ones, double cosines) {
  Lstm m(l, c, b);
  double value = m.gradient();
  check("lstm", value, m.flat(), f, ones, cosines);
  check("lstm", m.objective(), m.flat(), f, ones, cosines);
}

}  // namespace

int main(int argc, char** argv) {
  golden(1, 3, 2, 0.530249863807324, -0.333634595712, -0.000532551313445);
  golden(2, 8, 5, 0.76301886372934, -0.103472905857, 0.0492259935141);
  golden(2, 64, 14, 1.36905790636592, -0.0212410275016, -0.0238422836273);
  Lstm m(size_argument(argc, argv, 0), size_argument(argc, argv, 1), size_argument(argc, argv, 2));
  volatile double kept;
  time_as_asked(argv, [&] { kept = m.objective(); }, [&] { kept = m.gradient(); });
}
