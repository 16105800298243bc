//go:build arm64 && !noasm && !f64

package kernel

// sparseBodiesOf are the bodies by level.
var sparseBodiesOf = [levelCount]*sparseBodies{
	NEON: {
		lanes: 8,
		tile: [17][3]spmmFunc{
			1: {spmmSum1NEON, spmmVal1NEON, spmmEdge1NEON},
			2: {spmmSum2NEON, spmmVal2NEON, spmmEdge2NEON},
			3: {spmmSum3NEON, spmmVal3NEON, spmmEdge3NEON},
			4: {spmmSum4NEON, spmmVal4NEON, spmmEdge4NEON},
			5: {spmmSum5NEON, spmmVal5NEON, spmmEdge5NEON},
			6: {spmmSum6NEON, spmmVal6NEON, spmmEdge6NEON},
			7: {spmmSum7NEON, spmmVal7NEON, spmmEdge7NEON},
			8: {spmmSum8NEON, spmmVal8NEON, spmmEdge8NEON},
		},
		gather: gatherNEON,
		sddmm:  sddmmNEON,
		read:   readNEON,

		gatherSum: gatherSumNEON,
	},
}
