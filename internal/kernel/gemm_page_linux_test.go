package kernel

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// pageEnd copies x to memory that ends where an unmapped page begins: reading or writing one
// number too many is a fault.
func pageEnd(t *testing.T, x []Real) []Real {
	page := unix.Getpagesize()
	size := ceilTo(len(x)*RealBytes+1, page)
	mem, err := unix.Mmap(-1, 0, size+page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Skip("mmap:", err)
	}
	t.Cleanup(func() { _ = unix.Munmap(mem) })
	if err := unix.Mprotect(mem[size:], unix.PROT_NONE); err != nil {
		t.Skip("mprotect:", err)
	}
	if len(x) == 0 {
		return x
	}
	y := unsafe.Slice((*Real)(unsafe.Pointer(&mem[size-len(x)*RealBytes])), len(x))
	copy(y, x)
	return y
}

// TestGemmPageEnd: no body touches memory behind A, B or C.
func TestGemmPageEnd(t *testing.T) {
	eachGemmLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(6, 0))
		for i := range 160 {
			x := gemmCases[i%4]
			p := randomGemm(r, x.tA, x.tB, 1+r.IntN(33), 1+r.IntN(67), 1+r.IntN(20), 1, Real(i/4%2))
			p.a, p.b, p.c = pageEnd(t, p.a), pageEnd(t, p.b), pageEnd(t, p.c)
			p.run(p.c)
		}
	})
}
