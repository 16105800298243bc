//go:build !linux && !darwin

package host

import (
	"os"
	"runtime/debug"
)

// This knows little here: the name of the CPU where the system keeps it in the environment.
func This() Host { return Host{CPU: os.Getenv("PROCESSOR_IDENTIFIER")} }

// Peak is not known here.
func Peak() uint64 { return 0 }

// ForgetPeak gives unused memory back; the peak stays that of the whole process.
func ForgetPeak() { debug.FreeOSMemory() }
