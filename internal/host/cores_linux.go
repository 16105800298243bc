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

// Cores is how many cores the CPUs that this process may run on are of; as many as CPUs where that is not known.
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

// coresIn counts the cores that have some CPUs, as cpu0, by what Linux says below sys/devices/system/cpu: CPUs that
// share a core are its hyperthreads. It is 0 where that is not known of all of them.
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
