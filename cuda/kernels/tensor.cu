// arch compute_80
// Products of dense matrices on tensor cores, with the accuracy of float32: a number is the sum of two that the cores take,
// x = hi + lo, and x·y is hi·hi + hi·lo + lo·hi. Cores cut sums off instead of rounding them, so they add up BK terms only.
#include "common.cuh"

#define BM 128
#define BN 64
#define BK 32
#define STAGES 3
#define THREADS 256

// A tile lies in shared memory as in its matrix, so that it is copied in pieces of 16 bytes: rows of BK numbers, or BK rows
// of a tile's width where the matrix is read across. Rows are that much longer than eight rows are in eight banks.
template <int B, bool ACROSS> struct Tile {
  static const int stride = ACROSS ? B + 8 : BK + 4, size = ACROSS ? BK * (B + 8) : B * (BK + 4);
  static __device__ inline float at(const float *s, int m, int k) { return ACROSS ? s[k * stride + m] : s[m * stride + k]; }

  // fetch asks for the tile of rows m0… below m1 and columns k0… below k1, with zeros outside.
  static __device__ inline void fetch(float *s, const float *a, i64 ld, i64 m0, i64 m1, i64 k0, i64 k1) {
#pragma unroll
    for (int i = 0; i < B * BK / 4 / THREADS; i++) {
      int c = i * THREADS + threadIdx.x;
      int m = ACROSS ? c % (B / 4) * 4 : c / (BK / 4), k = ACROSS ? c / (B / 4) : c % (BK / 4) * 4;
      bool in = m0 + m < m1 && k0 + k < k1;
      const float *from = in ? a + (ACROSS ? (k0 + k) * ld + m0 + m : (m0 + m) * ld + k0 + k) : a;
      u32 to = (u32)__cvta_generic_to_shared(s + (ACROSS ? k * stride + m : m * stride + k));
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(in ? 16 : 0));
    }
  }
};

// cut is x = hi + lo.
__device__ inline void cut(float x, u32 &hi, u32 &lo) {
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(hi) : "f"(x));
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(lo) : "f"(x - __uint_as_float(hi)));
}

__device__ inline void mma(float (&c)[4], const u32 (&a)[4], const u32 (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// slab adds the product of two tiles to acc, 32×32 numbers of a warp.
template <class A, class B> __device__ inline void slab(float (&acc)[2][4][4], const float *as, const float *bs, int m, int n) {
  int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  float part[2][4][4] = {};
#pragma unroll
  for (int k = 0; k < BK; k += 8) {
    u32 ah[2][4], al[2][4], bh[4][2], bl[4][2];
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
      for (int q = 0; q < 4; q++) cut(A::at(as, m + i * 16 + g + q % 2 * 8, k + t + q / 2 * 4), ah[i][q], al[i][q]);
#pragma unroll
    for (int j = 0; j < 4; j++)
#pragma unroll
      for (int q = 0; q < 2; q++) cut(B::at(bs, n + j * 8 + g, k + t + q * 4), bh[j][q], bl[j][q]);
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
      for (int j = 0; j < 4; j++) mma(part[i][j], al[i], bh[j]);
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
      for (int j = 0; j < 4; j++) mma(part[i][j], ah[i], bl[j]);
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
      for (int j = 0; j < 4; j++) mma(part[i][j], ah[i], bh[j]);
  }
#pragma unroll
  for (int i = 0; i < 2; i++)
#pragma unroll
    for (int j = 0; j < 4; j++)
#pragma unroll
      for (int q = 0; q < 4; q++) acc[i][j][q] += part[i][j][q];
}

// product is the part blockIdx.z, of per terms, of C = op(A)·op(B), or α times it plus β·C where it is all.
template <bool TA, bool TB>
__device__ inline void product(float *c, const float *a, const float *b, int m, int n, int k, i64 lda, i64 ldb,
                               float alpha, float beta, int per) {
  typedef Tile<BM, TA> A;
  typedef Tile<BN, !TB> B;
  extern __shared__ __align__(16) float room[];
  i64 n0 = (i64)blockIdx.x * BN, m0 = (i64)blockIdx.y * BM, k0 = (i64)blockIdx.z * per, k1 = k0 + per < k ? k0 + per : k;
  int slabs = (int)((k1 - k0 + BK - 1) / BK), warp = threadIdx.x / 32, wm = warp % 4 * 32, wn = warp / 4 * 32;
  auto fetch = [&](int s) {
    if (s < slabs) {
      float *at = room + s % STAGES * (A::size + B::size);
      A::fetch(at, a, lda, m0, m, k0 + (i64)s * BK, k1);
      B::fetch(at + A::size, b, ldb, n0, n, k0 + (i64)s * BK, k1);
    }
    asm volatile("cp.async.commit_group;");
  };
  for (int s = 0; s < STAGES - 1; s++) fetch(s);
  float acc[2][4][4] = {};
  for (int s = 0; s < slabs; s++) {
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2));
    __syncthreads();
    fetch(s + STAGES - 1);
    const float *at = room + s % STAGES * (A::size + B::size);
    slab<A, B>(acc, at, at + A::size, wm, wn);
  }
  c += (i64)blockIdx.z * m * n;
#pragma unroll
  for (int i = 0; i < 2; i++)
#pragma unroll
    for (int j = 0; j < 4; j++)
#pragma unroll
      for (int q = 0; q < 4; q++) {
        i64 r = m0 + wm + i * 16 + threadIdx.x % 32 / 4 + q / 2 * 8, s = n0 + wn + j * 8 + threadIdx.x % 4 * 2 + q % 2;
        if (r < m && s < n) {
          float *at = c + r * n + s;
          *at = beta == 0.f ? alpha * acc[i][j][q] : alpha * acc[i][j][q] + beta * *at;
        }
      }
}

#define TENSOR(name, TA, TB)                                                                                     \
  extern "C" __global__ void __launch_bounds__(THREADS, 2)                                                       \
  name(float *c, const float *a, const float *b, int m, int n, int k, i64 lda, i64 ldb, float alpha, float beta, \
       int per) {                                                                                                \
    product<TA, TB>(c, a, b, m, n, k, lda, ldb, alpha, beta, per);                                               \
  }
TENSOR(tensor_nn, false, false)
TENSOR(tensor_tn, true, false)
TENSOR(tensor_nt, false, true)
TENSOR(tensor_tt, true, true)
