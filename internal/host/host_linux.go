package host

import (
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// This reads the files in which Linux describes itself.
func This() Host {
	h := Host{
		CPU:       field(read("/proc/cpuinfo"), "model name"),
		Memory:    kib(field(read("/proc/meminfo"), "MemTotal")),
		Free:      kib(field(read("/proc/meminfo"), "MemAvailable")),
		HugePages: bracketed(read("/sys/kernel/mm/transparent_hugepage/enabled")),
	}
	limit, err := strconv.ParseUint(strings.TrimSpace(read("/sys/fs/cgroup/memory.max")), 10, 64)
	if err == nil && limit < h.Memory { // a container with less memory than its machine
		used, _ := strconv.ParseUint(strings.TrimSpace(read("/sys/fs/cgroup/memory.current")), 10, 64)
		h.Memory, h.Free = limit, min(h.Free, limit-min(used, limit))
	}
	return h
}

// ForgetPeak returns unused memory to the system and resets the peak.
func ForgetPeak() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // on failure Peak counts from the start of the process
}

// Peak returns the largest number of bytes that this process had in memory, since ForgetPeak if the system allows.
func Peak() uint64 { return kib(field(read("/proc/self/status"), "VmHWM")) }

// read returns the content of a file, empty if there is no such file.
func read(name string) string {
	text, _ := os.ReadFile(name)
	return string(text)
}

// field returns the value of the first line "key : value".
func field(text, key string) string {
	for line := range strings.Lines(text) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// kib returns the number of bytes in a text like "24 kB".
func kib(text string) uint64 {
	number, _, _ := strings.Cut(text, " ")
	n, _ := strconv.ParseUint(number, 10, 64)
	return n << 10
}

// bracketed returns the choice marked in a text like "always [madvise] never".
func bracketed(text string) string {
	_, rest, _ := strings.Cut(text, "[")
	choice, _, _ := strings.Cut(rest, "]")
	return choice
}

// Cores returns the number of physical cores that this process may use, or the number of CPUs if that is unknown.
var Cores = sync.OnceValue(func() int {
	var allowed unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		return runtime.NumCPU()
	}
	var cpus []string
	for i := 0; len(cpus) < allowed.Count(); i++ {
		if allowed.IsSet(i) {
			cpus = append(cpus, "cpu"+strconv.Itoa(i))
		}
	}
	if n := coresIn(os.DirFS("/sys/devices/system/cpu"), cpus); n > 0 {
		return n
	}
	return runtime.NumCPU()
})

// coresIn counts the cores of some CPUs, such as cpu0, by what Linux says below sys/devices/system/cpu: CPUs that share
// a core are its hyperthreads. It returns 0 if that is unknown for any of them.
func coresIn(root fs.FS, cpus []string) int {
	cores := map[string]bool{}
	for _, cpu := range cpus {
		siblings, err := fs.ReadFile(root, cpu+"/topology/thread_siblings_list")
		if err != nil {
			return 0
		}
		cores[strings.TrimSpace(string(siblings))] = true
	}
	return len(cores)
}

// advise marks the huge pages that [p, p+size) touches with MADV_HUGEPAGE, including the first and the last, which it
// shares with its neighbours: buffers allocated one after the other are adjacent.
func advise(p unsafe.Pointer, size uintptr) {
	const page = 2 << 20
	before := uintptr(p) % page
	length := (before + size + page - 1) &^ (page - 1)
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, uintptr(p)-before, length, unix.MADV_HUGEPAGE)
}
