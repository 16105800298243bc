//go:build !linux

package workload

import "runtime/debug"

func resetPeak() { debug.FreeOSMemory() }

// peak is unknown here.
func peak() uint64 { return 0 }
