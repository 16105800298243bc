package opaque

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/mat"
)

// recording is what a device is recording.
type recording struct {
	one   sync.Mutex  // of Record
	on    atomic.Bool // somebody records
	owner string      // who
	list  []func()
}

// Record keeps the operations that this goroutine asks for; those of others are done meanwhile.
func (r *recording) Record(f func()) (replay func()) {
	r.one.Lock()
	defer r.one.Unlock()
	r.owner, r.list = host.GoroutineID(), nil
	r.on.Store(true)
	defer func() {
		r.on.Store(false)
		r.list = nil
	}()
	f()
	list := r.list
	return func() {
		for _, do := range list {
			do()
		}
	}
}

// recorded reports whether this goroutine records.
func (r *recording) recorded() bool { return r.on.Load() && r.owner == host.GoroutineID() }

// run does f, or keeps it for replays while this goroutine records; xs, which f reads, then stay on the memory that
// they have now.
func (r *recording) run(f func(), xs ...**mat.Dense) {
	if !r.recorded() {
		f()
		return
	}
	for _, x := range xs {
		if *x != nil {
			*x = (*x).As((*x).Shape())
		}
	}
	r.list = append(r.list, f)
}

// mustNotRecord panics where an operation of a program needs the host.
func (r *recording) mustNotRecord(what string) {
	if r.recorded() {
		panic(fmt.Sprintf("opaque: %s while operations are recorded", what))
	}
}
