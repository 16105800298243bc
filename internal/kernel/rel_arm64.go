//go:build arm64 && !noasm && !f64

package kernel

// relLevels are the bodies by level.
var relLevels = [levelCount]*relBodies{
	NEON: {8,
		[]relSumFunc{relSum1NEON, relSum2NEON, relSum4NEON, relSum8NEON},
		statsBodies{[]relStatsFunc{relStats1NEON}, []relAdjointFunc{relAdjoint1NEON}},
		statsBodies{[]relStatsFunc{relStatsPlus1NEON}, []relAdjointFunc{relAdjointPlus1NEON}}},
}
