//go:build (!amd64 && !arm64) || noasm || f64

package kernel

// peakRounds runs rounds of multiply-adds and returns how many operations that were.
func peakRounds(rounds int) int { return peakPortable(rounds) }

// tilesOf returns no tiles: the portable body does all.
func tilesOf(Level) *gemmTiles { return nil }
