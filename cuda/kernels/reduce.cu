// Reductions: in two stages, whose blocks depend on the shape alone.
#include "common.cuh"

// sum_part is part[k] = Σ a[i]·b[i], or Σ a[i] without b, over the k-th piece of per numbers.
extern "C" __global__ void sum_part(float *part, const float *a, const float *b, i64 n, i64 per) {
  i64 lo = (i64)blockIdx.x * per, hi = lo + per < n ? lo + per : n;
  float s = 0.f;
  for (i64 i = lo + threadIdx.x; i < hi; i += blockDim.x) s += b ? a[i] * b[i] : a[i];
  s = block_sum(s);
  if (threadIdx.x == 0) part[blockIdx.x] = s;
}

// largest_part is part[k] = max |x[i]| over the k-th piece, NaN if one is NaN.
extern "C" __global__ void largest_part(float *part, const float *x, i64 n, i64 per) {
  i64 lo = (i64)blockIdx.x * per, hi = lo + per < n ? lo + per : n;
  float m = 0.f, nan = 0.f;
  for (i64 i = lo + threadIdx.x; i < hi; i += blockDim.x) {
    float v = fabsf(x[i]);
    m = fmaxf(m, v);
    if (v != v) nan = v;
  }
  __shared__ float most[32], bad[32];
  m = warp_max(m);
  nan = warp_sum(nan);
  if ((threadIdx.x & 31) == 0) most[threadIdx.x >> 5] = m, bad[threadIdx.x >> 5] = nan;
  __syncthreads();
  if (threadIdx.x < 32) {
    bool in = threadIdx.x < (blockDim.x >> 5);
    m = warp_max(in ? most[threadIdx.x] : 0.f);
    nan = warp_sum(in ? bad[threadIdx.x] : 0.f);
    if (threadIdx.x == 0) part[blockIdx.x] = nan != nan ? nan : m;
  }
}

// row_sum is dst[i] = Σ_j a[i,j]·b[i,j], or Σ_j a[i,j] without b: lanes threads a row, a power of two.
extern "C" __global__ void row_sum(float *dst, const float *a, const float *b, i64 rows, i64 cols, int lanes) {
  i64 at = (i64)blockIdx.x * blockDim.x + threadIdx.x, row = at / lanes;
  int lane = at % lanes;
  float s = 0.f;
  if (row < rows)
    for (i64 j = lane; j < cols; j += lanes) s += b ? a[row * cols + j] * b[row * cols + j] : a[row * cols + j];
  for (int o = lanes / 2; o > 0; o >>= 1) s += __shfl_xor_sync(ALL, s, o);
  if (row < rows && lane == 0) dst[row] = s;
}

// col_sum is part[k,j] = Σ_i a[i,j]·b[i,j] over the k-th piece of per rows; 32×8 threads, a tile of 32 columns each.
extern "C" __global__ void col_sum(float *part, const float *a, const float *b, i64 rows, i64 cols, i64 per) {
  __shared__ float tile[8][33];
  i64 j = (i64)blockIdx.x * 32 + threadIdx.x, lo = (i64)blockIdx.y * per, hi = lo + per < rows ? lo + per : rows;
  float s = 0.f;
  if (j < cols)
    for (i64 i = lo + threadIdx.y; i < hi; i += 8) s += b ? a[i * cols + j] * b[i * cols + j] : a[i * cols + j];
  tile[threadIdx.y][threadIdx.x] = s;
  __syncthreads();
  if (threadIdx.y == 0 && j < cols) {
#pragma unroll
    for (int k = 1; k < 8; k++) s += tile[k][threadIdx.x];
    part[blockIdx.y * cols + j] = s;
  }
}

// finish is dst = scale·Σ part: one block.
extern "C" __global__ void finish(float *dst, const float *part, int n, float scale) {
  float s = 0.f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) s += part[i];
  s = block_sum(s);
  if (threadIdx.x == 0) *dst = s * scale;
}

extern "C" __global__ void mark(float *flag, const float *x, i64 n, float code) {
  bool bad = false;
  EACH(i, n) bad = bad || !isfinite(x[i]);
  if (bad && *flag == 0.f) *flag = code; // everybody who writes writes the same
}

// first_non_finite is *at ← the smallest i whose x[i] is NaN or Inf; *at begins as the largest number.
extern "C" __global__ void first_non_finite(u64 *at, const float *x, i64 n) {
  u64 first = ~0ull;
  EACH(i, n) if (!isfinite(x[i]) && (u64)i < first) first = i;
  if (first != ~0ull) atomicMin(at, first);
}

// softmax is a warp a row.
extern "C" __global__ void softmax(float *dst, const float *x, i64 rows, i64 cols, int log) {
  i64 row = ((i64)blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  if (row >= rows) return;
  int lane = threadIdx.x & 31;
  x += row * cols;
  dst += row * cols;
  float m = -__int_as_float(0x7f800000), s = 0.f;
  for (i64 j = lane; j < cols; j += 32) m = fmaxf(m, x[j]);
  m = warp_max(m);
  for (i64 j = lane; j < cols; j += 32) s += expf(x[j] - m);
  s = warp_sum(s);
  float l = logf(s);
  for (i64 j = lane; j < cols; j += 32) dst[j] = log ? x[j] - m - l : expf(x[j] - m) / s;
}

// cross is loss[r] = −log softmax(x[i])[labels[i]] with i = pick[r], or r without pick: a warp a row.
extern "C" __global__ void cross(float *loss, const float *x, const int *labels, const int *pick, i64 n, i64 cols) {
  i64 r = ((i64)blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  if (r >= n) return;
  int lane = threadIdx.x & 31;
  i64 i = pick ? pick[r] : r;
  x += i * cols;
  float m = -__int_as_float(0x7f800000), s = 0.f;
  for (i64 j = lane; j < cols; j += 32) m = fmaxf(m, x[j]);
  m = warp_max(m);
  for (i64 j = lane; j < cols; j += 32) s += expf(x[j] - m);
  s = warp_sum(s);
  if (lane == 0) loss[r] = logf(s) + (m - x[labels[i]]);
}

// cross_grad is dst[i] = c·scale·(softmax(x[i]) − onehot(labels[i])), c being how often row i is picked: the number of
// positions that ptr lists for it, or 1 without ptr. A warp a row.
extern "C" __global__ void cross_grad(float *dst, const float *x, const int *labels, const int *ptr, i64 rows, i64 cols,
                                      float scale) {
  i64 row = ((i64)blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  if (row >= rows) return;
  int lane = threadIdx.x & 31, c = ptr ? ptr[row + 1] - ptr[row] : 1;
  x += row * cols;
  dst += row * cols;
  if (c == 0) {
    for (i64 j = lane; j < cols; j += 32) dst[j] = 0.f;
    return;
  }
  float m = -__int_as_float(0x7f800000), s = 0.f, k = c * scale;
  for (i64 j = lane; j < cols; j += 32) m = fmaxf(m, x[j]);
  m = warp_max(m);
  for (i64 j = lane; j < cols; j += 32) s += expf(x[j] - m);
  s = warp_sum(s);
  int label = labels[row];
  for (i64 j = lane; j < cols; j += 32) dst[j] = k * (expf(x[j] - m) / s - (j == label ? 1.f : 0.f));
}

// moments are the mean of z + bias over a row and 1/√(variance + ε), in all threads of a warp.
__device__ inline void moments(const float *z, const float *bias, i64 cols, float eps, float &mean, float &inverse) {
  int lane = threadIdx.x & 31;
  float s = 0.f, q = 0.f;
  for (i64 j = lane; j < cols; j += 32) s += z[j] + bias[j];
  mean = warp_sum(s) / cols;
  for (i64 j = lane; j < cols; j += 32) {
    float d = z[j] + bias[j] - mean;
    q += d * d;
  }
  inverse = 1.f / sqrtf(warp_sum(q) / cols + eps);
}

// norm_rows is a warp a row.
extern "C" __global__ void norm_rows(float *dst, const float *z, const float *bias, const float *scale,
                                     const float *shift, i64 rows, i64 cols, float eps, float floor,
                                     int add) {
  i64 row = ((i64)blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  if (row >= rows) return;
  z += row * cols;
  dst += row * cols;
  float mean, inverse;
  moments(z, bias, cols, eps, mean, inverse);
  for (i64 j = threadIdx.x & 31; j < cols; j += 32) {
    float y = (z[j] + bias[j] - mean) * inverse * scale[j] + shift[j];
    if (!(y > floor || y != y)) y = floor; // NaN stays
    dst[j] = add ? dst[j] + y : y;
  }
}

// norm_rows_vjp is dz, and w∘n and w for the sums over rows: a warp a row. dz may be g.
extern "C" __global__ void norm_rows_vjp(float *dz, float *wn, float *w, const float *g, const float *z,
                                         const float *bias, const float *scale, const float *shift, i64 rows, i64 cols,
                                         float eps, float floor) {
  i64 row = ((i64)blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  if (row >= rows) return;
  i64 at = row * cols;
  float mean, inverse, sum = 0.f, product = 0.f;
  moments(z + at, bias, cols, eps, mean, inverse);
  for (i64 j = threadIdx.x & 31; j < cols; j += 32) {
    float n = (z[at + j] + bias[j] - mean) * inverse;
    float a = n * scale[j] + shift[j] > floor ? g[at + j] * scale[j] : 0.f;
    sum += a;
    product += a * n;
  }
  sum = warp_sum(sum) / cols;
  product = warp_sum(product) / cols;
  for (i64 j = threadIdx.x & 31; j < cols; j += 32) {
    float n = (z[at + j] + bias[j] - mean) * inverse;
    float v = n * scale[j] + shift[j] > floor ? g[at + j] : 0.f;
    wn[at + j] = v * n;
    w[at + j] = v;
    dz[at + j] = (v * scale[j] - sum - n * product) * inverse;
  }
}
