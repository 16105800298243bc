//go:build (!amd64 && !arm64) || noasm || f64

package kernel

// relFast would run the body of the active level.
func relFast(*relJob, int, int, int, int) bool { return false }

// relStatsFast would run the body of the active level.
func relStatsFast(*relStatsJob, int, int) bool { return false }
