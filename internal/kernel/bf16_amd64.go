//go:build amd64 && !noasm && !f64

package kernel

import (
	"sync"

	"golang.org/x/sys/cpu"
)

// bf16NarrowAVX512 writes n numbers as bf16, one after the other.
//
//go:noescape
func bf16NarrowAVX512(dst, src *float32, n int)

// bf16PairAVX512 writes n pairs of bf16, a number of even below one of odd.
//
//go:noescape
func bf16PairAVX512(dst, even, odd *float32, n int)

// bf16UpdateAVX512 is c[i,:cols] = α·sums[i,:cols] + β·c[i,:cols]; rows of sums have 32 numbers. β = 0 does not read c.
//
//go:noescape
func bf16UpdateAVX512(c, sums *float32, rows, ldc, cols int, alpha, beta float32)

// bf16DotAVX512 is a bf16Core by dot products of pairs (AVX512_BF16).
//
//go:noescape
func bf16DotAVX512(groups, steps int, a *float32, lda int, b, sums *float32)

// bf16TilesAMX is a bf16Core by tiles (AMX_BF16), as config lays them out. They are released before it returns: no Go
// code runs with live tiles.
//
//go:noescape
func bf16TilesAMX(config *byte, groups, steps int, a *float32, lda int, b, sums *float32)

// amxConfig is eight tiles of 16 rows of 64 bytes: four of sums, two of A, two of B.
var amxConfig = func() (c [64]byte) {
	c[0] = 1
	for i := range 8 {
		c[16+2*i], c[48+i] = 64, 16
	}
	return c
}()

func bf16AMX(groups, steps int, a *Real, lda int, b, sums *Real) {
	bf16TilesAMX(&amxConfig[0], groups, steps, a, lda, b, sums)
}

// hasAMX reports whether the CPU has tiles of bf16 and the system lets this process use them, which it is asked once.
var hasAMX = sync.OnceValue(func() bool { return cpu.X86.HasAMXTile && cpu.X86.HasAMXBF16 && permitTiles() })

// bf16Cores are the bodies that this CPU can run, the fastest first.
var bf16Cores = sync.OnceValue(func() []bf16Core {
	var cores []bf16Core
	if hasAMX() {
		cores = append(cores, bf16AMX)
	}
	if cpu.X86.HasAVX512BF16 {
		cores = append(cores, bf16DotAVX512)
	}
	return cores
})

// bf16Fast is the body in use, nil where there is none.
func bf16Fast() bf16Core {
	if cores := bf16Cores(); Active() == AVX512 && len(cores) > 0 {
		return cores[0]
	}
	return nil
}
