// hand.cc - hand tracking of ADBench: distances and their dense Jacobian by hand.
//
//     hand objective|jacobian RUNS 0|1 VERTICES POINTS      1: the complicated variant
//
// Forward mode over the bones, where each angle moves only the few bones beyond its joint. A vertex then needs, for each angle,
// the bones that this angle moves. Vertices lie in the lanes of vector registers.
#include "native.h"

namespace {

using vector = double __attribute__((vector_size(64)));
constexpr size_t lanes = 8, bones = 22, angles = 26;

struct Matrix { double e[16]; };

Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix out;
  for (size_t i = 0; i < 4; i++)
    for (size_t j = 0; j < 4; j++) {
      double s = 0;
      for (size_t k = 0; k < 4; k++) s += a.e[4 * i + k] * b.e[4 * k + j];
      out.e[4 * i + j] = s;
    }
  return out;
}

// Rz Ry Rx; with `by` 0, 1 or 2 its derivative by tx, tz or ty.
Matrix euler(const double* t, int by) {
  auto turn = [](double angle, size_t i, size_t j, bool derivative) {      // in the plane of axes i and j
    double s = std::sin(angle), c = std::cos(angle);
    Matrix out{};
    if (derivative) {
      out.e[5 * i] = out.e[5 * j] = -s;
      out.e[4 * j + i] = c;
      out.e[4 * i + j] = -c;
      return out;
    }
    for (size_t k = 0; k < 4; k++) out.e[5 * k] = 1;
    out.e[5 * i] = out.e[5 * j] = c;
    out.e[4 * j + i] = s;
    out.e[4 * i + j] = -s;
    return out;
  };
  return turn(t[1], 0, 1, by == 1) * (turn(t[2], 2, 0, by == 2) * turn(t[0], 1, 2, by == 0));
}

struct Hand {
  size_t nv, np, padded;
  bool complicated;
  int parents[bones];
  Matrix relative[bones], inverse[bones];
  numbers positions, weights;                  // [3][padded], [bones][padded]
  array<size_t> corners, corr;                 // [nv][3], [np]
  numbers measured, us, theta;                 // [np][3], [np][2], [26]
  numbers places, moves;                       // [nv][3], [nv][3][26]: vertices and their derivatives
  numbers turned;                              // [3][padded]: vertices before the global rotation
  numbers errors, jacobian_;                   // [3 np], [3 np][26 or 28]

  Hand(bool complicated_, size_t nv_, size_t np_) : nv(nv_), np(np_), padded((nv + lanes - 1) / lanes * lanes), complicated(complicated_) {
    double total[bones][3];
    for (size_t b = 0; b < bones; b++) {
      parents[b] = b == 0 ? -1 : b == 21 || b % 4 == 1 ? 0 : int(b) - 1;
      relative[b] = inverse[b] = Matrix{{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
      for (size_t r = 0; r < 3; r++) {
        relative[b].e[4 * r + 3] = 0.1 * uniform(201, 3 * b + r);
        total[b][r] = relative[b].e[4 * r + 3] + (parents[b] < 0 ? 0 : total[parents[b]][r]);
        inverse[b].e[4 * r + 3] = -total[b][r];
      }
    }
    positions.resize(3 * padded);
    weights.resize(bones * padded);
    for (size_t v = 0; v < nv; v++) {
      for (size_t r = 0; r < 3; r++) positions[r * padded + v] = uniform(202, 3 * v + r);
      weights[size_t(22 * uniform(204, 2 * v)) * padded + v] += uniform(203, 2 * v);
      weights[size_t(22 * uniform(204, 2 * v + 1)) * padded + v] += 1 - uniform(203, 2 * v);
      for (size_t r = 0; r < 3; r++) corners.push_back((v + r) % nv);
    }
    for (size_t i = 0; i < np; i++) corr.push_back(size_t(double(nv) * uniform(205, i)));
    measured = filled(3 * np, [&](size_t i) { return 0.1 * normal(206, i % 3 * np + i / 3); });
    us = filled(2 * np, [](size_t i) { return uniform(208, i) / 2; });
    theta = filled(angles, [](size_t i) { return 0.3 * normal(207, i); });
    places.resize(3 * nv);
    moves.resize(3 * nv * angles);
    turned.resize(3 * padded);
    errors.resize(3 * np);
    jacobian_.resize(3 * np * columns());
  }
  size_t columns() const { return complicated ? angles + 2 : angles; }

  // Angle j of the pose turns `bone` about x (0), z (1) or y (2).
  struct Joint { size_t bone; int axis; };
  static Joint joint(size_t j) {
    size_t finger = (j - 6) / 4, part = (j - 6) % 4;
    return {4 * finger + (part < 2 ? 2 : part + 1), part == 1 ? 1 : 0};
  }

  void pose(size_t bone, double* t) const {
    t[0] = t[1] = t[2] = 0;
    for (size_t j = 6; j < angles; j++)
      if (joint(j).bone == bone) t[joint(j).axis] = theta[j];
  }

  // The global rotation, and its derivatives after it.
  void global(double* out, bool derivatives) const {
    double n = std::sqrt(theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2]);
    for (size_t i = 0; i < 36; i++) out[i] = i < 9 && i % 4 == 0;
    if (n < 1e-4) return;
    double s = std::sin(n), c = std::cos(n), a[3] = {theta[0] / n, theta[1] / n, theta[2] / n};
    const double cross[9] = {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0};
    for (size_t i = 0; i < 9; i++) out[i] = (i % 4 == 0 ? c : 0) + s * cross[i] + (1 - c) * a[i / 3] * a[i % 3];
    if (!derivatives) return;
    for (size_t j = 0; j < 3; j++) {
      double* d = out + 9 * (j + 1);
      double da[3];
      for (size_t i = 0; i < 3; i++) da[i] = ((i == j) - a[i] * a[j]) / n;
      const double dcross[9] = {0, -da[2], da[1], da[2], 0, -da[0], -da[1], da[0], 0};
      for (size_t i = 0; i < 9; i++)
        d[i] = a[j] * ((i % 4 == 0 ? -s : 0) + c * cross[i] + s * a[i / 3] * a[i % 3]) + s * dcross[i] +
               (1 - c) * (da[i / 3] * a[i % 3] + a[i / 3] * da[i % 3]);
    }
  }

  void load(vector& out, const numbers& from, size_t row, size_t v) const { std::memcpy(&out, &from[row * padded + v], sizeof out); }

  // The places of all vertices, and with `derivatives` how they move with each angle.
  void skin(bool derivatives) {
    Matrix own[bones], absolute[bones], transform[bones];
    for (size_t b = 0; b < bones; b++) {
      double t[3];
      pose(b, t);
      own[b] = relative[b] * euler(t, -1);
      absolute[b] = parents[b] < 0 ? own[b] : absolute[parents[b]] * own[b];
      transform[b] = absolute[b] * inverse[b];
    }
    double g[36];
    global(g, derivatives);
    for (size_t v = 0; v < padded; v += lanes) {
      vector x[3], sum[3] = {};
      for (size_t r = 0; r < 3; r++) load(x[r], positions, r, v);
      for (size_t b = 0; b < bones; b++) {
        vector w;
        load(w, weights, b, v);
        const double* m = transform[b].e;
        for (size_t r = 0; r < 3; r++) sum[r] += w * (m[4 * r] * x[0] + m[4 * r + 1] * x[1] + m[4 * r + 2] * x[2] + m[4 * r + 3]);
      }
      for (size_t r = 0; r < 3; r++) {
        vector at = g[3 * r] * sum[0] + g[3 * r + 1] * sum[1] + g[3 * r + 2] * sum[2] + theta[3 + r];
        for (size_t i = 0; i < lanes && v + i < nv; i++) places[3 * (v + i) + r] = at[i];
        std::memcpy(&turned[r * padded + v], &sum[r], sizeof at);
      }
    }
    if (!derivatives) return;

    auto put = [&](size_t j, size_t v, const double* rotation, const vector* move) {
      for (size_t r = 0; r < 3; r++) {
        vector at = rotation[3 * r] * move[0] + rotation[3 * r + 1] * move[1] + rotation[3 * r + 2] * move[2];
        for (size_t i = 0; i < lanes && v + i < nv; i++) moves[(3 * (v + i) + r) * angles + j] = at[i];
      }
    };
    for (size_t j = 0; j < 3; j++)
      for (size_t v = 0; v < padded; v += lanes) {
        vector at[3];
        for (size_t r = 0; r < 3; r++) load(at[r], turned, r, v);
        put(j, v, g + 9 * (j + 1), at);
      }
    for (size_t i = 0; i < 3 * nv; i++)
      for (size_t r = 0; r < 3; r++) moves[i * angles + 3 + r] = i % 3 == r;
    for (size_t j = 6; j < angles; j++) {
      auto [bone, axis] = joint(j);
      double t[3];
      pose(bone, t);
      Matrix moved[bones];
      size_t which[bones], count = 0;
      bool moving[bones] = {};
      for (size_t b = bone; b < bones; b++) {
        Matrix d;
        if (b == bone) {
          d = relative[b] * euler(t, axis);
          if (parents[b] >= 0) d = absolute[parents[b]] * d;
        } else if (parents[b] >= 0 && moving[parents[b]]) {
          d = moved[parents[b]] * own[b];
        } else {
          continue;
        }
        moving[b] = true;
        moved[b] = d;
        which[count++] = b;
      }
      for (size_t i = 0; i < count; i++) moved[which[i]] = moved[which[i]] * inverse[which[i]];
      for (size_t v = 0; v < padded; v += lanes) {
        vector x[3], sum[3] = {};
        for (size_t r = 0; r < 3; r++) load(x[r], positions, r, v);
        for (size_t i = 0; i < count; i++) {
          vector w;
          load(w, weights, which[i], v);
          const double* m = moved[which[i]].e;
          for (size_t r = 0; r < 3; r++) sum[r] += w * (m[4 * r] * x[0] + m[4 * r + 1] * x[1] + m[4 * r + 2] * x[2] + m[4 * r + 3]);
        }
        put(j, v, g, sum);
      }
    }
  }

  void objective() {
    skin(false);
    for (size_t i = 0; i < np; i++) {
      const double* a = &places[3 * corr[i]];
      if (!complicated) {
        for (size_t r = 0; r < 3; r++) errors[3 * i + r] = measured[3 * i + r] - a[r];
        continue;
      }
      const size_t* corner = &corners[3 * corr[i]];
      double u = us[2 * i], w = us[2 * i + 1];
      for (size_t r = 0; r < 3; r++)
        errors[3 * i + r] = measured[3 * i + r] - (u * places[3 * corner[0] + r] + w * places[3 * corner[1] + r] +
                                                   (1 - u - w) * places[3 * corner[2] + r]);
    }
  }

  void jacobian() {
    skin(true);
    for (size_t i = 0; i < np; i++) {
      if (!complicated) {
        const double* from = &moves[3 * corr[i] * angles];
        double* to = &jacobian_[3 * i * angles];
        for (size_t k = 0; k < 3 * angles; k++) to[k] = -from[k];
        continue;
      }
      const size_t* corner = &corners[3 * corr[i]];
      double u = us[2 * i], w = us[2 * i + 1];
      for (size_t r = 0; r < 3; r++) {
        size_t a = 3 * corner[0] + r, b = 3 * corner[1] + r, c = 3 * corner[2] + r;
        double* to = &jacobian_[(3 * i + r) * (angles + 2)];
        to[0] = places[c] - places[a];
        to[1] = places[c] - places[b];
        for (size_t k = 0; k < angles; k++)
          to[2 + k] = -(u * moves[a * angles + k] + w * moves[b * angles + k] + (1 - u - w) * moves[c * angles + k]);
      }
    }
  }

  // The derivatives of the contracted errors by us, if they vary, and theta.
  numbers gradient() const {
    numbers out(complicated ? 2 * np + angles : angles);
    for (size_t i = 0; i < 3 * np; i++)
      for (size_t k = 0; k < columns(); k++) {
        size_t at = !complicated ? k : k < 2 ? i / 3 * 2 + k : 2 * np + k - 2;
        out[at] += jacobian_[i * columns() + k] / double(1 + i);
      }
    return out;
  }
};

void golden(bool complicated, double f, double ones, double cosines) {
  Hand h(complicated, 20, 7);
  h.objective();
  h.jacobian();
  check("hand", contract(h.errors), h.gradient(), f, ones, cosines);
}

}  // namespace

int main(int argc, char** argv) {
  golden(false, 0.0693859245883872, -3.99980525487755, 0.772813980999179);
  golden(true, -0.514574522213811, -2.35208896150706, -0.5522409997788);
  Hand h(size_argument(argc, argv, 0) != 0, size_argument(argc, argv, 1), size_argument(argc, argv, 2));
  time_as_asked(argv, [&] { h.objective(); }, [&] { h.jacobian(); });
}
