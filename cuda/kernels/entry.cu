// Entrywise operations.
#include "common.cuh"

// The functions of mat.Func, in its order.
enum { EXP, LOG, TANH, SIGMOID, SOFTPLUS, RELU, LEAKY, ABS, SQUARE, SQRT, RECIP, SIN, COS, HUBER, LOGCOSH, CLAMP };

__device__ inline float keep_nan(float x, float v) { return x != x ? x : v; }
__device__ inline float clamped(float x, float t) { return x > t ? t : x < -t ? -t : x; }
__device__ inline float inside(float x, float t) { return fabsf(x) < t ? 1.f : keep_nan(x, 0.f); }
__device__ inline float leaky1(float x, float t) { return x > 0.f ? 1.f : keep_nan(x, t); }
__device__ inline float sign(float x) { return x > 0.f ? 1.f : x < 0.f ? -1.f : keep_nan(x, 0.f); }

// tanh1 is 1 − tanh²x = 4e/(1+e)² with e = exp(−2|x|).
__device__ inline float tanh1(float x) {
  float e = expf(-2.f * fabsf(x));
  return 4.f * e / ((1.f + e) * (1.f + e));
}
__device__ inline float sigmoid(float x) {
  float e = expf(-fabsf(x));
  return x < 0.f ? e / (1.f + e) : 1.f / (1.f + e);
}
__device__ inline float sigmoid1(float x) {
  float e = expf(-fabsf(x));
  return e / ((1.f + e) * (1.f + e));
}
__device__ inline float huber(float x, float t) {
  float a = fabsf(x);
  return a <= t ? a * a * 0.5f : t * (a - t * 0.5f);
}
__device__ inline float logcosh(float x) {
  float a = fabsf(x);
  if (a < 1.f) {
    float u = expm1f(-a);
    return log1pf(u * u / (2.f * (1.f + u)));
  }
  return a + log1pf(expf(-2.f * a)) - 0.693147180559945309f;
}

__device__ float apply(int f, int order, float x, float t) {
  float r;
  switch (f * 3 + order) {
  case EXP * 3: case EXP * 3 + 1: case EXP * 3 + 2: return expf(x);
  case LOG * 3: return logf(x);
  case LOG * 3 + 1: case RECIP * 3: return 1.f / x;
  case LOG * 3 + 2: case RECIP * 3 + 1: r = 1.f / x; return -r * r;
  case RECIP * 3 + 2: r = 1.f / x; return 2.f * r * r * r;
  case TANH * 3: case LOGCOSH * 3 + 1: return tanhf(x);
  case TANH * 3 + 1: case LOGCOSH * 3 + 2: return tanh1(x);
  case TANH * 3 + 2: return -2.f * tanhf(x) * tanh1(x);
  case SIGMOID * 3: case SOFTPLUS * 3 + 1: return sigmoid(x);
  case SIGMOID * 3 + 1: case SOFTPLUS * 3 + 2: return sigmoid1(x);
  case SIGMOID * 3 + 2: return -tanhf(x * 0.5f) * sigmoid1(x);
  case SOFTPLUS * 3: return relu(x) + log1pf(expf(-fabsf(x)));
  case RELU * 3: return relu(x);
  case RELU * 3 + 1: return leaky1(x, 0.f);
  case LEAKY * 3: return x > 0.f ? x : t * x;
  case LEAKY * 3 + 1: return leaky1(x, t);
  case ABS * 3: return fabsf(x);
  case ABS * 3 + 1: return sign(x);
  case SQUARE * 3: return x * x;
  case SQUARE * 3 + 1: return 2.f * x;
  case SQUARE * 3 + 2: return keep_nan(x, 2.f);
  case SQRT * 3: return sqrtf(x);
  case SQRT * 3 + 1: return 0.5f / sqrtf(x);
  case SQRT * 3 + 2: r = 1.f / sqrtf(x); return -0.25f * r * r * r;
  case SIN * 3: return sinf(x);
  case SIN * 3 + 1: case COS * 3: return cosf(x);
  case SIN * 3 + 2: case COS * 3 + 1: return -sinf(x);
  case COS * 3 + 2: return -cosf(x);
  case HUBER * 3: return huber(x, t);
  case HUBER * 3 + 1: case CLAMP * 3: return clamped(x, t);
  case HUBER * 3 + 2: case CLAMP * 3 + 1: return inside(x, t);
  case LOGCOSH * 3: return logcosh(x);
  }
  return keep_nan(x, 0.f);
}

extern "C" __global__ void map(float *dst, const float *x, const float *y, i64 n, int f, int order, float t) {
  EACH(i, n) {
    float v = apply(f, order, x[i], t);
    dst[i] = y ? v * y[i] : v;
  }
}

// rectify is map of relu, and of its derivative with y.
extern "C" __global__ void rectify(float *dst, const float *x, const float *y, i64 n) {
  QUADS(i, n) {
    Four a = read4(x + i), b = {};
    if (y) b = read4(y + i);
    OF4(k) a.v[k] = y ? leaky1(a.v[k], 0.f) * b.v[k] : relu(a.v[k]);
    write4(dst + i, a);
  }
  REST(i, n) dst[i] = y ? leaky1(x[i], 0.f) * y[i] : relu(x[i]);
}

extern "C" __global__ void affine(float *dst, const float *x, i64 n, float alpha, float beta) {
  QUADS(i, n) {
    Four a = read4(x + i);
    OF4(k) a.v[k] = alpha * a.v[k] + beta;
    write4(dst + i, a);
  }
  REST(i, n) dst[i] = alpha * x[i] + beta;
}

// How b is broadcast.
enum { FULL, BY_ROW, BY_COL, BY_SCALAR };

__device__ inline i64 at(i64 i, i64 cols, int spread) {
  switch (spread) {
  case BY_ROW: return i - quotient(i, cols) * cols;
  case BY_COL: return quotient(i, cols);
  case BY_SCALAR: return 0;
  }
  return i;
}

// at4 is four numbers of b from i on, which are in one row of a.
__device__ inline Four at4(const float *b, i64 i, i64 cols, int spread) {
  i64 j = at(i, cols, spread);
  if (spread == FULL || spread == BY_ROW) return read4(b + j);
  float v = b[j];
  return {{v, v, v, v}};
}

// together reports whether four numbers always are in one row.
__device__ inline bool together(i64 cols, int spread) { return spread == FULL || spread == BY_SCALAR || cols % 4 == 0; }

extern "C" __global__ void axpby(float *dst, const float *a, const float *b, i64 n, i64 cols, int spread, float alpha,
                                 float beta) {
  if (!together(cols, spread)) {
    EACH(i, n) dst[i] = alpha * a[i] + beta * b[at(i, cols, spread)];
    return;
  }
  QUADS(i, n) {
    Four x = read4(a + i), y = at4(b, i, cols, spread);
    OF4(k) x.v[k] = alpha * x.v[k] + beta * y.v[k];
    write4(dst + i, x);
  }
  REST(i, n) dst[i] = alpha * a[i] + beta * b[at(i, cols, spread)];
}

extern "C" __global__ void mul(float *dst, const float *a, const float *b, i64 n, i64 cols, int spread, float alpha,
                               int add) {
  if (!together(cols, spread)) {
    EACH(i, n) dst[i] = (add ? dst[i] : 0.f) + alpha * a[i] * b[at(i, cols, spread)];
    return;
  }
  QUADS(i, n) {
    Four x = read4(a + i), y = at4(b, i, cols, spread), old = {};
    if (add) old = read4(dst + i);
    OF4(k) x.v[k] = old.v[k] + alpha * x.v[k] * y.v[k];
    write4(dst + i, x);
  }
  REST(i, n) dst[i] = (add ? dst[i] : 0.f) + alpha * a[i] * b[at(i, cols, spread)];
}

// mul_complex is dst = a∘b of n complex numbers, k a row as [Re | Im], with b conjugated for sign −1; dst plus that where
// add is set. Every product is rounded by itself, as on the CPU. Both parts are read before either is written: dst may
// be a or b.
struct Complex { float re, im; };
__device__ inline Complex times(float p, float q, float r, float s) {
  return {__fsub_rn(__fmul_rn(p, r), __fmul_rn(q, s)), __fadd_rn(__fmul_rn(p, s), __fmul_rn(q, r))};
}

extern "C" __global__ void mul_complex(float *dst, const float *a, const float *b, i64 n, i64 k, float sign, int add) {
  if (k % 4 == 0) {
    QUADS(i, n) {
      i64 at = i + quotient(i, k) * k; // every row before it has k more numbers
      Four p = read4(a + at), q = read4(a + at + k), r = read4(b + at), s = read4(b + at + k), re = {}, im = {};
      if (add) re = read4(dst + at), im = read4(dst + at + k);
      OF4(j) {
        Complex z = times(p.v[j], q.v[j], r.v[j], sign * s.v[j]);
        re.v[j] = add ? re.v[j] + z.re : z.re;
        im.v[j] = add ? im.v[j] + z.im : z.im;
      }
      write4(dst + at, re);
      write4(dst + at + k, im);
    }
    return;
  }
  EACH(i, n) {
    i64 at = i + quotient(i, k) * k;
    Complex z = times(a[at], a[at + k], b[at], sign * b[at + k]);
    dst[at] = add ? dst[at] + z.re : z.re;
    dst[at + k] = add ? dst[at + k] + z.im : z.im;
  }
}

extern "C" __global__ void expand(float *dst, const float *b, i64 n, i64 cols, int spread) {
  EACH(i, n) dst[i] = b[at(i, cols, spread)];
}

extern "C" __global__ void maximum(float *dst, const float *a, const float *b, i64 n, int least) {
  EACH(i, n) {
    float x = a[i], y = b[i];
    dst[i] = x != x || y != y ? x + y : least ? fminf(x, y) : fmaxf(x, y);
  }
}

extern "C" __global__ void greater_mask(float *dst, const float *a, const float *b, const float *y, i64 n) {
  EACH(i, n) dst[i] = a[i] > b[i] ? y[i] : a[i] == b[i] ? 0.5f * y[i] : 0.f;
}

// unit_interval is the middle of one of 2⁵² equal parts of (0, 1).
__device__ inline double unit_interval(u64 bits) { return __dmul_rn(__dadd_rn((double)(bits >> 12), 0.5), 0x1p-52); }

extern "C" __global__ void uniform(float *dst, i64 n, float lo, float hi, u64 seed) {
  EACH(i, n) {
    double u = unit_interval(mix(seed, i));
    float v = (float)__dadd_rn((double)lo, __dmul_rn((double)hi - (double)lo, u));
    dst[i] = v >= hi ? lo : v;
  }
}

extern "C" __global__ void normal(float *dst, i64 n, float mean, float sd, u64 seed) {
  EACH(i, n) dst[i] = (float)(mean + sd * 1.41421356237309504880 * erfinv(2 * unit_interval(mix(seed, i)) - 1));
}

// hash32 is that of the CPU, so that both drop the same entries.
__device__ inline u32 hash32(u32 i, u64 key) {
  u32 h = i ^ (u32)key;
  h ^= h >> 16;
  h *= 0x7feb352du;
  h ^= (u32)(key >> 32);
  h ^= h >> 15;
  h *= 0x846ca68bu;
  return h ^ h >> 16;
}

extern "C" __global__ void dropout(float *dst, const float *x, i64 n, u32 threshold, float scale, const u64 *seed,
                                   u64 site) {
  u64 at = mix(*seed, site), high = 0, key = mix(at, 0);
  QUADS(i, n) {
    if ((u64)i >> 32 != high) key = mix(at, high = (u64)i >> 32);
    Four a = read4(x + i);
    OF4(k) a.v[k] = hash32((u32)i + k, key) >= threshold ? a.v[k] * scale : 0.f;
    write4(dst + i, a);
  }
  REST(i, n) dst[i] = hash32((u32)i, mix(at, (u64)i >> 32)) >= threshold ? x[i] * scale : 0.f;
}

// Moved is a matrix with its moments, gradient and decay; Adam the coefficients of a step.
struct Moved { float *w, *m, *v; const float *grad; i64 n; float l2, keep; };
struct Adam { float beta1, rest1, beta2, rest2, root, eps, step; };
// Roundings are spelled out, so that adam and adam_all give the same bits whatever the compiler would contract.
__device__ inline void adam_at(const Moved &x, const Adam &c, i64 i) {
  float w = x.w[i], d = __fmaf_rn(x.l2, w, x.grad[i]);
  float a = __fmaf_rn(c.beta1, x.m[i], __fmul_rn(c.rest1, d));
  float b = __fmaf_rn(c.beta2, x.v[i], __fmul_rn(__fmul_rn(c.rest2, d), d));
  x.m[i] = a;
  x.v[i] = b;
  float move = __fdiv_rn(__fmul_rn(c.step, a), __fmaf_rn(c.root, __fsqrt_rn(b), c.eps));
  x.w[i] = __fmaf_rn(x.keep, w, -move);
}

extern "C" __global__ void adam(float *w, float *m, float *v, const float *grad, i64 n, float l2, float keep,
                                float beta1, float rest1, float beta2, float rest2, float root, float eps, float step) {
  EACH(i, n) adam_at({w, m, v, grad, n, l2, keep}, {beta1, rest1, beta2, rest2, root, eps, step}, i);
}

// Crowd is as many matrices as arguments have room for. adam_all is adam of all of them, a row of blocks each.
struct Crowd { Moved list[80]; };

extern "C" __global__ void adam_all(Crowd all, float beta1, float rest1, float beta2, float rest2, float root, float eps,
                                    float step) {
  Moved x = all.list[blockIdx.y];
  EACH(i, x.n) adam_at(x, {beta1, rest1, beta2, rest2, root, eps, step}, i);
}

// mark_all is flag ← first + k for the least k whose matrix w of the table has NaN or Inf, where flag is 0 or more than
// that.
extern "C" __global__ void mark_all(Crowd all, float *flag, float first) {
  Moved x = all.list[blockIdx.y];
  bool bad = false;
  EACH(i, x.n) bad = bad || !isfinite(x.w[i]);
  if (!bad) return;
  int *at = (int *)flag, code = __float_as_int(first + blockIdx.y), old = *(volatile int *)at;
  while (old == 0 || old > code) { // numbers above 0 have the order of their bits
    int seen = atomicCAS(at, old, code);
    if (seen == old) return;
    old = seen;
  }
}

extern "C" __global__ void gather(float *dst, const float *x, const int *idx, i64 n, i64 cols) {
  EACH(i, n) {
    i64 row = quotient(i, cols);
    dst[i] = x[idx[row] * cols + i - row * cols];
  }
}

extern "C" __global__ void scatter(float *dst, const float *x, const int *idx, i64 n, i64 cols) {
  EACH(i, n) {
    i64 row = quotient(i, cols);
    dst[idx[row] * cols + i - row * cols] = x[i];
  }
}

extern "C" __global__ void copy_cols(float *dst, const float *x, i64 rows, i64 cols, i64 to_stride, i64 to,
                                     i64 from_stride, i64 from) {
  EACH(i, rows *cols) {
    i64 row = quotient(i, cols), j = i - row * cols;
    dst[row * to_stride + to + j] = x[row * from_stride + from + j];
  }
}

// transpose is by tiles of 32×32; a block has 32×8 threads, and tiles are numbered row by row.
extern "C" __global__ void transpose(float *dst, const float *x, i64 rows, i64 cols) {
  __shared__ float tile[32][33];
  i64 across = (cols + 31) / 32, r = blockIdx.x / across * 32, c = blockIdx.x % across * 32;
  for (int k = threadIdx.y; k < 32; k += 8)
    if (r + k < rows && c + threadIdx.x < cols) tile[k][threadIdx.x] = x[(r + k) * cols + c + threadIdx.x];
  __syncthreads();
  for (int k = threadIdx.y; k < 32; k += 8)
    if (c + k < cols && r + threadIdx.x < rows) dst[(c + k) * rows + r + threadIdx.x] = tile[threadIdx.x][k];
}

// phi is φ(r), phi1 its derivative; kind is that of mat.StepKind: square, Huber, log-cosh.
enum { PHI_SQUARE, PHI_HUBER, PHI_LOGCOSH };
__device__ inline float phi(int kind, float t, float r) {
  return kind == PHI_HUBER ? clamped(r, t) : kind == PHI_LOGCOSH ? tanhf(r) : r;
}
__device__ inline float phi1(int kind, float t, float r) {
  if (kind == PHI_HUBER) return r < t && r > -t ? 1.f : 0.f;
  if (kind == PHI_LOGCOSH) {
    float h = tanhf(r);
    return 1.f - h * h;
  }
  return 1.f;
}

// step_at is one entry of a step.
__device__ inline float step_at(float h, float s, float p, float a, float b, float c, int kind, float t, int nonneg) {
  float z = a * h + b * s + c * phi(kind, t, h - p);
  return nonneg ? relu(z) : z;
}

extern "C" __global__ void step(float *dst, const float *h, const float *s, const float *p, const float *a,
                                const float *b, const float *c, i64 n, i64 cols, int kind, float t, int nonneg) {
  if (cols % 4 == 0) {
    QUADS(i, n) {
      i64 row = quotient(i, cols);
      Four x = read4(h + i), q = read4(p + i), m = {};
      if (s) m = read4(s + i);
      float ai = a[row], bi = s ? b[row] : 0.f, ci = c[row];
      OF4(k) x.v[k] = step_at(x.v[k], m.v[k], q.v[k], ai, bi, ci, kind, t, nonneg);
      write4(dst + i, x);
    }
    return;
  }
  EACH(i, n) {
    i64 row = quotient(i, cols);
    dst[i] = step_at(h[i], s ? s[i] : 0.f, p[i], a[row], s ? b[row] : 0.f, c[row], kind, t, nonneg);
  }
}

extern "C" __global__ void step_vjp(float *dh, float *ds, float *dp, const float *g, const float *out, const float *h,
                                    const float *p, const float *a, const float *b, const float *c, i64 n, i64 cols,
                                    int kind, float t, int nonneg) {
  if (cols % 4 == 0) {
    QUADS(i, n) {
      i64 row = quotient(i, cols);
      Four u = read4(g + i), o = {}, r = {}, q = {}, v;
      if (nonneg) o = read4(out + i);
      if (kind != PHI_SQUARE) r = read4(h + i), q = read4(p + i);
      float ai = a[row], bi = b[row], ci = c[row];
      OF4(k) {
        if (nonneg && !(o.v[k] > 0.f)) u.v[k] = 0.f;
        v.v[k] = ci * phi1(kind, t, r.v[k] - q.v[k]);
      }
      OF4(k) o.v[k] = -v.v[k] * u.v[k];
      if (dp) write4(dp + i, o);
      OF4(k) o.v[k] = bi * u.v[k];
      if (ds) write4(ds + i, o);
      OF4(k) o.v[k] = (ai + v.v[k]) * u.v[k];
      if (dh) write4(dh + i, o);
    }
    return;
  }
  EACH(i, n) {
    i64 row = quotient(i, cols);
    float u = nonneg && !(out[i] > 0.f) ? 0.f : g[i];
    float cs = c[row] * phi1(kind, t, h[i] - p[i]);
    if (dp) dp[i] = -cs * u;
    if (ds) ds[i] = b[row] * u;
    if (dh) dh[i] = (a[row] + cs) * u;
  }
}
