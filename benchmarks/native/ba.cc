// ba.cc - bundle adjustment of ADBench: reprojection errors and their sparse Jacobian by hand.
//
// A camera's rotation matrix and its three derivatives are computed once for the camera. An observation then takes about a hundred
// multiplications and writes its two rows of fifteen entries.
#include "native.h"

namespace {

constexpr double camera_of_test[11] = {1.797201,   0.590697,  -0.635786, 90.859550, 29.361415, 28.777534,
                                       211.628116, -0.284531, -14.762924, 0.058931, 0.069976};
constexpr double point_of_test[3] = {4.173048, 5.586898, 1.403869}, weight_of_test = 0.417022;
constexpr double feature_of_test[2] = {-525.672849, 161.811929};

struct Bundle {
  size_t n, m, p;
  numbers cameras, points, weights, features;  // [n][11], [m][3], [p], [p][2]
  array<int64_t> observations;                 // [p][2]
  numbers errors, weight_errors;
  array<int64_t> rows, columns;
  numbers values;

  Bundle(size_t n_, size_t m_, size_t p_) : n(n_), m(m_), p(p_) {
    cameras = filled(11 * n, [](size_t i) { return camera_of_test[i % 11]; });
    points = filled(3 * m, [](size_t i) { return point_of_test[i % 3]; });
    weights = numbers(p, weight_of_test);
    features = filled(2 * p, [](size_t i) { return feature_of_test[i % 2]; });
    for (size_t i = 0; i < p; i++) {
      observations.push_back(int64_t(i % n));
      observations.push_back(int64_t(i % m));
    }
    errors.resize(2 * p);
    weight_errors.resize(p);
    rows.resize(3 * p + 1);
    columns.resize(31 * p);
    values.resize(31 * p);
  }

  // R of the rotation vector r, and with `derivatives` dR/dr_0, dR/dr_1, dR/dr_2 after it.
  static void rotation(const double* r, double* out, bool derivatives) {
    double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    const double cross[9] = {0, -r[2], r[1], r[2], 0, -r[0], -r[1], r[0], 0};
    // R = c I + a [r] + b r r^T; the derivatives of c, a and b by r_j are dc, da and db times r_j.
    double c = 1, a = 1, b = 0, dc = 0, da = 0, db = 0;
    if (square != 0) {
      double t = std::sqrt(square), s = std::sin(t);
      c = std::cos(t);
      a = s / t;
      b = (1 - c) / square;
      dc = -a;
      da = (c - a) / square;
      db = (a - 2 * b) / square;
    }
    for (size_t i = 0; i < 9; i++) out[i] = (i % 4 == 0 ? c : 0) + a * cross[i] + b * r[i / 3] * r[i % 3];
    if (!derivatives) return;
    for (size_t j = 0; j < 3; j++) {
      double* d = out + 9 * (j + 1);
      for (size_t i = 0; i < 9; i++) d[i] = r[j] * ((i % 4 == 0 ? dc : 0) + da * cross[i] + db * r[i / 3] * r[i % 3]);
      size_t next = (j + 1) % 3, other = (j + 2) % 3;
      d[3 * other + next] += a;
      d[3 * next + other] -= a;
      for (size_t i = 0; i < 3; i++) {
        d[3 * j + i] += b * r[i];
        d[3 * i + j] += b * r[i];
      }
    }
  }

  void objective() {
    numbers turned(9 * n);
    for (size_t i = 0; i < n; i++) rotation(&cameras[11 * i], &turned[9 * i], false);
    for (size_t i = 0; i < p; i++) {
      const double* cam = &cameras[11 * size_t(observations[2 * i])];
      const double* r = &turned[9 * size_t(observations[2 * i])];
      const double* x = &points[3 * size_t(observations[2 * i + 1])];
      double v0 = x[0] - cam[3], v1 = x[1] - cam[4], v2 = x[2] - cam[5];
      double inverse = 1 / (r[6] * v0 + r[7] * v1 + r[8] * v2);
      double u = (r[0] * v0 + r[1] * v1 + r[2] * v2) * inverse, w = (r[3] * v0 + r[4] * v1 + r[5] * v2) * inverse;
      double rho = u * u + w * w, radial = cam[6] * (1 + rho * (cam[9] + cam[10] * rho));
      errors[2 * i] = weights[i] * (u * radial + cam[7] - features[2 * i]);
      errors[2 * i + 1] = weights[i] * (w * radial + cam[8] - features[2 * i + 1]);
    }
    for (size_t i = 0; i < p; i++) weight_errors[i] = 1 - weights[i] * weights[i];
  }

  void jacobian() {
    numbers turned(36 * n);
    for (size_t i = 0; i < n; i++) rotation(&cameras[11 * i], &turned[36 * i], true);
    for (size_t i = 0; i < p; i++) {
      auto camera = size_t(observations[2 * i]), point = size_t(observations[2 * i + 1]);
      const double* cam = &cameras[11 * camera];
      const double* r = &turned[36 * camera];
      const double* x = &points[3 * point];
      double weight = weights[i];
      double v[3] = {x[0] - cam[3], x[1] - cam[4], x[2] - cam[5]};
      double inverse = 1 / (r[6] * v[0] + r[7] * v[1] + r[8] * v[2]);
      double u = (r[0] * v[0] + r[1] * v[1] + r[2] * v[2]) * inverse, w = (r[3] * v[0] + r[4] * v[1] + r[5] * v[2]) * inverse;
      double rho = u * u + w * w, radial = 1 + rho * (cam[9] + cam[10] * rho), slope = cam[9] + 2 * cam[10] * rho;
      double f = weight * cam[6];
      // The two errors by u and w, then by the turned point (its first two coordinates enter u and w divided by the third).
      double uu = f * (radial + 2 * slope * u * u) * inverse, uw = f * 2 * slope * u * w * inverse,
             ww = f * (radial + 2 * slope * w * w) * inverse;
      double by_first[3] = {uu, uw, -(uu * u + uw * w)}, by_second[3] = {uw, ww, -(uw * u + ww * w)};
      double* a = &values[30 * i];
      double* b = a + 15;
      for (size_t j = 0; j < 3; j++) {
        const double* d = r + 9 * (j + 1);
        double t[3];
        for (size_t k = 0; k < 3; k++) t[k] = d[3 * k] * v[0] + d[3 * k + 1] * v[1] + d[3 * k + 2] * v[2];
        a[j] = by_first[0] * t[0] + by_first[1] * t[1] + by_first[2] * t[2];
        b[j] = by_second[0] * t[0] + by_second[1] * t[1] + by_second[2] * t[2];
        a[11 + j] = by_first[0] * r[j] + by_first[1] * r[3 + j] + by_first[2] * r[6 + j];
        b[11 + j] = by_second[0] * r[j] + by_second[1] * r[3 + j] + by_second[2] * r[6 + j];
        a[3 + j] = -a[11 + j];
        b[3 + j] = -b[11 + j];
      }
      a[6] = weight * u * radial;
      b[6] = weight * w * radial;
      a[7] = b[8] = weight;
      a[8] = b[7] = 0;
      a[9] = f * u * rho;
      b[9] = f * w * rho;
      a[10] = a[9] * rho;
      b[10] = b[9] * rho;
      a[14] = u * radial * cam[6] + cam[7] - features[2 * i];
      b[14] = w * radial * cam[6] + cam[8] - features[2 * i + 1];
      int64_t* column = &columns[30 * i];
      for (size_t j = 0; j < 11; j++) column[j] = column[15 + j] = int64_t(11 * camera + j);
      for (size_t j = 0; j < 3; j++) column[11 + j] = column[26 + j] = int64_t(11 * n + 3 * point + j);
      column[14] = column[29] = int64_t(11 * n + 3 * m + i);
    }
    for (size_t i = 0; i < p; i++) {
      values[30 * p + i] = -2 * weights[i];
      columns[30 * p + i] = int64_t(11 * n + 3 * m + i);
    }
    for (size_t i = 0; i < 2 * p; i++) rows[i] = int64_t(15 * i);
    for (size_t i = 0; i <= p; i++) rows[2 * p + i] = int64_t(30 * p + i);
  }
};

}  // namespace

int main(int argc, char** argv) {
  Bundle one(1, 1, 1);
  one.objective();
  one.jacobian();
  numbers gradient = filled(15, [&](size_t j) { return one.values[j] + one.values[15 + j] / 2 + (j == 14 ? one.values[30] / 3 : 0); });
  check("ba", contract({one.errors[0], one.errors[1], one.weight_errors[0]}), gradient, 0.136287764275578, -1174.10050619, 1624.82308171);
  Bundle b(size_argument(argc, argv, 0), size_argument(argc, argv, 1), size_argument(argc, argv, 2));
  time_as_asked(argv, [&] { b.objective(); }, [&] { b.jacobian(); });
}
