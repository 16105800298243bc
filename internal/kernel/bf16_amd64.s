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
// tileloadd 0x0(%r13,%r9,1),%tmm6
#define TILELOAD_B0 BYTE $0xC4; BYTE $0x82; BYTE $0x7B; BYTE $0x4B; BYTE $0x74; BYTE $0x0D; BYTE $0x00
// tileloadd 0x40(%r13,%r9,1),%tmm7
#define TILELOAD_B1 BYTE $0xC4; BYTE $0x82; BYTE $0x7B; BYTE $0x4B; BYTE $0x7C; BYTE $0x0D; BYTE $0x40
// tileloadd (%rdi,%r10,1),%tmm0
#define TILELOAD_0 BYTE $0xC4; BYTE $0xA2; BYTE $0x7B; BYTE $0x4B; BYTE $0x04; BYTE $0x17
// tileloadd 0x40(%rdi,%r10,1),%tmm1
#define TILELOAD_1 BYTE $0xC4; BYTE $0xA2; BYTE $0x7B; BYTE $0x4B; BYTE $0x4C; BYTE $0x17; BYTE $0x40
// tileloadd (%r14,%r10,1),%tmm2
#define TILELOAD_2 BYTE $0xC4; BYTE $0x82; BYTE $0x7B; BYTE $0x4B; BYTE $0x14; BYTE $0x16
// tileloadd 0x40(%r14,%r10,1),%tmm3
#define TILELOAD_3 BYTE $0xC4; BYTE $0x82; BYTE $0x7B; BYTE $0x4B; BYTE $0x5C; BYTE $0x16; BYTE $0x40
// tdpbf16ps %tmm6,%tmm4,%tmm0
#define TDP_A0B0 BYTE $0xC4; BYTE $0xE2; BYTE $0x4A; BYTE $0x5C; BYTE $0xC4
// tdpbf16ps %tmm7,%tmm4,%tmm1
#define TDP_A0B1 BYTE $0xC4; BYTE $0xE2; BYTE $0x42; BYTE $0x5C; BYTE $0xCC
// tdpbf16ps %tmm6,%tmm5,%tmm2
#define TDP_A1B0 BYTE $0xC4; BYTE $0xE2; BYTE $0x4A; BYTE $0x5C; BYTE $0xD5
// tdpbf16ps %tmm7,%tmm5,%tmm3
#define TDP_A1B1 BYTE $0xC4; BYTE $0xE2; BYTE $0x42; BYTE $0x5C; BYTE $0xDD
// tilestored %tmm0,(%rdi,%r10,1)
#define TILESTORE_0 BYTE $0xC4; BYTE $0xA2; BYTE $0x7A; BYTE $0x4B; BYTE $0x04; BYTE $0x17
// tilestored %tmm1,0x40(%rdi,%r10,1)
#define TILESTORE_1 BYTE $0xC4; BYTE $0xA2; BYTE $0x7A; BYTE $0x4B; BYTE $0x4C; BYTE $0x17; BYTE $0x40
// tilestored %tmm2,(%r14,%r10,1)
#define TILESTORE_2 BYTE $0xC4; BYTE $0x82; BYTE $0x7A; BYTE $0x4B; BYTE $0x14; BYTE $0x16
// tilestored %tmm3,0x40(%r14,%r10,1)
#define TILESTORE_3 BYTE $0xC4; BYTE $0x82; BYTE $0x7A; BYTE $0x4B; BYTE $0x5C; BYTE $0x16; BYTE $0x40
// prefetchw (%r15), 64(%r15), (%r15,%r10,1), 64(%r15,%r10,1); lea (%r15,%r10,2),%r15
#define FETCH_TWO_ROWS \
	BYTE $0x41; BYTE $0x0F; BYTE $0x0D; BYTE $0x0F;                         \
	BYTE $0x41; BYTE $0x0F; BYTE $0x0D; BYTE $0x4F; BYTE $0x40;             \
	BYTE $0x43; BYTE $0x0F; BYTE $0x0D; BYTE $0x0C; BYTE $0x17;             \
	BYTE $0x43; BYTE $0x0F; BYTE $0x0D; BYTE $0x4C; BYTE $0x17; BYTE $0x40; \
	LEAQ (R15)(R10*2), R15
// vcvtne2ps2bf16 %zmm0,%zmm1,%zmm0
#define NARROW_01 BYTE $0x62; BYTE $0xF2; BYTE $0x77; BYTE $0x48; BYTE $0x72; BYTE $0xC0
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

// LANES makes the mask k of the first n lanes, n ≥ 0, all where n ≥ 16.
#define LANES(n, k) \
	MOVQ    $16, AX;      \
	CMPQ    n, AX;        \
	CMOVQLT n, AX;        \
	MOVQ    $-1, BX;      \
	BZHIQ   AX, BX, BX;   \
	KMOVW   BX, k

// bf16Order interleaves two halves of 16 words.
DATA bf16Order<>+0(SB)/8, $0x0011000100100000
DATA bf16Order<>+8(SB)/8, $0x0013000300120002
DATA bf16Order<>+16(SB)/8, $0x0015000500140004
DATA bf16Order<>+24(SB)/8, $0x0017000700160006
DATA bf16Order<>+32(SB)/8, $0x0019000900180008
DATA bf16Order<>+40(SB)/8, $0x001B000B001A000A
DATA bf16Order<>+48(SB)/8, $0x001D000D001C000C
DATA bf16Order<>+56(SB)/8, $0x001F000F001E000E
GLOBL bf16Order<>(SB), RODATA|NOPTR, $64

// func bf16NarrowAVX512(dst, src *float32, n int)
TEXT ·bf16NarrowAVX512(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	SUBQ $32, CX
	JL   rest

whole:
	VMOVUPS   (SI), Z0
	VMOVUPS   64(SI), Z1
	NARROW_01
	VMOVDQU32 Z0, (DI)
	ADDQ      $128, SI
	ADDQ      $64, DI
	SUBQ      $32, CX
	JGE       whole

rest:
	ADDQ $32, CX
	JLE  done
	MOVQ $-1, BX
	BZHIQ CX, BX, BX
	KMOVW BX, K1
	KMOVD BX, K3
	SHRQ  $16, BX
	KMOVW BX, K2
	VMOVUPS.Z (SI), K1, Z0
	VMOVUPS.Z 64(SI), K2, Z1
	NARROW_01
	VMOVDQU16 Z0, K3, (DI)

done:
	VZEROUPPER
	RET

// func bf16PairAVX512(dst, even, odd *float32, n, stride int)
TEXT ·bf16PairAVX512(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ even+8(FP), SI
	MOVQ odd+16(FP), DX
	MOVQ n+24(FP), CX
	MOVQ stride+32(FP), R8
	SHLQ $2, R8
	VMOVDQU32 bf16Order<>(SB), Z3
	SUBQ $32, CX
	JL   rest

whole:
	VMOVUPS   (SI), Z0
	VMOVUPS   (DX), Z1
	NARROW_01
	VPERMW    Z0, Z3, Z0
	VMOVDQU32 Z0, (DI)
	VMOVUPS   64(SI), Z0
	VMOVUPS   64(DX), Z1
	NARROW_01
	VPERMW    Z0, Z3, Z0
	VMOVDQU32 Z0, 64(DI)
	ADDQ      $128, SI
	ADDQ      $128, DX
	ADDQ      R8, DI
	SUBQ      $32, CX
	JGE       whole

rest:
	ADDQ $32, CX
	JLE  done

part:
	LANES(CX, K1)
	VMOVUPS.Z (SI), K1, Z0
	VMOVUPS.Z (DX), K1, Z1
	NARROW_01
	VPERMW    Z0, Z3, Z0
	VMOVDQU32 Z0, K1, (DI)
	ADDQ      $64, SI
	ADDQ      $64, DX
	ADDQ      $64, DI
	SUBQ      $16, CX
	JG        part

done:
	VZEROUPPER
	RET

// func bf16UpdateAVX512(c, sums *float32, rows, ldc, lds, cols int, alpha, beta float32)
TEXT ·bf16UpdateAVX512(SB), NOSPLIT, $0-56
	MOVQ         c+0(FP), DI
	MOVQ         sums+8(FP), SI
	MOVQ         rows+16(FP), CX
	MOVQ         ldc+24(FP), DX
	MOVQ         lds+32(FP), R11
	VBROADCASTSS alpha+48(FP), Z30
	VBROADCASTSS beta+52(FP), Z31
	SHLQ         $2, DX
	SHLQ         $2, R11

row:
	MOVQ SI, R12
	MOVQ DI, R13
	MOVQ cols+40(FP), R8
	CMPL beta+52(FP), $0
	JEQ  set

add:
	LANES(R8, K1)
	VMULPS      (R12), Z30, Z0
	VMOVUPS.Z   (R13), K1, Z2
	VFMADD231PS Z2, Z31, Z0
	VMOVUPS     Z0, K1, (R13)
	ADDQ        $64, R12
	ADDQ        $64, R13
	SUBQ        $16, R8
	JG          add
	JMP         next

set:
	LANES(R8, K1)
	VMULPS  (R12), Z30, Z0
	VMOVUPS Z0, K1, (R13)
	ADDQ    $64, R12
	ADDQ    $64, R13
	SUBQ    $16, R8
	JG      set

next:
	ADDQ R11, SI
	ADDQ DX, DI
	DECQ CX
	JNZ  row
	VZEROUPPER
	RET

// func bf16DotAVX512(panels, steps int, a *float32, lda int, b, c *float32, ldc, add int)
TEXT ·bf16DotAVX512(SB), NOSPLIT, $0-64
	MOVQ steps+8(FP), DX
	MOVQ lda+24(FP), R8
	MOVQ c+40(FP), R9
	MOVQ ldc+48(FP), R10
	SHLQ $4, DX               // pairs
	SHLQ $2, R8
	SHLQ $2, R10
	LEAQ (R8)(R8*2), R11
	LEAQ (R10)(R10*2), R14

panel:
	MOVQ a+16(FP), SI
	MOVQ R9, AX
	MOVQ $4, CX               // blocks of eight rows

rows:
	MOVQ b+32(FP), DI
	MOVQ SI, R12
	LEAQ (SI)(R8*4), R13
	LEAQ (AX)(R10*4), R15
	MOVQ DX, BX
	CMPQ add+56(FP), $0
	JNE  load
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
	JMP  terms

load:
	VMOVUPS (AX), Z0
	VMOVUPS 64(AX), Z1
	VMOVUPS (AX)(R10*1), Z2
	VMOVUPS 64(AX)(R10*1), Z3
	VMOVUPS (AX)(R10*2), Z4
	VMOVUPS 64(AX)(R10*2), Z5
	VMOVUPS (AX)(R14*1), Z6
	VMOVUPS 64(AX)(R14*1), Z7
	VMOVUPS (R15), Z8
	VMOVUPS 64(R15), Z9
	VMOVUPS (R15)(R10*1), Z10
	VMOVUPS 64(R15)(R10*1), Z11
	VMOVUPS (R15)(R10*2), Z12
	VMOVUPS 64(R15)(R10*2), Z13
	VMOVUPS (R15)(R14*1), Z14
	VMOVUPS 64(R15)(R14*1), Z15

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
	VMOVUPS Z0, (AX)
	VMOVUPS Z1, 64(AX)
	VMOVUPS Z2, (AX)(R10*1)
	VMOVUPS Z3, 64(AX)(R10*1)
	VMOVUPS Z4, (AX)(R10*2)
	VMOVUPS Z5, 64(AX)(R10*2)
	VMOVUPS Z6, (AX)(R14*1)
	VMOVUPS Z7, 64(AX)(R14*1)
	VMOVUPS Z8, (R15)
	VMOVUPS Z9, 64(R15)
	VMOVUPS Z10, (R15)(R10*1)
	VMOVUPS Z11, 64(R15)(R10*1)
	VMOVUPS Z12, (R15)(R10*2)
	VMOVUPS Z13, 64(R15)(R10*2)
	VMOVUPS Z14, (R15)(R14*1)
	VMOVUPS Z15, 64(R15)(R14*1)
	LEAQ    (AX)(R10*8), AX
	LEAQ    (SI)(R8*8), SI
	DECQ    CX
	JNZ     rows
	MOVQ    DI, b+32(FP)
	ADDQ    $128, R9
	DECQ    panels+0(FP)
	JNZ     panel
	VZEROUPPER
	RET

// The first eight steps of a panel bring its 32 rows of C to the cache, which are written behind the last one.
// func bf16TilesAMX(config *byte, panels, steps int, a *float32, lda int, b, c *float32, ldc, add int)
TEXT ·bf16TilesAMX(SB), NOSPLIT, $0-72
	MOVQ config+0(FP), AX
	MOVQ panels+8(FP), CX
	MOVQ steps+16(FP), DX
	MOVQ a+24(FP), SI
	MOVQ lda+32(FP), R8
	MOVQ b+40(FP), R13
	MOVQ c+48(FP), DI
	MOVQ ldc+56(FP), R10
	SHLQ $2, R8
	SHLQ $2, R10
	MOVQ $128, R9
	MOVQ R10, R14
	SHLQ $4, R14
	ADDQ DI, R14
	LDTILECFG_AX

panel:
	MOVQ SI, R11
	MOVQ R8, R12
	SHLQ $4, R12
	ADDQ SI, R12
	MOVQ DX, BX
	MOVQ DI, R15
	MOVQ DX, AX
	SUBQ $8, AX
	CMPQ add+64(FP), $0
	JNE  load
	TILEZERO_0
	TILEZERO_1
	TILEZERO_2
	TILEZERO_3
	JMP  step

load:
	TILELOAD_0
	TILELOAD_1
	TILELOAD_2
	TILELOAD_3

step:
	TILELOAD_A0
	TILELOAD_B0
	TILELOAD_B1
	TDP_A0B0
	TILELOAD_A1
	TDP_A0B1
	TDP_A1B0
	TDP_A1B1
	CMPQ BX, AX
	JLE  fetched
	FETCH_TWO_ROWS
	FETCH_TWO_ROWS

fetched:
	ADDQ $64, R11
	ADDQ $64, R12
	ADDQ $2048, R13
	DECQ BX
	JNZ  step
	TILESTORE_0
	TILESTORE_1
	TILESTORE_2
	TILESTORE_3
	ADDQ $128, DI
	ADDQ $128, R14
	DECQ CX
	JNZ  panel
	TILERELEASE
	RET
