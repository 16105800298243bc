package files

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/bloomgml/bloom/internal/host"
)

// fixed is what the user has set, 0 for nothing.
var fixed atomic.Int64

// MemoryVariable is the name of the environment variable that says how much memory reading may take, as --memory does.
const MemoryVariable = "BLOOM_MEMORY"

func init() {
	if n, err := ParseBytes(os.Getenv(MemoryVariable)); err == nil {
		fixed.Store(n)
	}
}

// SetMemory sets the size of all later budgets, whatever their files; 0 restores the default.
func SetMemory(bytes int64) { fixed.Store(bytes) }

// FixedMemory returns the value of SetMemory, 0 if it was not called.
func FixedMemory() int64 { return fixed.Load() }

// MemoryLimit returns the maximum of any budget: the value of SetMemory, or a share of this machine's memory.
func MemoryLimit() int64 {
	if n := FixedMemory(); n > 0 {
		return n
	}
	return most()
}

// ParseBytes reads a number of bytes such as 512MiB, 4GiB, 2GB or 1000000.
func ParseBytes(text string) (int64, error) {
	number := strings.TrimRight(strings.TrimSpace(text), "kKMGTiB ")
	unit, known := map[string]float64{
		"": 1, "B": 1, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
		"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30,
	}[strings.TrimSpace(strings.TrimSpace(text)[len(number):])]
	x, err := strconv.ParseFloat(number, 64)
	if bytes := x * unit; err == nil && known && bytes >= 1 && bytes < math.MaxInt64 {
		return int64(bytes), nil
	}
	return 0, fmt.Errorf("%q is not a number of bytes such as 512MiB or 4GiB", text)
}

// BytesText formats a number of bytes for people; ParseBytes reads it.
func BytesText(bytes int64) string {
	x, unit := float64(bytes), "B"
	for _, u := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if x < 1024 {
			break
		}
		x, unit = x/1024, u
	}
	digits := strconv.FormatFloat(x, 'f', 1, 64)
	return strings.TrimSuffix(digits, ".0") + unit
}

// most is the largest budget of this machine.
var most = sync.OnceValue(func() int64 {
	if total := host.This().Memory; total > 0 && total < math.MaxInt64/2 {
		return int64(share * float64(total))
	}
	return 8 << 30 // the system does not say how much memory there is
})

// spare is what a process needs besides what is taken: buffers, stacks and memory of the collector.
const spare = 40 << 20

// collector records whether the garbage collector keeps to budgets, and the settings before it did.
var collector struct {
	mu       sync.Mutex
	on, kept bool
	before   int64 // its limit
	held     int64 // bytes that the process had
	percent  int   // garbage that it allowed, in percent of what is in use
}

// garbage is how much garbage there may be while files are read, in percent of what is in use. Tables are large arrays
// without pointers, which cost the collector little.
const garbage = 20

// Collect makes the garbage collector keep the process to every later budget, until RelaxCollector. It is for programs,
// not for libraries in other programs.
func Collect() {
	collector.mu.Lock()
	defer collector.mu.Unlock()
	collector.on = true
}

// tighten allows the process limit bytes more than it had.
func tighten(limit int64) {
	c := &collector
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.on {
		return
	}
	if !c.kept {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		c.kept, c.before, c.held = true, debug.SetMemoryLimit(-1), int64(m.Sys-m.HeapReleased)
		if c.percent = debug.SetGCPercent(garbage); c.percent < garbage {
			debug.SetGCPercent(c.percent)
		}
	}
	debug.SetMemoryLimit(min(c.before, c.held+limit+spare))
}

// RelaxCollector ends the reading: it restores the collector's earlier settings.
func RelaxCollector() {
	c := &collector
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept {
		debug.SetMemoryLimit(c.before)
		debug.SetGCPercent(c.percent)
		c.kept = false
	}
}
