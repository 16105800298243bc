//go:build !linux

package host

import "runtime"

// Cores is how many CPUs this process may run on: which of them share a core is known of Linux alone.
func Cores() int { return runtime.NumCPU() }
