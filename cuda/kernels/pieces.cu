// Numbers of 32 bits as sums of numbers of 16, which tensor cores multiply fastest:
// x = x₁ + x₂ + x₃, where x₁ is the bf16 next to x, x₂ the one next to x − x₁, and x₃ the one next to what is left.
#include "common.cuh"

// nearest is the bf16 next to x, the even one of two; not for NaN.
__device__ inline u32 nearest(float x) {
  u32 u = __float_as_uint(x);
  return (u + 0x7fffu + (u >> 16 & 1u)) >> 16;
}

// cut is the three pieces of x. A number that is not finite, or whose first piece would not be, has one.
__device__ inline void cut(float x, u32 (&p)[3]) {
  if (!(fabsf(x) < 3.3895314e38f)) {
    p[0] = x != x ? 0x7fc0u : __float_as_uint(x) >> 31 ? 0xff80u : 0x7f80u;
    p[1] = p[2] = 0;
    return;
  }
#pragma unroll
  for (int i = 0; i < 3; i++) {
    p[i] = nearest(x);
    x -= __uint_as_float(p[i] << 16);
  }
}

// four is x[c…c+3] of a row of cols numbers, with zeros past its end.
__device__ inline Four four(const float *x, i64 c, i64 cols) {
  if (cols % 4 == 0) return read4(x + c);
  Four v;
  OF4(q) v.v[q] = c + q < cols ? x[c + q] : 0.f;
  return v;
}

// pieces lays the numbers of a matrix of rows×cols out for sums over one of its sides, whose terms are `per` with zeros past
// the end and have a piece in every slot: slot s takes piece (order >> 2s) & 3. Four columns a thread.
//
//	across: the sum is over columns; out is rows × (slots, per)
//	else:   the sum is over rows;    out is (slots, per) × ld
extern "C" __global__ void pieces(unsigned short *out, const float *x, i64 rows, i64 cols, i64 ld, int across, int slots,
                                  i64 per, u32 order) {
  i64 wide = across ? per / 4 : (cols + 3) / 4, high = across ? rows : per;
  EACH(i, wide * high) {
    i64 r = quotient(i, wide), c = 4 * (i - r * wide);
    u32 p[4][3] = {};
    if (r < rows && c < cols) {
      Four v = four(x + r * cols, c, cols);
      OF4(q) cut(v.v[q], p[q]);
    }
    for (int s = 0; s < slots; s++) {
      int which = order >> 2 * s & 3;
      u32 w[4];
      OF4(q) w[q] = which == 0 ? p[q][0] : which == 1 ? p[q][1] : p[q][2];
      i64 at = across ? (r * slots + s) * per + c : (s * per + r) * ld + c;
      *(uint2 *)(out + at) = make_uint2(w[0] | w[1] << 16, w[2] | w[3] << 16);
    }
  }
}
