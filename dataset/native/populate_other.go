//go:build unix && !linux

package native

// populate is for Linux only.
const populate = 0
