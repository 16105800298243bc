//go:build arm64 && !noasm && !f64

package kernel

// tilesOf returns the tiles of a level, nil for the portable one.
func tilesOf(l Level) *gemmTiles {
	if l == Portable {
		return nil
	}
	return &tilesNEON
}

var tilesNEON = gemmTiles{
	rows:  6,
	lanes: 8,
	wide: []gemmKernel{
		nil, gemmTile1x16NEON, gemmTile2x16NEON,
		gemmTile3x16NEON, gemmTile4x16NEON, gemmTile5x16NEON,
		gemmTile6x16NEON,
	},
	narrow: []gemmKernel{
		nil, gemmTile1x8NEON, gemmTile2x8NEON,
		gemmTile3x8NEON, gemmTile4x8NEON, gemmTile5x8NEON,
		gemmTile6x8NEON,
	},
	pack: gemmPackNEON,
	sum:  gemmSumNEON,
}

// peakRounds runs rounds of multiply-adds and returns how many operations that were.
func peakRounds(rounds int) int {
	if Active() == Portable {
		return peakPortable(rounds)
	}
	gemmPeakNEON(rounds, 0.5, 1)
	return rounds * 2 * tilesNEON.rows * tilesNEON.lanes * 2
}
