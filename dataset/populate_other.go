//go:build unix && !linux

package dataset

// populate is for Linux only.
const populate = 0
