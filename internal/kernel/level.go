package kernel

//go:generate go -C gen run . levels

import "sync/atomic"

// Level names one set of kernel bodies. Portable is the truth; the others must agree with it.
type Level int32

// Portable is plain Go, always built. Architectures have levels above it.
const Portable Level = 0

// String returns the name that `bloom doctor` prints.
func (l Level) String() string {
	return levelNames[l]
}

// current is the level in use. It starts as the best that this build and CPU offer.
var current atomic.Int32

func init() { current.Store(int32(Best())) }

// Active returns the level whose bodies are in use.
func Active() Level { return Level(current.Load()) }

// Use switches to level l, or to the best available one if l is beyond it, and returns the
// function that switches back. Tests use it to compare levels inside one binary.
func Use(l Level) (restore func()) {
	old := current.Swap(int32(min(l, Best())))
	return func() { current.Store(old) }
}
