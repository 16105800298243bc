// The entries of a list by key, those of one key in their order: digit by digit from the last, each in three kernels.
// A block takes CHUNK entries; how many there are decides alone what goes where.
#include "common.cuh"

#define THREADS 256
#define CHUNK 1024
#define DIGITS 256
#define WARPS (THREADS / 32)

// sort_count is counts[digit·blocks + block]: how many entries of a chunk have a digit.
extern "C" __global__ void __launch_bounds__(THREADS)
sort_count(int *counts, const int *key, int n, int shift, int mask) {
  __shared__ int seen[DIGITS];
  seen[threadIdx.x] = 0;
  __syncthreads();
  int lo = blockIdx.x * CHUNK, hi = min(n, lo + CHUNK);
  for (int e = lo + threadIdx.x; e < hi; e += THREADS) atomicAdd(seen + (key[e] >> shift & mask), 1);
  __syncthreads();
  if ((int)threadIdx.x <= mask) counts[threadIdx.x * gridDim.x + blockIdx.x] = seen[threadIdx.x];
}

// before is the sum of v over the threads before this one, in a block of 1024; the sum over all goes to total.
__device__ inline int before(int v, int &total) {
  __shared__ int part[32];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, sum = v;
#pragma unroll
  for (int o = 1; o < 32; o <<= 1) {
    int other = __shfl_up_sync(ALL, sum, o);
    if (lane >= o) sum += other;
  }
  __syncthreads();
  if (lane == 31) part[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    int w = part[lane];
#pragma unroll
    for (int o = 1; o < 32; o <<= 1) {
      int other = __shfl_up_sync(ALL, w, o);
      if (lane >= o) w += other;
    }
    part[lane] = w;
  }
  __syncthreads();
  total = part[31];
  return sum - v + (warp ? part[warp - 1] : 0);
}

// sort_places makes every number of counts the sum of those before it: one block of 1024 threads.
extern "C" __global__ void __launch_bounds__(1024) sort_places(int *counts, int n) {
  int per = (n + 1023) / 1024, lo = min(n, (int)threadIdx.x * per), hi = min(n, lo + per), sum = 0, all;
  for (int i = lo; i < hi; i++) sum += counts[i];
  int at = before(sum, all);
  for (int i = lo; i < hi; i++) {
    int here = counts[i];
    counts[i] = at;
    at += here;
  }
}

// sort_move puts keys and numbers of entries where sort_places says, those of one digit in their order. Without number,
// entry e has the number e.
extern "C" __global__ void __launch_bounds__(THREADS)
sort_move(int *to_key, int *to_number, const int *key, const int *number, const int *places, int n, int shift, int mask) {
  __shared__ int next[DIGITS], of_warp[WARPS][DIGITS];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, lo = blockIdx.x * CHUNK;
  if ((int)threadIdx.x <= mask) next[threadIdx.x] = places[threadIdx.x * gridDim.x + blockIdx.x];
  for (int first = lo; first < min(n, lo + CHUNK); first += THREADS) {
    for (int w = 0; w < WARPS; w++) of_warp[w][threadIdx.x] = 0;
    __syncthreads();
    int e = first + threadIdx.x, k = e < n ? key[e] : 0, digit = e < n ? k >> shift & mask : DIGITS;
    u32 same = __match_any_sync(ALL, digit);
    int rank = __popc(same & ((1u << lane) - 1));
    if (e < n && rank == 0) of_warp[warp][digit] = __popc(same);
    __syncthreads();
    int at = next[threadIdx.x]; // a thread for each digit
    for (int w = 0; w < WARPS; w++) {
      int here = of_warp[w][threadIdx.x];
      of_warp[w][threadIdx.x] = at;
      at += here;
    }
    next[threadIdx.x] = at;
    __syncthreads();
    if (e < n) {
      at = of_warp[warp][digit] + rank;
      to_key[at] = k;
      to_number[at] = number ? number[e] : e;
    }
    __syncthreads();
  }
}

// sort_first is ptr[k] ← the first of n sorted entries whose key is k or more, for 0 ≤ k ≤ rows.
extern "C" __global__ void sort_first(int *ptr, const int *key, int n, int rows) {
  EACH(k, rows + 1) {
    int lo = 0, hi = n;
    while (lo < hi) {
      int mid = (lo + hi) / 2;
      if (key[mid] < k) lo = mid + 1;
      else hi = mid;
    }
    ptr[k] = lo;
  }
}

// sort_take is idx[i] ← from[e] and edge[i] ← with[e] for the entry e = number[i], which is i without number; e itself
// where there is nothing to take from.
extern "C" __global__ void sort_take(int *idx, int *edge, const int *number, const int *from, const int *with, int n) {
  EACH(i, n) {
    int e = number ? number[i] : i;
    idx[i] = from ? from[e] : e;
    if (edge) edge[i] = with ? with[e] : e;
  }
}

// sort_long lists the rows of more than `most` entries, after their number: one block of 1024 threads.
extern "C" __global__ void __launch_bounds__(1024) sort_long(int *longs, const int *ptr, int rows, int most) {
  int per = (rows + 1023) / 1024, lo = min(rows, (int)threadIdx.x * per), hi = min(rows, lo + per), sum = 0, all;
  for (int r = lo; r < hi; r++) sum += ptr[r + 1] - ptr[r] > most;
  int at = before(sum, all);
  for (int r = lo; r < hi; r++)
    if (ptr[r + 1] - ptr[r] > most) longs[1 + at++] = r;
  if (threadIdx.x == 0) longs[0] = all;
}
