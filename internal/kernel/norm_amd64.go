//go:build amd64 && !noasm && !f64

package kernel

// normLevels are the bodies by level.
var normLevels = [levelCount]*normBodies{
	AVX2: {8,
		[]normFunc{normRun1AVX2, normRun2AVX2, normRun3AVX2, normRun4AVX2},
		[]normFunc{normAdjoint1AVX2, normAdjoint2AVX2, normAdjoint3AVX2, normAdjoint4AVX2}},
	AVX512: {16,
		[]normFunc{normRun1AVX512, normRun2AVX512, normRun3AVX512, normRun4AVX512,
			normRun5AVX512, normRun6AVX512, normRun7AVX512, normRun8AVX512},
		[]normFunc{normAdjoint1AVX512, normAdjoint2AVX512, normAdjoint3AVX512, normAdjoint4AVX512,
			normAdjoint5AVX512, normAdjoint6AVX512, normAdjoint7AVX512, normAdjoint8AVX512}},
}
