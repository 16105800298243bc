package main

import "golang.org/x/sys/unix"

// thisHost asks sysctl. What is free is not told in a comparable way.
func thisHost() host {
	name, _ := unix.Sysctl("machdep.cpu.brand_string")
	memory, _ := unix.SysctlUint64("hw.memsize")
	return host{cpu: name, memory: memory}
}

// peakMemory is the largest number of bytes that this process had in memory.
func peakMemory() uint64 {
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return uint64(r.Maxrss)
}
