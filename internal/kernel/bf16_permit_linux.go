//go:build amd64 && !noasm && !f64

package kernel

import "syscall"

// permitTiles asks the kernel for the registers of AMX, which a process does not have before.
func permitTiles() bool {
	const requestPermission, tileData = 0x1023, 18
	_, _, errno := syscall.RawSyscall(syscall.SYS_ARCH_PRCTL, requestPermission, tileData, 0)
	return errno == 0
}
