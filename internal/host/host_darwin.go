package host

import (
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// This asks sysctl. Free memory is not available in a comparable form.
func This() Host {
	name, _ := unix.Sysctl("machdep.cpu.brand_string")
	memory, _ := unix.SysctlUint64("hw.memsize")
	return Host{CPU: name, Memory: memory}
}

// Peak returns the largest number of bytes that this process had in memory.
func Peak() uint64 {
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return uint64(r.Maxrss)
}

// ForgetPeak returns unused memory to the system; the peak remains that of the whole process.
func ForgetPeak() { debug.FreeOSMemory() }
