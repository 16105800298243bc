//go:build !linux && !darwin

package host

import (
	"os"
	"runtime/debug"
)

// This knows little on this system: the name of the CPU if it is in the environment.
func This() Host { return Host{CPU: os.Getenv("PROCESSOR_IDENTIFIER")} }

// Peak is unknown on this system.
func Peak() uint64 { return 0 }

// ForgetPeak returns unused memory to the system; the peak remains that of the whole process.
func ForgetPeak() { debug.FreeOSMemory() }

// DiskFree returns how many bytes this user may still write to the disk of a path; ok is false if that is unknown.
func DiskFree(string) (bytes uint64, ok bool) { return 0, false }
