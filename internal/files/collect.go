package files

import (
	"runtime"
	"runtime/debug"
	"sync"
)

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
