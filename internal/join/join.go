// Package join waits for goroutines, and brings their panics to whoever waits.
package join

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// Group is a sync.WaitGroup whose Wait panics with the first *Panic of a goroutine, so that what the caller defers sees
// it too. The zero value is ready.
type Group struct {
	wait  sync.WaitGroup
	once  sync.Once
	first *Panic
}

// Panic is what a goroutine panicked with, and where.
type Panic struct {
	Cause any
	Stack []byte
}

// Error is the cause alone.
func (p *Panic) Error() string { return fmt.Sprint(p.Cause) }

// Go calls f in a goroutine.
func (g *Group) Go(f func()) {
	g.wait.Go(func() {
		defer func() {
			if cause := recover(); cause != nil {
				g.once.Do(func() { g.first = &Panic{cause, debug.Stack()} })
			}
		}()
		f()
	})
}

// Wait returns when all have ended, or panics when one of them has.
func (g *Group) Wait() {
	g.wait.Wait()
	if g.first != nil {
		panic(g.first)
	}
}
