package host

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Group is a sync.WaitGroup whose Wait panics with the first *Panic of a goroutine, so deferred functions of the caller
// run. The zero value is ready to use.
type Group struct {
	wait  sync.WaitGroup
	once  sync.Once
	first *Panic
}

// Panic is the value a goroutine panicked with, and where.
type Panic struct {
	Cause any
	Stack []byte
}

// Error returns the cause alone.
func (p *Panic) Error() string { return fmt.Sprint(p.Cause) }

// Catch calls f and returns its error, which is a *Panic if f panics, for workers that must go on. The caller that
// collects their errors must pass them to Rethrow.
func Catch(f func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = &Panic{cause, debug.Stack()}
		}
	}()
	return f()
}

// Rethrow panics with err if it is a *Panic, and otherwise returns it.
func Rethrow(err error) error {
	if p, ok := err.(*Panic); ok {
		panic(p)
	}
	return err
}

// Go calls f in a goroutine.
func (g *Group) Go(f func()) {
	g.wait.Go(func() {
		err := Catch(func() error { f(); return nil })
		if p, ok := err.(*Panic); ok {
			g.once.Do(func() { g.first = p })
		}
	})
}

// Wait returns when all goroutines have ended, and panics if one of them has panicked.
func (g *Group) Wait() {
	g.wait.Wait()
	if g.first != nil {
		panic(g.first)
	}
}

// Each calls f with 0 to n−1, on all cores, and returns when all calls have.
func Each(n int, f func(i int)) {
	var next atomic.Int64
	var group Group
	for range min(runtime.GOMAXPROCS(0), n) {
		group.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				f(int(i))
			}
		})
	}
	group.Wait()
}

// GoroutineID returns the number of this goroutine, as a stack trace has it. It takes about a microsecond.
func GoroutineID() string {
	var b [40]byte
	first, _, _ := bytes.Cut(b[:runtime.Stack(b[:], false)], []byte("["))
	return string(first)
}
