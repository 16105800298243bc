// Package host says what machine this is and how much of it the process uses: cores, memory, disk, huge pages. It also
// waits for goroutines, whose panics it passes on, and tells them apart.
package host

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// Host is what the operating system says about the machine; "" and 0 mean that it does not.
type Host struct {
	CPU          string
	Memory, Free uint64 // bytes that this process may use, and may use now
	HugePages    string // when large buffers get huge pages: always, madvise or never
}

// Features names the instruction sets of this CPU that matter here.
func Features() []string {
	known := []struct {
		name string
		has  bool
	}{
		{"avx2", cpu.X86.HasAVX2},
		{"fma", cpu.X86.HasFMA},
		{"avx512f", cpu.X86.HasAVX512F},
		{"avx512bw", cpu.X86.HasAVX512BW},
		{"avx512dq", cpu.X86.HasAVX512DQ},
		{"avx512vl", cpu.X86.HasAVX512VL},
		{"avx512bf16", cpu.X86.HasAVX512BF16},
		{"amx", cpu.X86.HasAMXTile},
		{"asimd", cpu.ARM64.HasASIMD},
		{"asimdfhm", cpu.ARM64.HasASIMDFHM},
		{"sve", cpu.ARM64.HasSVE},
		{"sve2", cpu.ARM64.HasSVE2},
	}
	names := []string{}
	for _, k := range known {
		if k.has {
			names = append(names, k.name)
		}
	}
	return names
}

// HugePage is the minimum size in bytes of a buffer for which huge pages are worthwhile.
const HugePage = 1 << 20

// AdviseHuge asks for huge pages for all of x, including its capacity, if it is large. It should be called before x is
// written to. It is a hint: failure changes speed, not results.
func AdviseHuge[T any](x []T) {
	x = x[:cap(x)]
	var one T
	if size := uintptr(len(x)) * unsafe.Sizeof(one); size >= HugePage {
		advise(unsafe.Pointer(unsafe.SliceData(x)), size)
	}
}

// GrowHuge returns x with room for n more, in a new buffer with huge pages if x has too little.
func GrowHuge[T any](x []T, n int) []T {
	if cap(x)-len(x) >= n {
		return x
	}
	y := make([]T, len(x), len(x)+n)
	AdviseHuge(y)
	copy(y, x)
	return y
}
