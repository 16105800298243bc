package files

import (
	"runtime"
	"runtime/debug"
	"sync"
)

// spare is what a process needs beside what is taken: buffers, stacks and the collector's own.
const spare = 40 << 20

// collector is whether the garbage collector keeps to budgets, and how things were before it did.
var collector struct {
	mu       sync.Mutex
	on, kept bool
	before   int64 // its limit
	held     int64 // bytes that the process had
}

// Collect makes the garbage collector keep the process to every later budget, until Relax. A program may ask for that,
// a library in somebody else's may not.
func Collect() {
	collector.mu.Lock()
	defer collector.mu.Unlock()
	collector.on = true
}

// tighten lets the process have limit bytes more than it had.
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
	}
	debug.SetMemoryLimit(min(c.before, c.held+limit+spare))
}

// RelaxCollector ends the reading: the collector is left as it was before.
func RelaxCollector() {
	c := &collector
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept {
		debug.SetMemoryLimit(c.before)
		c.kept = false
	}
}
