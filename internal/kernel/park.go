package kernel

import (
	"os"
	"syscall"
	"time"
)

// Overview. A goroutine that blocks on a channel or a lock takes a record from a cache of the scheduler that belongs to
// the P it ran on, and returns it to the cache of the P it wakes on. With many threads some caches run empty for a long
// time while others fill, and every record made meanwhile is a heap allocation. A goroutine that waits for a file takes
// no record. So a worker waits in a read that never completes and is woken by its deadline, which costs as little as a
// channel.

// park lets one goroutine wait until another wakes it.
type park struct {
	file, mute *os.File // the ends of a pipe that nobody writes to; nil if deadlines are not supported
	read       syscall.RawConn
	wake       chan struct{} // in its place
}

// woken is a deadline that is over.
var woken = time.Unix(1, 0)

func newPark() *park {
	if p, err := newPipePark(); err == nil {
		return p
	}
	return &park{wake: make(chan struct{}, 1)}
}

// newPipePark fails if pipes have no deadlines, or there are too many open files.
func newPipePark() (*park, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p := &park{file: r, mute: w}
	if err = r.SetReadDeadline(time.Time{}); err == nil {
		p.read, err = r.SyscallConn()
	}
	if err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// arm forgets earlier calls of rouse: wait returns after the next one.
func (p *park) arm() {
	if p.file != nil {
		_ = p.file.SetReadDeadline(time.Time{})
		return
	}
	select {
	case <-p.wake:
	default:
	}
}

// wait returns once rouse has been called since arm.
func (p *park) wait() {
	if p.file == nil {
		<-p.wake
		return
	}
	_ = p.read.Read(never)
}

// never says that there is nothing to read.
func never(uintptr) bool { return false }

// rouse lets wait return.
func (p *park) rouse() {
	if p.file != nil {
		_ = p.file.SetReadDeadline(woken)
		return
	}
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// close releases the pipe. Nobody may be waiting, and rouse does nothing afterwards.
func (p *park) close() {
	if p.file != nil {
		_ = p.file.Close()
		_ = p.mute.Close()
	}
}
