//go:build amd64 && !noasm && !f64

package kernel

// relLevels are the bodies by level.
var relLevels = [levelCount]*relBodies{
	AVX2: {8,
		[]relSumFunc{relSum1AVX2, relSum2AVX2, relSum4AVX2, relSum8AVX2},
		statsBodies{[]relStatsFunc{relStats1AVX2}, []relAdjointFunc{relAdjoint1AVX2}},
		statsBodies{[]relStatsFunc{relStatsPlus1AVX2}, []relAdjointFunc{relAdjointPlus1AVX2}}},
	AVX512: {16,
		[]relSumFunc{relSum1AVX512, relSum2AVX512, relSum4AVX512, relSum8AVX512},
		statsBodies{
			[]relStatsFunc{relStats1AVX512, relStats2AVX512, relStats4AVX512},
			[]relAdjointFunc{relAdjoint1AVX512, relAdjoint2AVX512, relAdjoint4AVX512}},
		statsBodies{
			[]relStatsFunc{relStatsPlus1AVX512, relStatsPlus2AVX512, relStatsPlus4AVX512},
			[]relAdjointFunc{relAdjointPlus1AVX512, relAdjointPlus2AVX512, relAdjointPlus4AVX512}}},
}
