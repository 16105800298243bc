//go:build arm64 && !noasm && !f64

package kernel

// normLevels are the bodies by level.
var normLevels = [levelCount]*normBodies{
	NEON: {8,
		[]normFunc{normRun1NEON, normRun2NEON, normRun3NEON, normRun4NEON},
		[]normFunc{normAdjoint1NEON, normAdjoint2NEON, normAdjoint3NEON, normAdjoint4NEON}},
}
