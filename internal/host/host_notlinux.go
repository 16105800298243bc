//go:build !linux

package host

import (
	"runtime"
	"unsafe"
)

// Cores returns how many CPUs this process may run on: which of them share a core is known only on Linux.
func Cores() int { return runtime.NumCPU() }

func advise(unsafe.Pointer, uintptr) {}
