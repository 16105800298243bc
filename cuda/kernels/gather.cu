// Sums over the entries of the rows of a sparse pattern: products, sums by relation, and the steps of a descent.
//
// A row is summed by lanes threads for its columns (V numbers each) and split groups of them for its entries; a warp
// takes 32/(lanes·split) rows, or a tile of a row that is wider. A row of more than LONG entries is taken by a whole block: the
// first `blocks` blocks do these, from the list longs, which begins with their number.
#include "common.cuh"

#define LONG 64
#define THREADS 256

template <int V> struct Numbers { float v[V]; };

template <int V> __device__ inline Numbers<V> load(const float *p);
template <> __device__ inline Numbers<1> load<1>(const float *p) { return {{__ldg(p)}}; }
template <> __device__ inline Numbers<4> load<4>(const float *p) {
  float4 q = __ldg((const float4 *)p);
  return {{q.x, q.y, q.z, q.w}};
}
// read is load of memory that this kernel may write.
template <int V> __device__ inline Numbers<V> read(const float *p);
template <> __device__ inline Numbers<1> read<1>(const float *p) { return {{*p}}; }
template <> __device__ inline Numbers<4> read<4>(const float *p) {
  float4 q = *(const float4 *)p;
  return {{q.x, q.y, q.z, q.w}};
}
template <int V> __device__ inline void store(float *p, const Numbers<V> &x);
template <> __device__ inline void store<1>(float *p, const Numbers<1> &x) { *p = x.v[0]; }
template <> __device__ inline void store<4>(float *p, const Numbers<4> &x) {
  *(float4 *)p = make_float4(x.v[0], x.v[1], x.v[2], x.v[3]);
}

// List is a pattern by rows. The value of entry e is val[edge[e]], val[e] without edge, 1 without val.
struct List {
  const int *ptr, *idx, *edge, *longs;
  int rows, cols, lanes, split, blocks;
};

// Weighted is the term w[j]·val(e)·x[j,:] of entry e in column j.
template <int V> struct Weighted {
  const float *x, *val, *w;
  const int *idx, *edge;
  i64 cols;
  __device__ inline void at(int e, i64 col, float &f, Numbers<V> &q) const {
    int j = __ldg(idx + e);
    f = val ? __ldg(val + (edge ? __ldg(edge + e) : e)) : 1.f;
    if (w) f *= __ldg(w + j);
    q = load<V>(x + j * cols + col);
  }
};

// Paired is the term x[j,:]∘y[k,:] of entry e in column j with relation k.
template <int V> struct Paired {
  const float *x, *y;
  const int *idx, *with;
  i64 cols;
  __device__ inline void at(int e, i64 col, float &f, Numbers<V> &q) const {
    f = 1.f;
    q = load<V>(x + __ldg(idx + e) * cols + col);
    Numbers<V> r = load<V>(y + __ldg(with + e) * cols + col);
#pragma unroll
    for (int k = 0; k < V; k++) q.v[k] *= r.v[k];
  }
};

// add_entries adds the terms of the entries lo, lo + step, … below hi.
template <int V, class T>
__device__ inline void add_entries(Numbers<V> &sum, const T &term, int lo, int hi, int step, i64 col) {
  int e = lo;
  for (; e + 3 * step < hi; e += 4 * step) {
    float f[4];
    Numbers<V> q[4];
#pragma unroll
    for (int u = 0; u < 4; u++) term.at(e + u * step, col, f[u], q[u]);
#pragma unroll
    for (int u = 0; u < 4; u++)
#pragma unroll
      for (int k = 0; k < V; k++) sum.v[k] += f[u] * q[u].v[k];
  }
  for (; e < hi; e += step) {
    float f;
    Numbers<V> q;
    term.at(e, col, f, q);
#pragma unroll
    for (int k = 0; k < V; k++) sum.v[k] += f * q.v[k];
  }
}

// long_rows is the rows of longs, a block a row and tile.
template <int V, class T, class F> __device__ inline void long_rows(const List &l, const T &term, const F &done) {
  __shared__ float part[THREADS][V];
  int lane = threadIdx.x % l.lanes, group = threadIdx.x / l.lanes, groups = THREADS / l.lanes;
  int tiles = (l.cols + l.lanes * V - 1) / (l.lanes * V), count = l.longs[0] * tiles;
  for (int n = blockIdx.x; n < count; n += l.blocks) {
    int row = l.longs[1 + n / tiles];
    i64 col = ((i64)(n % tiles) * l.lanes + lane) * V;
    Numbers<V> sum = {};
    if (col < l.cols) add_entries<V>(sum, term, l.ptr[row] + group, l.ptr[row + 1], groups, col);
    for (int half = groups / 2; half > 0; half /= 2) {
      __syncthreads();
#pragma unroll
      for (int k = 0; k < V; k++) part[threadIdx.x][k] = sum.v[k];
      __syncthreads();
      if (group < half)
#pragma unroll
        for (int k = 0; k < V; k++) sum.v[k] += part[threadIdx.x + half * l.lanes][k];
    }
    if (group == 0 && col < l.cols) done(row, col, sum);
  }
}

// all_rows calls done with every row and column of the sum of its terms.
template <int V, class T, class F> __device__ inline void all_rows(const List &l, const T &term, const F &done) {
  if (blockIdx.x < l.blocks) {
    long_rows<V>(l, term, done);
    return;
  }
  int width = l.lanes * l.split, lane = threadIdx.x % l.lanes, group = threadIdx.x / l.lanes % l.split;
  int tiles = (l.cols + l.lanes * V - 1) / (l.lanes * V);
  i64 unit = ((i64)(blockIdx.x - l.blocks) * THREADS + threadIdx.x) / width;
  i64 row = tiles == 1 ? unit : unit / tiles, col = ((tiles == 1 ? 0 : unit % tiles) * l.lanes + lane) * V;
  Numbers<V> sum = {};
  bool mine = row < l.rows && col < l.cols;
  if (row < l.rows) {
    int lo = l.ptr[row], hi = l.ptr[row + 1];
    if (hi - lo > LONG && l.blocks > 0) mine = false;
    if (mine) add_entries<V>(sum, term, lo + group, hi, l.split, col);
  }
  for (int o = l.lanes; o < width; o *= 2)
#pragma unroll
    for (int k = 0; k < V; k++) sum.v[k] += __shfl_xor_sync(ALL, sum.v[k], o);
  if (mine && group == 0) done(row, col, sum);
}

// Scaled is dst ← α·Σ + β·dst.
template <int V> struct Scaled {
  float *dst;
  i64 cols;
  float alpha, beta;
  __device__ inline void operator()(i64 row, i64 col, Numbers<V> sum) const {
    float *p = dst + row * cols + col;
    if (beta == 0.f) {
#pragma unroll
      for (int k = 0; k < V; k++) sum.v[k] *= alpha;
    } else {
      Numbers<V> old = read<V>(p);
#pragma unroll
      for (int k = 0; k < V; k++) sum.v[k] = alpha * sum.v[k] + beta * old.v[k];
    }
    store<V>(p, sum);
  }
};

#define LIST const int *ptr, const int *idx, const int *edge, const int *longs, int rows, int cols, int lanes, \
    int split, int blocks
#define ARGS {ptr, idx, edge, longs, rows, cols, lanes, split, blocks}

template <int V> __device__ inline void spmm(List l, float *dst, const float *x, const float *val, float alpha, float beta) {
  all_rows<V>(l, Weighted<V>{x, val, 0, l.idx, l.edge, l.cols}, Scaled<V>{dst, l.cols, alpha, beta});
}
extern "C" __global__ void __launch_bounds__(THREADS)
spmm1(LIST, float *dst, const float *x, const float *val, float alpha, float beta) {
  spmm<1>(ARGS, dst, x, val, alpha, beta);
}
extern "C" __global__ void __launch_bounds__(THREADS)
spmm4(LIST, float *dst, const float *x, const float *val, float alpha, float beta) {
  spmm<4>(ARGS, dst, x, val, alpha, beta);
}

// relmm has the relation of entry e in edge[e].
template <int V> __device__ inline void relmm(List l, float *dst, const float *x, const float *y, float beta) {
  all_rows<V>(l, Paired<V>{x, y, l.idx, l.edge, l.cols}, Scaled<V>{dst, l.cols, 1.f, beta});
}
extern "C" __global__ void __launch_bounds__(THREADS) relmm1(LIST, float *dst, const float *x, const float *y, float beta) {
  relmm<1>(ARGS, dst, x, y, beta);
}
extern "C" __global__ void __launch_bounds__(THREADS) relmm4(LIST, float *dst, const float *x, const float *y, float beta) {
  relmm<4>(ARGS, dst, x, y, beta);
}

enum { PHI_SQUARE, PHI_HUBER, PHI_LOGCOSH };

// Step is h′ = prox( a∘h + b∘Σ + c∘φ(h − p) ). Its tape is a byte for V entries: bit k says |h − p| < T of the k-th, bit
// 4 + k that h′ > 0; and the numbers φ′ for log-cosh.
template <int V> struct Step {
  float *dst;
  const float *h, *p, *a, *b, *c;
  unsigned char *bits;
  float *slope;
  i64 cols;
  int kind, nonneg;
  float t;
  __device__ inline void operator()(i64 row, i64 col, Numbers<V> sum) const {
    i64 at = row * cols + col;
    float ai = a[row], bi = b[row], ci = c[row];
    Numbers<V> x = load<V>(h + at), y = load<V>(p + at), d;
    u32 mask = 0;
#pragma unroll
    for (int k = 0; k < V; k++) {
      float r = x.v[k] - y.v[k], f = r;
      if (kind == PHI_HUBER) {
        f = r > t ? t : r < -t ? -t : r;
        mask |= (r < t && r > -t ? 1u : 0u) << k;
      } else if (kind == PHI_LOGCOSH) {
        f = tanhf(r);
        d.v[k] = 1.f - f * f;
      }
      float z = ai * x.v[k] + bi * sum.v[k] + ci * f;
      mask |= (z > 0.f ? 16u : 0u) << k;
      sum.v[k] = nonneg ? relu(z) : z;
    }
    store<V>(dst + at, sum);
    if (bits) bits[at / V] = mask;
    if (slope) store<V>(slope + at, d);
  }
};

#define STEP float *dst, const float *h, const float *p, const float *a, const float *b, const float *c, \
    unsigned char *bits, float *slope, int kind, int nonneg, float t
template <int V> __device__ inline void descend(List l, const float *val, STEP) {
  all_rows<V>(l, Weighted<V>{h, val, 0, l.idx, l.edge, l.cols},
              Step<V>{dst, h, p, a, b, c, bits, slope, l.cols, kind, nonneg, t});
}
extern "C" __global__ void __launch_bounds__(THREADS) descend1(LIST, const float *val, STEP) {
  descend<1>(ARGS, val, dst, h, p, a, b, c, bits, slope, kind, nonneg, t);
}
extern "C" __global__ void __launch_bounds__(THREADS) descend4(LIST, const float *val, STEP) {
  descend<4>(ARGS, val, dst, h, p, a, b, c, bits, slope, kind, nonneg, t);
}

// Back is the adjoint of Step: from u, the cotangent of h′ where h′ > 0 was asked for and holds,
//
//   g = (a + c∘φ′)∘u + Sᵀ(b∘u)    dp −= c∘φ′∘u    out = g∘[h > 0 of the step before]
//
// first: dp has no numbers yet. into: out is dp, to which g is added.
template <int V> struct Back {
  float *out, *dp;
  const float *u, *a, *c;
  const unsigned char *bits, *before;
  const float *slope;
  i64 cols;
  int first, into;
  __device__ inline void operator()(i64 row, i64 col, Numbers<V> sum) const {
    i64 at = row * cols + col;
    float ai = a[row], ci = c[row];
    Numbers<V> x = load<V>(u + at), d, own = {};
    if (!first) own = read<V>(dp + at);
    u32 active = bits ? bits[at / V] : 15u, positive = before ? before[at / V] >> 4 : 15u;
    if (slope) d = load<V>(slope + at);
#pragma unroll
    for (int k = 0; k < V; k++) {
      float cs = slope ? ci * d.v[k] : active >> k & 1 ? ci : 0.f;
      float g = (ai + cs) * x.v[k] + sum.v[k];
      own.v[k] -= cs * x.v[k];
      if (into) own.v[k] += g;
      sum.v[k] = positive >> k & 1 ? g : 0.f;
    }
    store<V>(dp + at, own);
    if (!into) store<V>(out + at, sum);
  }
};

#define BACK float *out, float *dp, const float *u, const float *a, const float *b, const float *c, \
    const unsigned char *bits, const unsigned char *before, const float *slope, int first, int into
template <int V> __device__ inline void back(List l, const float *val, BACK) {
  all_rows<V>(l, Weighted<V>{u, val, b, l.idx, l.edge, l.cols},
              Back<V>{out, dp, u, a, c, bits, before, slope, l.cols, first, into});
}
extern "C" __global__ void __launch_bounds__(THREADS) back1(LIST, const float *val, BACK) {
  back<1>(ARGS, val, out, dp, u, a, b, c, bits, before, slope, first, into);
}
extern "C" __global__ void __launch_bounds__(THREADS) back4(LIST, const float *val, BACK) {
  back<4>(ARGS, val, out, dp, u, a, b, c, bits, before, slope, first, into);
}

// positive is dst ← g where the bit of h′ > 0 is set, per entries a byte.
extern "C" __global__ void positive(float *dst, const float *g, const unsigned char *bits, i64 n, int per) {
  EACH(i, n) dst[i] = bits[i / per] >> (4 + i % per) & 1 ? g[i] : 0.f;
}

// sddmm is dst[e] = Σ_j x[row[e],j]·y[idx[e],j]: lanes threads an entry, a power of two.
extern "C" __global__ void sddmm(float *dst, const float *x, const float *y, const int *row, const int *idx, i64 n,
                                 i64 cols, int lanes) {
  i64 at = (i64)blockIdx.x * blockDim.x + threadIdx.x, e = at / lanes;
  float s = 0.f;
  if (e < n) {
    const float *a = x + row[e] * cols, *b = y + idx[e] * cols;
    for (i64 j = at % lanes; j < cols; j += lanes) s += a[j] * b[j];
  }
  for (int o = lanes / 2; o > 0; o >>= 1) s += __shfl_xor_sync(ALL, s, o);
  if (e < n && at % lanes == 0) dst[e] = s;
}

// rel_stats is the statistics of the messages of a row and column, one after the other.
extern "C" __global__ void rel_stats(float *sum, float *square, float *most, float *least, float *argmost,
                                     float *argleast, const int *ptr, const int *idx, const int *with, const float *x,
                                     const float *y, i64 n, i64 cols, int plus) {
  EACH(i, n) {
    i64 row = quotient(i, cols), j = i - row * cols;
    float s = 0.f, q = 0.f, hi = 0.f, lo = 0.f, ahi = -1.f, alo = -1.f;
    int first = ptr[row], end = ptr[row + 1];
    for (int e = first; e < end; e++) {
      float a = x[idx[e] * cols + j], b = y[with[e] * cols + j], m = plus ? __fadd_rn(a, b) : __fmul_rn(a, b);
      s += m;
      q += m * m;
      if (e == first || m > hi) hi = m, ahi = e - first;
      if (e == first || m < lo) lo = m, alo = e - first;
    }
    sum[i] = s, square[i] = q, most[i] = hi, least[i] = lo, argmost[i] = ahi, argleast[i] = alo;
  }
}

// rel_stats_vjp has the row of triple e in row[e], and writes nothing behind the present number of triples.
extern "C" __global__ void rel_stats_vjp(float *dm, const float *sum, const float *square, const float *most,
                                         const float *least, const float *argmost, const float *argleast,
                                         const int *ptr, const int *row, const int *idx, const int *with,
                                         const float *x, const float *y, i64 rows, i64 cols, int plus, i64 n) {
  EACH(i, n) {
    i64 e = quotient(i, cols), j = i - e * cols;
    if (e >= ptr[rows]) return;
    i64 r = row[e], at = r * cols + j;
    float a = x[idx[e] * cols + j], b = y[with[e] * cols + j], m = plus ? a + b : a * b, k = e - ptr[r];
    float d = sum[at] + 2.f * m * square[at];
    if (argmost[at] == k) d += most[at];
    if (argleast[at] == k) d += least[at];
    dm[i] = d;
  }
}
