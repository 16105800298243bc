//go:build amd64 && !noasm && !f64

#include "textflag.h"

// Sums of rows of bf16. 32 columns are 16 pairs: column j is the lower half of pair j, column 16+j the upper half, so
// that a shift and a mask make two vectors of float32 with their columns in order.

// vcvtne2ps2bf16 %zmm0,%zmm1,%zmm0
#define NARROW_01 BYTE $0x62; BYTE $0xF2; BYTE $0x77; BYTE $0x48; BYTE $0x72; BYTE $0xC0

// HALVES makes the masks K1 and K2 of the first n ≤ 32 columns of 16 pairs; it destroys n.
#define HALVES(n) \
	MOVQ  $-1, BX;    \
	BZHIQ n, BX, BX;  \
	KMOVW BX, K1;     \
	SHRQ  $16, BX;    \
	KMOVW BX, K2

// halvesOrder interleaves two halves of 16 words.
DATA halvesOrder<>+0(SB)/8, $0x0011000100100000
DATA halvesOrder<>+8(SB)/8, $0x0013000300120002
DATA halvesOrder<>+16(SB)/8, $0x0015000500140004
DATA halvesOrder<>+24(SB)/8, $0x0017000700160006
DATA halvesOrder<>+32(SB)/8, $0x0019000900180008
DATA halvesOrder<>+40(SB)/8, $0x001B000B001A000A
DATA halvesOrder<>+48(SB)/8, $0x001D000D001C000C
DATA halvesOrder<>+56(SB)/8, $0x001F000F001E000E
GLOBL halvesOrder<>(SB), RODATA|NOPTR, $64

// The bodies below have in DI the row of dst, in SI x, in R8 its stride, in R9 ptr of the row, in R10 idx, in R11 the
// rows left, in R12 the entry and in R13 the end of the row as addresses in idx, in CX scale of the row or 0; in DX
// val, in R14 the same relative to idx, in R15 edge relative to idx or 0; in Z31 the mask of upper halves, in Z29 the
// factor of the row, in Z30 the value of the entry; in K1 and K2 the columns of the last 16 pairs, in K3 all.
#define BEGIN \
	MOVQ  dst+0(FP), DI;            \
	MOVQ  x+8(FP), SI;              \
	MOVQ  val+16(FP), DX;           \
	MOVQ  scale+24(FP), CX;         \
	MOVQ  ptr+32(FP), R9;           \
	MOVQ  idx+40(FP), R10;          \
	MOVQ  edge+48(FP), R15;         \
	MOVQ  rows+64(FP), R11;         \
	MOVQ  stride+80(FP), R8;        \
	MOVQ  tail+88(FP), AX;          \
	HALVES(AX);                     \
	KXNORW K3, K3, K3;              \
	MOVQ  DX, R14;                  \
	SUBQ  R10, R14;                 \
	MOVQ  R15, BX;                  \
	SUBQ  R10, BX;                  \
	TESTQ R15, R15;                 \
	CMOVQNE BX, R15;                \
	MOVL  $0xFFFF0000, BX;          \
	VPBROADCASTD BX, Z31

// prefetchw (%rdi,%rax,1), 64(%rdi,%rax,1)
#define FETCHW_TWO \
	BYTE $0x0F; BYTE $0x0D; BYTE $0x0C; BYTE $0x07; \
	BYTE $0x0F; BYTE $0x0D; BYTE $0x4C; BYTE $0x07; BYTE $0x40

// ROW finds the entries of the row, and Z29 = α·scale, 0 for an empty one.
#define ROW \
	MOVQ   (R9), R12;               \
	MOVQ   8(R9), R13;              \
	LEAQ   (R10)(R12*4), R12;       \
	LEAQ   (R10)(R13*4), R13;       \
	VPXORD Z29, Z29, Z29

#define FACTOR \
	VBROADCASTSS alpha+96(FP), Z29; \
	TESTQ CX, CX;                   \
	JZ    entries;                  \
	VMULPS.BCST (CX), Z29, Z29

// NEXT goes to the next row.
#define NEXT \
	ADDQ  dstStride+72(FP), DI;     \
	ADDQ  $8, R9;                   \
	LEAQ  4(CX), BX;                \
	TESTQ CX, CX;                   \
	CMOVQNE BX, CX;                 \
	DECQ  R11;                      \
	JNZ   row;                      \
	VZEROUPPER

// AT finds row idx of x at SI + AX; n is the distance of the entry in bytes.
#define AT(n) \
	MOVLQSX n(R12), AX;             \
	IMULQ   R8, AX

// SPREAD makes float32 of 16 pairs.
#define SPREAD(off) \
	VPSLLD $16, off(SI)(AX*1), Z16;  \
	VPANDD off(SI)(AX*1), Z31, Z17

#define ADD(off, lo, hi) \
	SPREAD(off);                    \
	VADDPS Z16, lo, lo;             \
	VADDPS Z17, hi, hi

#define FMA(off, lo, hi) \
	SPREAD(off);                    \
	VFMADD231PS Z16, Z30, lo;       \
	VFMADD231PS Z17, Z30, hi

// FETCH asks for two lines of the row of x of a later entry, or of the last one.
#define FETCH(ahead, line) \
	LEAQ       ahead(R12), BX;      \
	CMPQ       BX, last+56(FP);     \
	CMOVQHI    last+56(FP), BX;     \
	MOVLQSX    (BX), BX;            \
	IMULQ      R8, BX;              \
	PREFETCHT2 line(SI)(BX*1);      \
	PREFETCHT2 line+64(SI)(BX*1)

// AHEAD asks for the row of x of the entry n bytes further.
#define AHEAD(n) \
	MOVLQSX    n(R12), BX;          \
	IMULQ      R8, BX;              \
	PREFETCHT0 (SI)(BX*1)

// BETA leaves the flags of β = 0, and β in Z28.
#define BETA \
	VBROADCASTSS beta+100(FP), Z28; \
	MOVL  beta+100(FP), BX;         \
	ADDL  BX, BX

#define SCALE(lo, hi) \
	VMULPS Z29, lo, lo;             \
	VMULPS Z29, hi, hi

#define OLD(off, lo, hi, k, l) \
	VMOVUPS.Z   off(DI), k, Z16;    \
	VMOVUPS.Z   off+64(DI), l, Z17; \
	VFMADD231PS Z16, Z28, lo;       \
	VFMADD231PS Z17, Z28, hi

#define STORE(off, lo, hi, k, l) \
	VMOVUPS lo, k, off(DI);         \
	VMOVUPS hi, l, off+64(DI)

#define CLEAR(lo, hi) \
	VPXORD lo, lo, lo;              \
	VPXORD hi, hi, hi

#define ALL(do) \
	do(0, Z0, Z1);     \
	do(64, Z2, Z3);    \
	do(128, Z4, Z5);   \
	do(192, Z6, Z7);   \
	do(256, Z8, Z9);   \
	do(320, Z10, Z11); \
	do(384, Z12, Z13); \
	do(448, Z14, Z15)

#define EACH(do) \
	do(Z0, Z1);   \
	do(Z2, Z3);   \
	do(Z4, Z5);   \
	do(Z6, Z7);   \
	do(Z8, Z9);   \
	do(Z10, Z11); \
	do(Z12, Z13); \
	do(Z14, Z15)

#define MASKED(do) \
	do(0, Z0, Z1, K3, K3);     \
	do(128, Z2, Z3, K3, K3);   \
	do(256, Z4, Z5, K3, K3);   \
	do(384, Z6, Z7, K3, K3);   \
	do(512, Z8, Z9, K3, K3);   \
	do(640, Z10, Z11, K3, K3); \
	do(768, Z12, Z13, K3, K3); \
	do(896, Z14, Z15, K1, K2)

// func bf16HalvesAVX512(dst, x *float32, rows, ldd, ldx, cols, step int)
TEXT ·bf16HalvesAVX512(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ rows+16(FP), CX
	MOVQ ldd+24(FP), R8
	MOVQ ldx+32(FP), R9
	MOVQ step+48(FP), R12
	SHLQ $2, R8
	SHLQ $2, R9
	SHLQ $2, R12
	VMOVDQU32 halvesOrder<>(SB), Z3

row:
	MOVQ SI, R10
	MOVQ DI, R11
	MOVQ cols+40(FP), DX

block:
	CMPQ DX, $32
	JL   part
	VMOVUPS   (R10), Z0
	VMOVUPS   64(R10), Z1
	NARROW_01
	VPERMW    Z0, Z3, Z0
	VMOVDQU32 Z0, (R11)
	ADDQ $128, R10
	ADDQ R12, R11
	SUBQ $32, DX
	JNZ  block
	JMP  next

part:
	HALVES(DX)
	VMOVUPS.Z (R10), K1, Z0
	VMOVUPS.Z 64(R10), K2, Z1
	NARROW_01
	VPERMW    Z0, Z3, Z0
	VMOVDQU32 Z0, (R11)

next:
	ADDQ R9, SI
	ADDQ R8, DI
	DECQ CX
	JNZ  row
	VZEROUPPER
	RET

// func spmmHalves1AVX512(dst, x, val, scale *float32, ptr *int64, idx, edge, last *int32,
//	rows, dstStride, stride, tail int, alpha, beta float32)
TEXT ·spmmHalves1AVX512(SB), NOSPLIT, $0-104
	BEGIN

row:
	ROW
	MOVQ dstStride+72(FP), AX
	ADDQ AX, AX
	FETCHW_TWO               // dst of two rows later
	CLEAR(Z0, Z1)
	CLEAR(Z2, Z3)
	CMPQ R12, R13
	JAE  finish
	FACTOR

entries:
	TESTQ DX, DX
	JNZ   weighted

	LEAQ 80(R13), BX
	CMPQ BX, last+56(FP)
	JA   two

four:
	LEAQ 16(R12), BX
	CMPQ BX, R13
	JA   two
	AHEAD(64)
	AHEAD(68)
	AHEAD(72)
	AHEAD(76)
	AT(0)
	ADD(0, Z0, Z1)
	AT(4)
	ADD(0, Z2, Z3)
	AT(8)
	ADD(0, Z0, Z1)
	AT(12)
	ADD(0, Z2, Z3)
	ADDQ $16, R12
	JMP  four

two:
	LEAQ 8(R12), BX
	CMPQ BX, R13
	JA   one
	AT(0)
	ADD(0, Z0, Z1)
	AT(4)
	ADD(0, Z2, Z3)
	ADDQ $8, R12
	JMP  two

one:
	CMPQ R12, R13
	JAE  join
	AT(0)
	ADD(0, Z0, Z1)

join:
	VADDPS Z2, Z0, Z0
	VADDPS Z3, Z1, Z1
	JMP    finish

weighted:
	AT(0)
	TESTQ R15, R15
	JZ    own
	MOVLQSX (R15)(R12*1), BX
	VBROADCASTSS (DX)(BX*4), Z30
	JMP   have

own:
	VBROADCASTSS (R14)(R12*1), Z30

have:
	FMA(0, Z0, Z1)
	ADDQ $4, R12
	CMPQ R12, R13
	JB   weighted

finish:
	SCALE(Z0, Z1)
	BETA
	JZ store
	OLD(0, Z0, Z1, K1, K2)

store:
	STORE(0, Z0, Z1, K1, K2)
	NEXT
	RET

// func spmmHalves8AVX512(dst, x, val, scale *float32, ptr *int64, idx, edge, last *int32,
//	rows, dstStride, stride, tail int, alpha, beta float32)
TEXT ·spmmHalves8AVX512(SB), NOSPLIT, $0-104
	BEGIN

row:
	ROW
	EACH(CLEAR)
	CMPQ R12, R13
	JAE  finish
	FACTOR

entries:
	TESTQ DX, DX
	JNZ   weighted

one:
	FETCH(48, 0)
	FETCH(32, 128)
	FETCH(24, 256)
	FETCH(16, 384)
	AT(0)
	ALL(ADD)
	ADDQ $4, R12
	CMPQ R12, R13
	JB   one
	JMP  finish

weighted:
	FETCH(48, 0)
	FETCH(32, 128)
	FETCH(24, 256)
	FETCH(16, 384)
	AT(0)
	TESTQ R15, R15
	JZ    own
	MOVLQSX (R15)(R12*1), BX
	VBROADCASTSS (DX)(BX*4), Z30
	JMP   have

own:
	VBROADCASTSS (R14)(R12*1), Z30

have:
	ALL(FMA)
	ADDQ $4, R12
	CMPQ R12, R13
	JB   weighted

finish:
	EACH(SCALE)
	BETA
	JZ store
	MASKED(OLD)

store:
	MASKED(STORE)
	NEXT
	RET
