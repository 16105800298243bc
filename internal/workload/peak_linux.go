package workload

import (
	"bytes"
	"fmt"
	"os"
	"runtime/debug"
)

// resetPeak gives unused memory back and makes the kernel forget the peak so far.
func resetPeak() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // without it the peak is that of the whole process
}

// peak is the largest resident memory since resetPeak.
func peak() uint64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	var kib uint64
	if i := bytes.Index(status, []byte("VmHWM:")); i >= 0 {
		fmt.Sscan(string(status[i+len("VmHWM:"):]), &kib)
	}
	return kib << 10
}
