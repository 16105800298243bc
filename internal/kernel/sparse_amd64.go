//go:build amd64 && !noasm && !f64

package kernel

// sparseBodiesOf are the bodies by level.
var sparseBodiesOf = [levelCount]*sparseBodies{
	AVX2: {
		lanes: 8,
		tile: [17][3]spmmFunc{
			1: {spmmSum1AVX2, spmmVal1AVX2, spmmEdge1AVX2},
			2: {spmmSum2AVX2, spmmVal2AVX2, spmmEdge2AVX2},
			3: {spmmSum3AVX2, spmmVal3AVX2, spmmEdge3AVX2},
			4: {spmmSum4AVX2, spmmVal4AVX2, spmmEdge4AVX2},
			5: {spmmSum5AVX2, spmmVal5AVX2, spmmEdge5AVX2},
			6: {spmmSum6AVX2, spmmVal6AVX2, spmmEdge6AVX2},
			7: {spmmSum7AVX2, spmmVal7AVX2, spmmEdge7AVX2},
			8: {spmmSum8AVX2, spmmVal8AVX2, spmmEdge8AVX2},
		},
		gather: gatherAVX2,
		sddmm:  sddmmAVX2,
		read:   readAVX2,

		gatherSum: gatherSumAVX2,
	},
	AVX512: {
		lanes: 16,
		tile: [17][3]spmmFunc{
			1:  {spmmSum1AVX512, spmmVal1AVX512, spmmEdge1AVX512},
			2:  {spmmSum2AVX512, spmmVal2AVX512, spmmEdge2AVX512},
			3:  {spmmSum3AVX512, spmmVal3AVX512, spmmEdge3AVX512},
			4:  {spmmSum4AVX512, spmmVal4AVX512, spmmEdge4AVX512},
			5:  {spmmSum5AVX512, spmmVal5AVX512, spmmEdge5AVX512},
			6:  {spmmSum6AVX512, spmmVal6AVX512, spmmEdge6AVX512},
			7:  {spmmSum7AVX512, spmmVal7AVX512, spmmEdge7AVX512},
			8:  {spmmSum8AVX512, spmmVal8AVX512, spmmEdge8AVX512},
			12: {spmmSum12AVX512, spmmVal12AVX512, spmmEdge12AVX512},
			16: {spmmSum16AVX512, spmmVal16AVX512, spmmEdge16AVX512},
		},
		gather: gatherAVX512,
		sddmm:  sddmmAVX512,
		read:   readAVX512,

		gatherSum: gatherSumAVX512,
	},
}
