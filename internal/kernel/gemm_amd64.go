//go:build amd64 && !noasm && !f64

package kernel

// tilesOf returns the tiles of a level, nil for the portable one.
func tilesOf(l Level) *gemmTiles {
	switch l {
	case AVX512:
		return &tilesAVX512
	case AVX2:
		return &tilesAVX2
	}
	return nil
}

var tilesAVX512 = gemmTiles{
	rows:  14,
	lanes: 16,
	wide: []gemmKernel{
		nil, gemmTile1x32AVX512, gemmTile2x32AVX512,
		gemmTile3x32AVX512, gemmTile4x32AVX512, gemmTile5x32AVX512,
		gemmTile6x32AVX512, gemmTile7x32AVX512, gemmTile8x32AVX512,
		gemmTile9x32AVX512, gemmTile10x32AVX512, gemmTile11x32AVX512,
		gemmTile12x32AVX512, gemmTile13x32AVX512, gemmTile14x32AVX512,
	},
	narrow: []gemmKernel{
		nil, gemmTile1x16AVX512, gemmTile2x16AVX512,
		gemmTile3x16AVX512, gemmTile4x16AVX512, gemmTile5x16AVX512,
		gemmTile6x16AVX512, gemmTile7x16AVX512, gemmTile8x16AVX512,
		gemmTile9x16AVX512, gemmTile10x16AVX512, gemmTile11x16AVX512,
		gemmTile12x16AVX512, gemmTile13x16AVX512, gemmTile14x16AVX512,
	},
	pack: gemmPackAVX512,
	sum:  gemmSumAVX512,
}

var tilesAVX2 = gemmTiles{
	rows:  6,
	lanes: 8,
	wide: []gemmKernel{
		nil, gemmTile1x16AVX2, gemmTile2x16AVX2,
		gemmTile3x16AVX2, gemmTile4x16AVX2, gemmTile5x16AVX2,
		gemmTile6x16AVX2,
	},
	narrow: []gemmKernel{
		nil, gemmTile1x8AVX2, gemmTile2x8AVX2,
		gemmTile3x8AVX2, gemmTile4x8AVX2, gemmTile5x8AVX2,
		gemmTile6x8AVX2,
	},
	pack: gemmPackAVX2,
	sum:  gemmSumAVX2,
}

// peakRounds runs rounds of multiply-adds and returns how many operations that were.
func peakRounds(rounds int) int {
	t := tilesOf(Active())
	switch Active() {
	case AVX512:
		gemmPeakAVX512(rounds, 0.5, 1)
	case AVX2:
		gemmPeakAVX2(rounds, 0.5, 1)
	default:
		return peakPortable(rounds)
	}
	return rounds * 2 * t.rows * t.lanes * 2
}
