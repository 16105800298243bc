// Sums over the entries of the rows of a sparse pattern: products, sums by relation, and the steps of a descent.
//
// A row is summed by lanes threads for its columns (V numbers each) and split groups of them for its entries; a warp
// takes 32/(lanes·split) rows. Rows that are wider are cut into tiles, blockIdx.y, so narrow that what is read by all
// rows stays in the cache. A row of more than LONG entries is taken by a whole block: the first `blocks` blocks do
// these, from the list longs, which begins with their number.
#include "common.cuh"

#define LONG 64
#define THREADS 256

template <int V> struct Numbers { float v[V]; };

template <int V> __device__ inline Numbers<V> load(const float *p);
template <> __device__ inline Numbers<1> load<1>(const float *p) { return {{__ldg(p)}}; }
template <> __device__ inline Numbers<2> load<2>(const float *p) {
  float2 q = __ldg((const float2 *)p);
  return {{q.x, q.y}};
}
template <> __device__ inline Numbers<4> load<4>(const float *p) {
  float4 q = __ldg((const float4 *)p);
  return {{q.x, q.y, q.z, q.w}};
}
// read is load of memory that this kernel may write.
template <int V> __device__ inline Numbers<V> read(const float *p);
template <> __device__ inline Numbers<1> read<1>(const float *p) { return {{*p}}; }
template <> __device__ inline Numbers<2> read<2>(const float *p) {
  float2 q = *(const float2 *)p;
  return {{q.x, q.y}};
}
template <> __device__ inline Numbers<4> read<4>(const float *p) {
  float4 q = *(const float4 *)p;
  return {{q.x, q.y, q.z, q.w}};
}
template <int V> __device__ inline void store(float *p, const Numbers<V> &x);
template <> __device__ inline void store<1>(float *p, const Numbers<1> &x) { *p = x.v[0]; }
template <> __device__ inline void store<2>(float *p, const Numbers<2> &x) { *(float2 *)p = make_float2(x.v[0], x.v[1]); }
template <> __device__ inline void store<4>(float *p, const Numbers<4> &x) {
  *(float4 *)p = make_float4(x.v[0], x.v[1], x.v[2], x.v[3]);
}

// List is a pattern by rows. The value of entry e is val[edge[e]], val[e] without edge, 1 without val.
struct List {
  const int *ptr, *idx, *edge, *longs;
  int rows, cols, lanes, split, blocks;
  // A row of n entries is long where its groups, if it has many, would have more than a few each, too.
  __device__ inline bool is_long(int n) const { return n > LONG && n > LONG / 4 * split; }
};

// small_quotient is x / d for x and d up to 256.
__device__ inline int small_quotient(int x, int d) { return (int)((float)x * __frcp_rn((float)d) + 0.001953125f); }

// Weighted is the term w[j]·val(e)·x[j,:] of entry e in column j.
template <int V> struct Weighted {
  struct Place {
    int j;
    float f;
  };
  const float *x, *val, *w;
  const int *idx, *edge;
  i64 cols;
  __device__ inline Place find(int e) const {
    int j = __ldg(idx + e);
    return {j, val ? __ldg(val + (edge ? __ldg(edge + e) : e)) : 1.f};
  }
  __device__ inline Numbers<V> at(const Place &p, i64 col) const {
    float f = w ? p.f * __ldg(w + p.j) : p.f;
    Numbers<V> q = load<V>(x + p.j * cols + col);
#pragma unroll
    for (int k = 0; k < V; k++) q.v[k] *= f;
    return q;
  }
};

// Paired is the term x[j,:]∘y[r,:] of entry e in column j with relation r.
template <int V> struct Paired {
  struct Place { int j, r; };
  const float *x, *y;
  const int *idx, *with;
  i64 cols;
  __device__ inline Place find(int e) const { return {__ldg(idx + e), __ldg(with + e)}; }
  __device__ inline Numbers<V> at(const Place &p, i64 col) const {
    Numbers<V> q = load<V>(x + p.j * cols + col), r = load<V>(y + p.r * cols + col);
#pragma unroll
    for (int k = 0; k < V; k++) q.v[k] *= r.v[k];
    return q;
  }
};

// add_entries adds the terms of the entries lo, lo + step, … below hi. Several are under way at once: first all their
// columns, then their numbers. Behind the end the last entry is read again and left out.
template <int V, class T>
__device__ inline void add_entries(Numbers<V> &sum, const T &term, int lo, int hi, int step, i64 col) {
  const int ahead = V == 4 ? 4 : 8;
  for (int e = lo; e < hi; e += ahead * step) {
    typename T::Place at[ahead];
    Numbers<V> q[ahead];
#pragma unroll
    for (int u = 0; u < ahead; u++) at[u] = term.find(min(e + u * step, hi - 1));
#pragma unroll
    for (int u = 0; u < ahead; u++) q[u] = term.at(at[u], col);
#pragma unroll
    for (int u = 0; u < ahead; u++)
#pragma unroll
      for (int k = 0; k < V; k++) sum.v[k] += e + u * step < hi ? q[u].v[k] : 0.f;
  }
}

// long_rows is the rows of longs, a block a row.
template <int V, class T, class F> __device__ inline void long_rows(const List &l, const T &term, const F &done) {
  __shared__ float part[THREADS * V];
  int group = small_quotient(threadIdx.x, l.lanes), lane = threadIdx.x - group * l.lanes, width = l.lanes * V;
  int groups = small_quotient(THREADS, l.lanes), count = l.longs[0];
  i64 col = ((i64)blockIdx.y * l.lanes + lane) * V;
  for (int n = blockIdx.x; n < count; n += l.blocks) {
    int row = l.longs[1 + n], lo = l.ptr[row], hi = l.ptr[row + 1];
    if (!l.is_long(hi - lo)) continue;
    Numbers<V> sum = {};
    if (col < l.cols && group < groups) add_entries<V>(sum, term, lo + group, hi, groups, col);
    __syncthreads();
    if (group < groups)
#pragma unroll
      for (int k = 0; k < V; k++) part[group * width + lane * V + k] = sum.v[k];
    for (int left = groups; left > 1; left = (left + 1) / 2) {
      int half = (left + 1) / 2;
      __syncthreads();
      if (group + half < left)
#pragma unroll
        for (int k = 0; k < V; k++) {
          int at = group * width + lane * V + k;
          part[at] += part[at + half * width];
        }
    }
    __syncthreads();
    if (group == 0 && col < l.cols) {
#pragma unroll
      for (int k = 0; k < V; k++) sum.v[k] = part[lane * V + k];
      done(row, col, sum);
    }
  }
}

// all_rows calls done with every row and column of the sum of its terms.
template <int V, class T, class F> __device__ inline void all_rows(const List &l, const T &term, const F &done) {
  if (blockIdx.x < l.blocks) {
    long_rows<V>(l, term, done);
    return;
  }
  int inside = threadIdx.x % 32, at = small_quotient(inside, l.lanes), lane = inside - at * l.lanes;
  int unit = small_quotient(at, l.split), group = at - unit * l.split, units = small_quotient(32, l.lanes * l.split);
  int row = ((blockIdx.x - l.blocks) * (THREADS / 32) + threadIdx.x / 32) * units + unit;
  i64 col = ((i64)blockIdx.y * l.lanes + lane) * V;
  Numbers<V> sum = {};
  bool mine = unit < units && row < l.rows && col < l.cols;
  if (mine) {
    int lo = l.ptr[row], hi = l.ptr[row + 1];
    if (l.is_long(hi - lo)) mine = false;
    else add_entries<V>(sum, term, lo + group, hi, l.split, col);
  }
  for (int o = l.split / 2; o > 0; o /= 2)
#pragma unroll
    for (int k = 0; k < V; k++) sum.v[k] += __shfl_down_sync(ALL, sum.v[k], o * l.lanes);
  if (mine && group == 0) done(row, col, sum);
}

// Scaled is dst ← α·Σ + β·dst.
template <int V> struct Scaled {
  float *dst;
  i64 cols;
  float alpha, beta;
  __device__ inline void operator()(i64 row, i64 col, Numbers<V> sum) const {
    float *p = dst + row * cols + col;
    Numbers<V> old = {};
    if (beta != 0.f) old = read<V>(p);
#pragma unroll
    for (int k = 0; k < V; k++) sum.v[k] = beta == 0.f ? alpha * sum.v[k] : alpha * sum.v[k] + beta * old.v[k];
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
spmm2(LIST, float *dst, const float *x, const float *val, float alpha, float beta) {
  spmm<2>(ARGS, dst, x, val, alpha, beta);
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
extern "C" __global__ void __launch_bounds__(THREADS) relmm2(LIST, float *dst, const float *x, const float *y, float beta) {
  relmm<2>(ARGS, dst, x, y, beta);
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
    float ai = __ldg(a + row), bi = __ldg(b + row), ci = __ldg(c + row);
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
extern "C" __global__ void __launch_bounds__(THREADS) descend2(LIST, const float *val, STEP) {
  descend<2>(ARGS, val, dst, h, p, a, b, c, bits, slope, kind, nonneg, t);
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
    float ai = __ldg(a + row), ci = __ldg(c + row);
    Numbers<V> x = load<V>(u + at), d = {}, own = {};
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
extern "C" __global__ void __launch_bounds__(THREADS) back2(LIST, const float *val, BACK) {
  back<2>(ARGS, val, out, dp, u, a, b, c, bits, before, slope, first, into);
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
