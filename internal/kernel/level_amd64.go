//go:build amd64 && !noasm && !f64

package kernel

import "golang.org/x/sys/cpu"

const (
	AVX2       Level = 1 + iota // 8 lanes, needs AVX2 and FMA
	AVX512                      // 16 lanes, needs AVX-512 F, BW, DQ and VL
	levelCount = iota + 1
)

var levelNames = [levelCount]string{"portable", "avx2", "avx512"}

// Best returns the highest level that this build and CPU can run.
func Best() Level {
	x := cpu.X86
	switch {
	case x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL:
		return AVX512
	case x.HasAVX2 && x.HasFMA:
		return AVX2
	}
	return Portable
}
