// What all kernels share. Sums run in an order that depends on shapes alone, and no kernel adds floating-point numbers
// atomically, so that the same numbers give the same bits.
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

// EACH is a loop over 0 ≤ i < n shared by all threads of the grid.
#define EACH(i, n) for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += (i64)gridDim.x * blockDim.x)

#define ALL 0xffffffffu

// Four numbers, as memory moves them best. QUADS is EACH over the groups of four among n numbers, REST over what is left.
struct Four { float v[4]; };
#define QUADS(i, n) for (i64 i = 4 * ((i64)blockIdx.x * blockDim.x + threadIdx.x); i + 3 < (n); i += 4 * (i64)gridDim.x * blockDim.x)
#define REST(i, n) for (i64 i = (n) / 4 * 4 + (i64)blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += (i64)gridDim.x * blockDim.x)
#define OF4(k) _Pragma("unroll") for (int k = 0; k < 4; k++)
__device__ inline Four read4(const float *p) {
  float4 q = *(const float4 *)p;
  return {{q.x, q.y, q.z, q.w}};
}
__device__ inline void write4(float *p, const Four &x) { *(float4 *)p = make_float4(x.v[0], x.v[1], x.v[2], x.v[3]); }

// quotient is i / d, with the fast division where both are small.
__device__ inline i64 quotient(i64 i, i64 d) {
  return (u64)i < 0xffffffffull && (u64)d < 0xffffffffull ? (i64)((u32)i / (u32)d) : i / d;
}

// warp_sum is the sum over the 32 threads of a warp, in all of them.
__device__ inline float warp_sum(float v) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(ALL, v, o);
  return v;
}

// warp_max is the largest number of a warp; a NaN counts as none.
__device__ inline float warp_max(float v) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(ALL, v, o));
  return v;
}

// block_sum is the sum over a block of up to 1024 threads, in thread 0.
__device__ inline float block_sum(float v) {
  __shared__ float part[32];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  v = warp_sum(v);
  __syncthreads();
  if (lane == 0) part[warp] = v;
  __syncthreads();
  v = threadIdx.x < (blockDim.x >> 5) ? part[threadIdx.x] : 0.f;
  return warp == 0 ? warp_sum(v) : 0.f;
}

// relu is max(x, 0) that keeps a NaN.
__device__ inline float relu(float x) { return x > 0.f || x != x ? x : 0.f; }

// mix derives a seed from a seed and a counter: kernel.Mix of the CPU.
__device__ inline u64 splitmix(u64 z) {
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}
__device__ inline u64 mix(u64 seed, u64 counter) {
  const u64 gamma = 0x9e3779b97f4a7c15ull;
  return splitmix(splitmix(seed + gamma) + gamma * (counter + 1));
}
