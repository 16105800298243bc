// Products of dense matrices, in float32 throughout.
#include "common.cuh"

// A tile of BM×BN numbers of C by (BM/TM)·(BN/TN) threads, BK of the inner dimension at a time.
#define BK 16

// fetch copies a tile of rows×BK numbers of op(A) to shared memory, transposed: to[k][m]. A is rows×inner with leading
// dimension ld, or its transpose where T is set. What is outside is 0.
template <int B, bool T, int N>
__device__ inline void fetch(float (&to)[BK][B + 4], const float *a, i64 ld, i64 m0, i64 m1, i64 k0, i64 k1) {
  for (int i = threadIdx.x; i < B * BK; i += N) {
    int m = T ? i % B : i / BK, k = T ? i / B : i % BK;
    i64 r = m0 + m, c = k0 + k;
    to[k][m] = r < m1 && c < k1 ? __ldg(T ? a + c * ld + r : a + r * ld + c) : 0.f;
  }
}

// product is the part k0 ≤ k < k1 of C = op(A)·op(B), or α times it plus β·C where it is all.
template <int BM, int BN, int TM, int TN, bool TA, bool TB>
__device__ inline void product(float *c, const float *a, const float *b, int m, int n, int k, i64 lda, i64 ldb,
                               float alpha, float beta, int per) {
  const int N = (BM / TM) * (BN / TN);
  __shared__ float as[BK][BM + 4], bs[BK][BN + 4];
  int tx = threadIdx.x % (BN / TN), ty = threadIdx.x / (BN / TN);
  i64 m0 = (i64)blockIdx.x * BM, n0 = (i64)blockIdx.y * BN, k0 = (i64)blockIdx.z * per, k1 = k0 + per < k ? k0 + per : k;
  float acc[TM][TN] = {};
  for (i64 p = k0; p < k1; p += BK) {
    fetch<BM, TA, N>(as, a, lda, m0, m, p, k1);
    fetch<BN, !TB, N>(bs, b, ldb, n0, n, p, k1);
    __syncthreads();
#pragma unroll
    for (int q = 0; q < BK; q++) {
      float x[TM], y[TN];
#pragma unroll
      for (int i = 0; i < TM; i++) x[i] = as[q][ty * TM + i];
#pragma unroll
      for (int j = 0; j < TN; j++) y[j] = bs[q][tx * TN + j];
#pragma unroll
      for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j++) acc[i][j] += x[i] * y[j];
    }
    __syncthreads();
  }
  c += (i64)blockIdx.z * m * n;
#pragma unroll
  for (int i = 0; i < TM; i++) {
    i64 r = m0 + ty * TM + i;
#pragma unroll
    for (int j = 0; j < TN; j++) {
      i64 s = n0 + tx * TN + j;
      if (r < m && s < n) {
        float *at = c + r * n + s;
        *at = beta == 0.f ? alpha * acc[i][j] : alpha * acc[i][j] + beta * *at;
      }
    }
  }
}

#define GEMM(name, BM, BN, TM, TN, TA, TB)                                                                      \
  extern "C" __global__ void __launch_bounds__((BM / TM) * (BN / TN))                                           \
  name(float *c, const float *a, const float *b, int m, int n, int k, i64 lda, i64 ldb, float alpha, float beta, \
       int per) {                                                                                               \
    product<BM, BN, TM, TN, TA, TB>(c, a, b, m, n, k, lda, ldb, alpha, beta, per);                              \
  }
GEMM(gemm_large_nn, 128, 128, 8, 8, false, false)
GEMM(gemm_large_tn, 128, 128, 8, 8, true, false)
GEMM(gemm_large_nt, 128, 128, 8, 8, false, true)
GEMM(gemm_large_tt, 128, 128, 8, 8, true, true)
GEMM(gemm_small_nn, 64, 32, 4, 4, false, false)
GEMM(gemm_small_tn, 64, 32, 4, 4, true, false)
GEMM(gemm_small_nt, 64, 32, 4, 4, false, true)
GEMM(gemm_small_tt, 64, 32, 4, 4, true, true)

// gemm_parts is C = α·(sum of its parts, in order) + β·C.
extern "C" __global__ void gemm_parts(float *c, const float *part, i64 n, int parts, float alpha, float beta) {
  EACH(i, n) {
    float s = 0.f;
    for (int k = 0; k < parts; k++) s += part[k * n + i];
    c[i] = beta == 0.f ? alpha * s : alpha * s + beta * c[i];
  }
}

// group_of is the group of row r: the last g with bounds[g] ≤ r that has rows.
__device__ inline int group_of(const int *bounds, int groups, int r) {
  int lo = 0, hi = groups;
  while (hi - lo > 1) {
    int mid = (lo + hi) / 2;
    if (bounds[mid] <= r) lo = mid;
    else hi = mid;
  }
  return lo;
}

// group_rows is c[i,:] = a[i,:]·op(B_g) + β·c[i,:] for row i of group g: a number a thread.
extern "C" __global__ void group_rows(float *c, const float *a, const float *b, const int *bounds, int groups, i64 rows,
                                      int n, int k, int transposed, float beta) {
  EACH(at, rows *n) {
    i64 i = quotient(at, n);
    int j = at - i * n;
    const float *x = a + i * k, *y = b + (i64)group_of(bounds, groups, i) * k * n;
    float s = 0.f;
    for (int p = 0; p < k; p++) s += x[p] * (transposed ? y[(i64)j * k + p] : y[(i64)p * n + j]);
    c[at] = beta == 0.f ? s : s + beta * c[at];
  }
}

// group_inner is C_g = A_gᵀ·B_g + β·C_g: a warp a number.
extern "C" __global__ void group_inner(float *c, const float *a, const float *b, const int *bounds, i64 count, int n,
                                       int k, float beta) {
  i64 at = ((i64)blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  if (at >= count) return;
  i64 row = at / n;
  int j = at - row * n, g = row / k, i = row - (i64)g * k;
  float s = 0.f;
  for (i64 r = bounds[g] + (threadIdx.x & 31); r < bounds[g + 1]; r += 32) s += a[r * k + i] * b[r * n + j];
  s = warp_sum(s);
  if ((threadIdx.x & 31) == 0) c[at] = beta == 0.f ? s : s + beta * c[at];
}
