//go:build amd64 && !noasm && !f64

#include "textflag.h"

// Products of bf16. Go's assembler does not know the instructions; the comments have them as GNU's writes them.

// ldtilecfg (%rax)
#define LDTILECFG_AX BYTE $0xC4; BYTE $0xE2; BYTE $0x78; BYTE $0x49; BYTE $0x00
// tilerelease
#define TILERELEASE BYTE $0xC4; BYTE $0xE2; BYTE $0x78; BYTE $0x49; BYTE $0xC0
// tilezero %tmm0
#define TILEZERO_0 BYTE $0xC4; BYTE $0xE2; BYTE $0x7B; BYTE $0x49; BYTE $0xC0
// tilezero %tmm1
#define TILEZERO_1 BYTE $0xC4; BYTE $0xE2; BYTE $0x7B; BYTE $0x49; BYTE $0xC8
// tilezero %tmm2
#define TILEZERO_2 BYTE $0xC4; BYTE $0xE2; BYTE $0x7B; BYTE $0x49; BYTE $0xD0
// tilezero %tmm3
#define TILEZERO_3 BYTE $0xC4; BYTE $0xE2; BYTE $0x7B; BYTE $0x49; BYTE $0xD8
// tileloadd (%r11,%r8,1),%tmm4
#define TILELOAD_A0 BYTE $0xC4; BYTE $0x82; BYTE $0x7B; BYTE $0x4B; BYTE $0x24; BYTE $0x03
// tileloadd (%r12,%r8,1),%tmm5
#define TILELOAD_A1 BYTE $0xC4; BYTE $0x82; BYTE $0x7B; BYTE $0x4B; BYTE $0x2C; BYTE $0x04
// tileloadd 0x0(%r13,%r10,1),%tmm6
#define TILELOAD_B0 BYTE $0xC4; BYTE $0x82; BYTE $0x7B; BYTE $0x4B; BYTE $0x74; BYTE $0x15; BYTE $0x00
// tileloadd 0x40(%r13,%r10,1),%tmm7
#define TILELOAD_B1 BYTE $0xC4; BYTE $0x82; BYTE $0x7B; BYTE $0x4B; BYTE $0x7C; BYTE $0x15; BYTE $0x40
// tdpbf16ps %tmm6,%tmm4,%tmm0
#define TDP_A0B0 BYTE $0xC4; BYTE $0xE2; BYTE $0x4A; BYTE $0x5C; BYTE $0xC4
// tdpbf16ps %tmm7,%tmm4,%tmm1
#define TDP_A0B1 BYTE $0xC4; BYTE $0xE2; BYTE $0x42; BYTE $0x5C; BYTE $0xCC
// tdpbf16ps %tmm6,%tmm5,%tmm2
#define TDP_A1B0 BYTE $0xC4; BYTE $0xE2; BYTE $0x4A; BYTE $0x5C; BYTE $0xD5
// tdpbf16ps %tmm7,%tmm5,%tmm3
#define TDP_A1B1 BYTE $0xC4; BYTE $0xE2; BYTE $0x42; BYTE $0x5C; BYTE $0xDD
// tilestored %tmm0,(%r9,%r10,1)
#define TILESTORE_0 BYTE $0xC4; BYTE $0x82; BYTE $0x7A; BYTE $0x4B; BYTE $0x04; BYTE $0x11
// tilestored %tmm1,0x40(%r9,%r10,1)
#define TILESTORE_1 BYTE $0xC4; BYTE $0x82; BYTE $0x7A; BYTE $0x4B; BYTE $0x4C; BYTE $0x11; BYTE $0x40
// tilestored %tmm2,0x800(%r9,%r10,1)
#define TILESTORE_2 BYTE $0xC4; BYTE $0x82; BYTE $0x7A; BYTE $0x4B; BYTE $0x94; BYTE $0x11; BYTE $0x00; BYTE $0x08; BYTE $0x00; BYTE $0x00
// tilestored %tmm3,0x840(%r9,%r10,1)
#define TILESTORE_3 BYTE $0xC4; BYTE $0x82; BYTE $0x7A; BYTE $0x4B; BYTE $0x9C; BYTE $0x11; BYTE $0x40; BYTE $0x08; BYTE $0x00; BYTE $0x00
// vdpbf16ps %zmm16,%zmm18,%zmm0
#define DOT_0 BYTE $0x62; BYTE $0xB2; BYTE $0x6E; BYTE $0x40; BYTE $0x52; BYTE $0xC0
// vdpbf16ps %zmm17,%zmm18,%zmm1
#define DOT_1 BYTE $0x62; BYTE $0xB2; BYTE $0x6E; BYTE $0x40; BYTE $0x52; BYTE $0xC9
// vdpbf16ps %zmm16,%zmm19,%zmm2
#define DOT_2 BYTE $0x62; BYTE $0xB2; BYTE $0x66; BYTE $0x40; BYTE $0x52; BYTE $0xD0
// vdpbf16ps %zmm17,%zmm19,%zmm3
#define DOT_3 BYTE $0x62; BYTE $0xB2; BYTE $0x66; BYTE $0x40; BYTE $0x52; BYTE $0xD9
// vdpbf16ps %zmm16,%zmm18,%zmm4
#define DOT_4 BYTE $0x62; BYTE $0xB2; BYTE $0x6E; BYTE $0x40; BYTE $0x52; BYTE $0xE0
// vdpbf16ps %zmm17,%zmm18,%zmm5
#define DOT_5 BYTE $0x62; BYTE $0xB2; BYTE $0x6E; BYTE $0x40; BYTE $0x52; BYTE $0xE9
// vdpbf16ps %zmm16,%zmm19,%zmm6
#define DOT_6 BYTE $0x62; BYTE $0xB2; BYTE $0x66; BYTE $0x40; BYTE $0x52; BYTE $0xF0
// vdpbf16ps %zmm17,%zmm19,%zmm7
#define DOT_7 BYTE $0x62; BYTE $0xB2; BYTE $0x66; BYTE $0x40; BYTE $0x52; BYTE $0xF9
// vdpbf16ps %zmm16,%zmm18,%zmm8
#define DOT_8 BYTE $0x62; BYTE $0x32; BYTE $0x6E; BYTE $0x40; BYTE $0x52; BYTE $0xC0
// vdpbf16ps %zmm17,%zmm18,%zmm9
#define DOT_9 BYTE $0x62; BYTE $0x32; BYTE $0x6E; BYTE $0x40; BYTE $0x52; BYTE $0xC9
// vdpbf16ps %zmm16,%zmm19,%zmm10
#define DOT_10 BYTE $0x62; BYTE $0x32; BYTE $0x66; BYTE $0x40; BYTE $0x52; BYTE $0xD0
// vdpbf16ps %zmm17,%zmm19,%zmm11
#define DOT_11 BYTE $0x62; BYTE $0x32; BYTE $0x66; BYTE $0x40; BYTE $0x52; BYTE $0xD9
// vdpbf16ps %zmm16,%zmm18,%zmm12
#define DOT_12 BYTE $0x62; BYTE $0x32; BYTE $0x6E; BYTE $0x40; BYTE $0x52; BYTE $0xE0
// vdpbf16ps %zmm17,%zmm18,%zmm13
#define DOT_13 BYTE $0x62; BYTE $0x32; BYTE $0x6E; BYTE $0x40; BYTE $0x52; BYTE $0xE9
// vdpbf16ps %zmm16,%zmm19,%zmm14
#define DOT_14 BYTE $0x62; BYTE $0x32; BYTE $0x66; BYTE $0x40; BYTE $0x52; BYTE $0xF0
// vdpbf16ps %zmm17,%zmm19,%zmm15
#define DOT_15 BYTE $0x62; BYTE $0x32; BYTE $0x66; BYTE $0x40; BYTE $0x52; BYTE $0xF9

// RNE rounds the float32 of x to bf16 in their upper halves, to nearest, ties to even; a NaN stays one. It uses Z28 to
// Z31, which BF16CONST sets, and K3.
#define BF16CONST \
	MOVL         $1, AX;          \
	VPBROADCASTD AX, Z31;         \
	MOVL         $0x7FFF, AX;     \
	VPBROADCASTD AX, Z30;         \
	MOVL         $0x400000, AX;   \
	VPBROADCASTD AX, Z29
#define RNE(x) \
	VCMPPS $3, x, x, K3;      \
	VPSRLD $16, x, Z28;       \
	VPANDD Z31, Z28, Z28;     \
	VPADDD Z30, Z28, Z28;     \
	VPADDD x, Z28, Z28;       \
	VPORD  Z29, x, K3, Z28;   \
	VPSRLD $16, Z28, x

// LANES makes the mask k of the first n lanes, n ≥ 0, all where n ≥ 16.
#define LANES(n, k) \
	MOVQ    $16, AX;      \
	CMPQ    n, AX;        \
	CMOVQLT n, AX;        \
	MOVQ    $-1, BX;      \
	BZHIQ   AX, BX, BX;   \
	KMOVW   BX, k

// func bf16NarrowAVX512(dst, src *float32, n int)
TEXT ·bf16NarrowAVX512(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	BF16CONST

narrow:
	LANES(CX, K1)
	VMOVUPS.Z (SI), K1, Z0
	RNE(Z0)
	VPMOVDW   Z0, K1, (DI)
	ADDQ      $64, SI
	ADDQ      $32, DI
	SUBQ      $16, CX
	JG        narrow
	VZEROUPPER
	RET

// func bf16PairAVX512(dst, even, odd *float32, n int)
TEXT ·bf16PairAVX512(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ even+8(FP), SI
	MOVQ odd+16(FP), DX
	MOVQ n+24(FP), CX
	BF16CONST

pair:
	LANES(CX, K1)
	VMOVUPS.Z (SI), K1, Z0
	VMOVUPS.Z (DX), K1, Z1
	RNE(Z0)
	RNE(Z1)
	VPSLLD    $16, Z1, Z1
	VPORD     Z0, Z1, Z0
	VMOVDQU32 Z0, K1, (DI)
	ADDQ      $64, SI
	ADDQ      $64, DX
	ADDQ      $64, DI
	SUBQ      $16, CX
	JG        pair
	VZEROUPPER
	RET

// func bf16UpdateAVX512(c, sums *float32, rows, ldc, cols int, alpha, beta float32)
TEXT ·bf16UpdateAVX512(SB), NOSPLIT, $0-48
	MOVQ         c+0(FP), DI
	MOVQ         sums+8(FP), SI
	MOVQ         rows+16(FP), CX
	MOVQ         ldc+24(FP), DX
	MOVQ         cols+32(FP), R8
	VBROADCASTSS alpha+40(FP), Z30
	VBROADCASTSS beta+44(FP), Z31
	SHLQ         $2, DX
	LANES(R8, K1)
	MOVQ         $0, R9
	SUBQ         $16, R8
	CMOVQLT      R9, R8
	LANES(R8, K2)
	CMPL         beta+44(FP), $0
	JEQ          set

add:
	VMULPS      (SI), Z30, Z0
	VMULPS      64(SI), Z30, Z1
	VMOVUPS.Z   (DI), K1, Z2
	VMOVUPS.Z   64(DI), K2, Z3
	VFMADD231PS Z2, Z31, Z0
	VFMADD231PS Z3, Z31, Z1
	VMOVUPS     Z0, K1, (DI)
	VMOVUPS     Z1, K2, 64(DI)
	ADDQ        $128, SI
	ADDQ        DX, DI
	DECQ        CX
	JNZ         add
	VZEROUPPER
	RET

set:
	VMULPS  (SI), Z30, Z0
	VMULPS  64(SI), Z30, Z1
	VMOVUPS Z0, K1, (DI)
	VMOVUPS Z1, K2, 64(DI)
	ADDQ    $128, SI
	ADDQ    DX, DI
	DECQ    CX
	JNZ     set
	VZEROUPPER
	RET

// func bf16DotAVX512(groups, steps int, a *float32, lda int, b, sums *float32)
TEXT ·bf16DotAVX512(SB), NOSPLIT, $0-48
	MOVQ groups+0(FP), CX
	MOVQ steps+8(FP), DX
	MOVQ a+16(FP), SI
	MOVQ lda+24(FP), R8
	MOVQ sums+40(FP), R9
	SHLQ $2, CX               // blocks of eight rows
	SHLQ $4, DX               // pairs
	SHLQ $2, R8
	LEAQ (R8)(R8*2), R11

rows:
	MOVQ b+32(FP), DI
	MOVQ SI, R12
	LEAQ (SI)(R8*4), R13
	MOVQ DX, BX
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
	VPXORD Z2, Z2, Z2
	VPXORD Z3, Z3, Z3
	VPXORD Z4, Z4, Z4
	VPXORD Z5, Z5, Z5
	VPXORD Z6, Z6, Z6
	VPXORD Z7, Z7, Z7
	VPXORD Z8, Z8, Z8
	VPXORD Z9, Z9, Z9
	VPXORD Z10, Z10, Z10
	VPXORD Z11, Z11, Z11
	VPXORD Z12, Z12, Z12
	VPXORD Z13, Z13, Z13
	VPXORD Z14, Z14, Z14
	VPXORD Z15, Z15, Z15

terms:
	VMOVUPS      (DI), Z16
	VMOVUPS      64(DI), Z17
	VPBROADCASTD (R12), Z18
	DOT_0
	DOT_1
	VPBROADCASTD (R12)(R8*1), Z19
	DOT_2
	DOT_3
	VPBROADCASTD (R12)(R8*2), Z18
	DOT_4
	DOT_5
	VPBROADCASTD (R12)(R11*1), Z19
	DOT_6
	DOT_7
	VPBROADCASTD (R13), Z18
	DOT_8
	DOT_9
	VPBROADCASTD (R13)(R8*1), Z19
	DOT_10
	DOT_11
	VPBROADCASTD (R13)(R8*2), Z18
	DOT_12
	DOT_13
	VPBROADCASTD (R13)(R11*1), Z19
	DOT_14
	DOT_15
	ADDQ         $4, R12
	ADDQ         $4, R13
	ADDQ         $128, DI
	DECQ         BX
	JNZ          terms
	VMOVUPS Z0, 0(R9)
	VMOVUPS Z1, 64(R9)
	VMOVUPS Z2, 128(R9)
	VMOVUPS Z3, 192(R9)
	VMOVUPS Z4, 256(R9)
	VMOVUPS Z5, 320(R9)
	VMOVUPS Z6, 384(R9)
	VMOVUPS Z7, 448(R9)
	VMOVUPS Z8, 512(R9)
	VMOVUPS Z9, 576(R9)
	VMOVUPS Z10, 640(R9)
	VMOVUPS Z11, 704(R9)
	VMOVUPS Z12, 768(R9)
	VMOVUPS Z13, 832(R9)
	VMOVUPS Z14, 896(R9)
	VMOVUPS Z15, 960(R9)
	ADDQ    $1024, R9
	LEAQ    (SI)(R8*8), SI
	DECQ    CX
	JNZ     rows
	VZEROUPPER
	RET

// func bf16TilesAMX(config *byte, groups, steps int, a *float32, lda int, b, sums *float32)
TEXT ·bf16TilesAMX(SB), NOSPLIT, $0-56
	MOVQ config+0(FP), AX
	MOVQ groups+8(FP), CX
	MOVQ steps+16(FP), DX
	MOVQ a+24(FP), SI
	MOVQ lda+32(FP), R8
	MOVQ sums+48(FP), R9
	SHLQ $2, R8
	MOVQ $128, R10
	LDTILECFG_AX

group:
	TILEZERO_0
	TILEZERO_1
	TILEZERO_2
	TILEZERO_3
	MOVQ SI, R11
	MOVQ R8, R12
	SHLQ $4, R12
	ADDQ SI, R12
	MOVQ b+40(FP), R13
	MOVQ DX, BX

step:
	TILELOAD_A0
	TILELOAD_B0
	TILELOAD_B1
	TDP_A0B0
	TILELOAD_A1
	TDP_A0B1
	TDP_A1B0
	TDP_A1B1
	ADDQ $64, R11
	ADDQ $64, R12
	ADDQ $2048, R13
	DECQ BX
	JNZ  step
	TILESTORE_0
	TILESTORE_1
	TILESTORE_2
	TILESTORE_3
	ADDQ $4096, R9
	MOVQ R8, R12
	SHLQ $5, R12
	ADDQ R12, SI
	DECQ CX
	JNZ  group
	TILERELEASE
	RET
