// gmm.cc - the Gaussian mixture model of ADBench (GradBench's sign): objective and gradient by hand.
//
// Points lie in the lanes of vector registers. The gradient with respect to Q needs no Q (x - mu) for each point. With the weights w
// of the points in a component, the sum of w Q v v^T is Q times the weighted covariance S. Only S is a sum over all points.
#include "native.h"

namespace {

using vector = double __attribute__((vector_size(64)));
constexpr size_t lanes = 8, block = 512;       // block: points whose differences to a mean stay in the nearest cache

double sum(vector v) {
  double s = 0;
  for (size_t i = 0; i < lanes; i++) s += v[i];
  return s;
}

double logsumexp(const double* x, size_t n) {
  double top = x[0], s = 0;
  for (size_t i = 1; i < n; i++) top = std::fmax(top, x[i]);
  for (size_t i = 0; i < n; i++) s += std::exp(x[i] - top);
  return top + std::log(s);
}

struct Gmm {
  size_t d, k, n, rows, points;                // rows: d, points: n, padded to whole registers
  double gamma, m;
  numbers alpha, mu, q, l, xt;                 // xt: [rows][points]
  numbers full, diagonal, v, beta, s;          // one component's Q; differences [rows][block]; [k][points]
  numbers alpha_bar, mu_bar, q_bar, l_bar;

  Gmm(size_t d_, size_t k_, size_t n_, double gamma_, double m_)
      : d(d_), k(k_), n(n_), rows((d + 3) / 4 * 4), points((n + 31) / 32 * 32), gamma(gamma_), m(m_) {
    size_t t = d * (d - 1) / 2;
    alpha = filled(k, [](size_t i) { return normal(1, i); });
    mu = filled(k * d, [](size_t i) { return uniform(2, i); });
    q = filled(k * d, [](size_t i) { return normal(3, i); });
    l = filled(k * t, [](size_t i) { return normal(4, i); });
    xt.resize(rows * points);
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < d; j++) xt[j * points + i] = normal(5, i * d + j);
    full.resize(rows * rows);
    diagonal.resize(k * d);
    v.resize(rows * block);
    beta.resize(k * points);
    s.resize(rows * rows);
    alpha_bar.resize(k);
    mu_bar.resize(k * d);
    q_bar.resize(k * d);
    l_bar.resize(k * t);
  }

  // Q of component c by rows.
  void unpack(size_t c) {
    const double* p = &l[c * (d * (d - 1) / 2)];
    for (size_t j = 0; j < d; j++) {
      full[j * rows + j] = diagonal[c * d + j];
      for (size_t i = j + 1; i < d; i++) full[i * rows + j] = *p++;
    }
  }

  void centre(size_t c, size_t from, size_t count) {
    for (size_t j = 0; j < d; j++)
      for (size_t i = 0; i < count; i++) v[j * block + i] = xt[j * points + from + i] - mu[c * d + j];
  }

  // out[i] = |Q v_i|^2 for `count` points, a multiple of 32: four rows times four registers of points at a time.
  void norms(double* out, size_t count) const {
    for (size_t i = 0; i < count; i += 4 * lanes) {
      vector total[4] = {};
      for (size_t r = 0; r < rows; r += 4) {
        vector y[4][4] = {};
        for (size_t c = 0; c < r + 4; c++) {
          vector x[4];
          std::memcpy(x, &v[c * block + i], sizeof x);
#pragma GCC unroll 4
          for (size_t a = 0; a < 4; a++) {
            double w = full[(r + a) * rows + c];
#pragma GCC unroll 4
            for (size_t b = 0; b < 4; b++) y[a][b] += w * x[b];
          }
        }
#pragma GCC unroll 4
        for (size_t a = 0; a < 4; a++)
#pragma GCC unroll 4
          for (size_t b = 0; b < 4; b++) total[b] += y[a][b] * y[a][b];
      }
      std::memcpy(out + i, total, sizeof total);
    }
  }

  // The lower half of S += sum of w v v^T; wv is where w v goes.
  void covariance(const double* w, size_t count, double* wv) {
    for (size_t r = 0; r < rows; r += 4) {
      for (size_t a = 0; a < 4; a++)
        for (size_t i = 0; i < count; i++) wv[a * block + i] = w[i] * v[(r + a) * block + i];
      for (size_t c = 0; c <= r; c += 4) {
        vector y[4][4] = {};
        for (size_t i = 0; i < count; i += lanes) {
          vector x[4], z[4];
#pragma GCC unroll 4
          for (size_t a = 0; a < 4; a++) {
            std::memcpy(&x[a], &wv[a * block + i], sizeof x[a]);
            std::memcpy(&z[a], &v[(c + a) * block + i], sizeof z[a]);
          }
#pragma GCC unroll 4
          for (size_t a = 0; a < 4; a++)
#pragma GCC unroll 4
            for (size_t b = 0; b < 4; b++) y[a][b] += x[a] * z[b];
        }
        for (size_t a = 0; a < 4; a++)
          for (size_t b = 0; b < 4; b++) s[(r + a) * rows + c + b] += sum(y[a][b]);
      }
    }
  }

  double objective() {
    for (size_t i = 0; i < k * d; i++) diagonal[i] = std::exp(q[i]);
    double prior = 0, q_total = 0;
    for (double e : diagonal) prior += e * e;
    for (double e : l) prior += e * e;
    for (double e : q) q_total += e;
    for (size_t c = 0; c < k; c++) {
      unpack(c);
      double start = alpha[c];
      for (size_t j = 0; j < d; j++) start += q[c * d + j];
      double* b = &beta[c * points];
      for (size_t from = 0; from < points; from += block) {
        size_t count = std::min(block, points - from);
        centre(c, from, count);
        norms(b + from, count);
      }
      for (size_t i = 0; i < points; i++) b[i] = start - 0.5 * b[i];
    }
    // beta becomes exp(beta - its greatest of the point), the sum over the components is kept in `sums`.
    numbers top(points), sums(points);
    for (size_t i = 0; i < points; i++) top[i] = beta[i];
    for (size_t c = 1; c < k; c++)
      for (size_t i = 0; i < points; i++) top[i] = std::fmax(top[i], beta[c * points + i]);
    for (size_t c = 0; c < k; c++)
#pragma omp simd
      for (size_t i = 0; i < points; i++) {
        double e = std::exp(beta[c * points + i] - top[i]);
        beta[c * points + i] = e;
        sums[i] += e;
      }
    double likelihood = 0;
    for (size_t i = 0; i < n; i++) likelihood += top[i] + std::log(sums[i]);
    for (size_t i = 0; i < points; i++) sums[i] = i < n ? 1 / sums[i] : 0;
    inverse_sums = sums;
    likelihood -= double(n) * (0.5 * double(d) * std::log(2 * M_PI) + logsumexp(alpha.data(), k));
    double degrees = double(d) + m + 1;
    double constant = degrees * double(d) * (std::log(gamma) - 0.5 * M_LN2) - 0.25 * double(d * (d - 1)) * std::log(M_PI);
    for (size_t j = 0; j < d; j++) constant -= std::lgamma(0.5 * degrees - 0.5 * double(j));
    return likelihood - (0.5 * gamma * gamma * prior - m * q_total) + double(k) * constant;
  }
  numbers inverse_sums;

  double gradient() {
    double value = objective();
    size_t t = d * (d - 1) / 2;
    double all = logsumexp(alpha.data(), k);
    numbers wv(4 * block), first(rows), of_q(rows), weights(points);
    for (size_t c = 0; c < k; c++) {
      std::fill(s.begin(), s.end(), 0);
      std::fill(first.begin(), first.end(), 0);
      double weight = 0;
      for (size_t i = 0; i < points; i++) weight += weights[i] = beta[c * points + i] * inverse_sums[i];
      for (size_t from = 0; from < points; from += block) {
        size_t count = std::min(block, points - from);
        centre(c, from, count);
        covariance(&weights[from], count, wv.data());
        for (size_t j = 0; j < d; j++) {
          double f = 0;
          for (size_t i = 0; i < count; i++) f += weights[from + i] * v[j * block + i];
          first[j] += f;
        }
      }
      for (size_t i = 0; i < d; i++)
        for (size_t j = i + 1; j < d; j++) s[i * rows + j] = s[j * rows + i];
      alpha_bar[c] = weight - double(n) * std::exp(alpha[c] - all);
      unpack(c);
      // mu: Q^T Q times the weighted sum of the differences.
      for (size_t j = 0; j < d; j++) mu_bar[c * d + j] = 0;
      for (size_t i = 0; i < d; i++) {
        double y = 0;
        for (size_t j = 0; j <= i; j++) y += full[i * rows + j] * first[j];
        for (size_t j = 0; j <= i; j++) mu_bar[c * d + j] += full[i * rows + j] * y;
      }
      // Row i of Q S, as far as the triangle goes.
      for (size_t i = 0; i < d; i++) {
        std::fill(of_q.begin(), of_q.end(), 0);
        for (size_t p = 0; p <= i; p++)
          for (size_t j = 0; j <= i; j++) of_q[j] += full[i * rows + p] * s[p * rows + j];
        double e = diagonal[c * d + i];
        q_bar[c * d + i] = weight - of_q[i] * e - gamma * gamma * e * e + m;
        for (size_t j = 0; j < i; j++)
          l_bar[c * t + j * d - j * (j + 1) / 2 + i - j - 1] = -of_q[j] - gamma * gamma * full[i * rows + j];
      }
    }
    return value;
  }

  numbers flat() const {
    numbers out;
    for (const numbers* part : {&alpha_bar, &mu_bar, &q_bar, &l_bar}) out.insert(out.end(), part->begin(), part->end());
    return out;
  }
};

void golden(size_t d, size_t k, size_t n, double gamma, double m, double f, double ones, double cosines) {
  Gmm g(d, k, n, gamma, m);
  double value = g.gradient();
  check("gmm", value, g.flat(), f, ones, cosines);
}

}  // namespace

int main(int argc, char** argv) {
  golden(3, 2, 5, 1, 0, -93.7523492360414, -14.1564480745, 38.6128724054);
  golden(3, 2, 5, 1.5, 2, -102.558681002109, -22.5577152805, 43.03269223);
  golden(10, 25, 100, 1, 0, -6340.74020032725, -3462.85630168, 1003.96911941);
  Gmm g(size_argument(argc, argv, 0), size_argument(argc, argv, 1), size_argument(argc, argv, 2), 1, 0);
  volatile double kept;
  time_as_asked(argv, [&] { kept = g.objective(); }, [&] { kept = g.gradient(); });
}
