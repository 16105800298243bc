package host

import (
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

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
