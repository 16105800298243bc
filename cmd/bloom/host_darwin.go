package main

import "golang.org/x/sys/unix"

// thisHost asks sysctl. What is free is not told in a comparable way.
func thisHost() host {
	name, _ := unix.Sysctl("machdep.cpu.brand_string")
	memory, _ := unix.SysctlUint64("hw.memsize")
	return host{cpu: name, memory: memory}
}
