package mat

import (
	"sync"
	"sync/atomic"

	"github.com/bloomgml/bloom/internal/host"
)

// Laned is a Device on hardware that can do several things at the same time.
type Laned interface {
	// Lane is another Device on the same hardware: its operations run concurrently with those of other lanes, with the
	// same bits. It has its own memory: operations refuse operands of two lanes.
	Lane() (Device, error)
}

// scopes holds the devices of goroutines that are inside On.
var scopes struct {
	count atomic.Int32
	of    sync.Map // goroutine.ID to Device
}

// On calls f with dev as the default device of this goroutine. Goroutines that f starts use the default device of the
// program.
func On(dev Device, f func()) {
	id := host.GoroutineID()
	outer, nested := scopes.of.Swap(id, dev)
	scopes.count.Add(1)
	defer func() {
		scopes.count.Add(-1)
		if nested {
			scopes.of.Store(id, outer)
		} else {
			scopes.of.Delete(id)
		}
	}()
	f()
}

// scoped returns the device that On chose for this goroutine; nil for none.
func scoped() Device {
	if scopes.count.Load() == 0 {
		return nil
	}
	dev, ok := scopes.of.Load(host.GoroutineID())
	if !ok {
		return nil
	}
	return dev.(Device)
}

// Lanes are devices for work that is done at the same time, one for each piece.
type Lanes chan Device

// NewLanes returns n lanes of the default device, or n times the device itself if it has no lanes: the CPU divides its
// threads on its own.
func NewLanes(n int) (Lanes, error) {
	dev := Default()
	split, ok := dev.(Laned)
	all := make(Lanes, n)
	for range n {
		one := dev
		if ok && n > 1 {
			var err error
			if one, err = split.Lane(); err != nil {
				return nil, err
			}
		}
		all <- one
	}
	return all, nil
}

// Do calls f when a lane is free, and has it for the time of the call.
func (l Lanes) Do(f func()) {
	dev := <-l
	defer func() { l <- dev }()
	if dev == Default() {
		f()
		return
	}
	On(dev, f)
}
