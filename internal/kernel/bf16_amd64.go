//go:build amd64 && !noasm && !f64

package kernel

import (
	"sync"

	"golang.org/x/sys/cpu"
)

// bf16NarrowAVX512 writes n numbers as bf16, one after the other. What is below the smallest normal number becomes 0,
// as which products take it anyway.
//
//go:noescape
func bf16NarrowAVX512(dst, src *float32, n int)

// bf16PairAVX512 writes n pairs of bf16, a number of even below one of odd: 32 from dst on, the next from dst[stride].
//
//go:noescape
func bf16PairAVX512(dst, even, odd *float32, n, stride int)

// bf16UpdateAVX512 is c[i,:cols] = α·sums[i,:cols] + β·c[i,:cols], rows of ldc and lds numbers. Of sums whole vectors
// are read. β = 0 does not read c.
//
//go:noescape
func bf16UpdateAVX512(c, sums *float32, rows, ldc, lds, cols int, alpha, beta float32)

// bf16DotAVX512 is a bf16Core by dot products of pairs (AVX512_BF16).
//
//go:noescape
func bf16DotAVX512(panels, steps int, a *float32, lda int, b, c *float32, ldc, add int)

// bf16TilesAMX is a bf16Core by tiles (AMX_BF16), as config lays them out. They are released before it returns: no Go
// code runs with live tiles.
//
//go:noescape
func bf16TilesAMX(config *byte, panels, steps int, a *float32, lda int, b, c *float32, ldc, add int)

// amxConfig is eight tiles of 16 rows of 64 bytes: four of sums, two of A, two of B.
var amxConfig = func() (c [64]byte) {
	c[0] = 1
	for i := range 8 {
		c[16+2*i], c[48+i] = 64, 16
	}
	return c
}()

func bf16AMX(panels, steps int, a *Real, lda int, b, c *Real, ldc, add int) {
	bf16TilesAMX(&amxConfig[0], panels, steps, a, lda, b, c, ldc, add)
}

// hasAMX reports whether the CPU has tiles of bf16 and the operating system lets this process use them; it is asked
// once.
var hasAMX = sync.OnceValue(func() bool { return cpu.X86.HasAMXTile && cpu.X86.HasAMXBF16 && permitTiles() })

// bf16Cores returns the bodies that this CPU can run, fastest first.
var bf16Cores = sync.OnceValue(func() []bf16Core {
	if !cpu.X86.HasAVX512BF16 {
		return nil // packing needs it too
	}
	if hasAMX() {
		return []bf16Core{bf16AMX, bf16DotAVX512}
	}
	return []bf16Core{bf16DotAVX512}
})

// bf16Fast returns the body in use, or nil if this CPU or level has none.
func bf16Fast() bf16Core {
	if cores := bf16Cores(); Active() == AVX512 && len(cores) > 0 {
		return cores[0]
	}
	return nil
}
