//go:build cuda && linux && (amd64 || arm64) && !f64

package cuda

import (
	"fmt"
	"runtime"
	"time"
	"unsafe"

	"github.com/bloomgml/bloom/mat"
)

// arena is freed memory of the GPU, kept for reuse: asking the driver takes longer than most operations. Since
// operations run in order, memory can be reused at once.
type arena struct {
	spare map[int][]uintptr // by size
	slab  uintptr           // the rest of the slab, from which small blocks are cut
	room  int
	idle  int // bytes of spare
	used  int // bytes that were handed out
}

const (
	small     = 1 << 20  // blocks up to here are cut from slabs
	slabBytes = 16 << 20 // size of one
	alignment = 512
)

// rounded returns the size that is allocated for n bytes: at most an eighth more, except for the smallest sizes.
func rounded(n int) int {
	step := alignment
	for step*16 < n {
		step *= 2
	}
	return max(n+step-1, alignment) / step * step
}

// block is memory of the GPU. Unreachable blocks are freed by the garbage collector.
type block struct {
	at    uintptr
	size  int
	clean runtime.Cleanup
}

// allocate returns an uninitialised block of at least n bytes.
func (d *device) allocate(n int) *block {
	size := rounded(n)
	b := &block{at: d.address(size), size: size}
	d.arena.used += size
	b.clean = runtime.AddCleanup(b, func(at uintptr) { d.reclaim(at, size) }, b.at)
	return b
}

// address finds memory: spare, cut from a slab, or from the driver.
func (d *device) address(size int) uintptr {
	a := &d.arena
	if list := a.spare[size]; len(list) > 0 {
		a.spare[size] = list[:len(list)-1]
		a.idle -= size
		return list[len(list)-1]
	}
	if size > small {
		return d.more(size)
	}
	if a.room < size {
		a.slab, a.room = d.more(slabBytes), slabBytes
	}
	at := a.slab
	a.slab, a.room = a.slab+uintptr(size), a.room-size
	return at
}

// more asks the driver for memory; if the driver has none left, it first returns all spare memory to it and asks again.
func (d *device) more(size int) (at uintptr) {
	for try := range 3 {
		code := call(d.alloc, uintptr(unsafe.Pointer(&at)), uintptr(size))
		if code != codeNoMemory || try == 2 {
			d.must(fmt.Sprintf("taking %.1f MiB", float64(size)/(1<<20)), code)
			return at
		}
		if try == 1 { // what nobody reaches any more
			d.leave()
			runtime.GC()
			time.Sleep(20 * time.Millisecond)
			d.enter()
		}
		d.trim()
	}
	return at
}

// trim returns to the driver spare memory that was not cut from slabs.
func (d *device) trim() {
	d.wait()
	for size, list := range d.arena.spare {
		if size <= small {
			continue
		}
		for _, at := range list {
			d.must("giving memory back", call(d.free, at))
			d.arena.idle -= size
		}
		delete(d.arena.spare, size)
	}
}

// recycle returns a block to the spare memory.
func (d *device) recycle(b *block) {
	b.clean.Stop()
	d.arena.spared(b.at, b.size)
	b.at = 0
}

// reclaim is give for the garbage collector, which only knows the address.
func (d *device) reclaim(at uintptr, size int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.arena.spared(at, size)
}

func (a *arena) spared(at uintptr, size int) {
	a.spare[size] = append(a.spare[size], at)
	a.idle += size
	a.used -= size
}

// numbers is the memory of matrices.
type numbers struct {
	*block
	n int
}

func (b *numbers) Len() int { return b.n }

func (d *device) Alloc(n int) mat.Buffer {
	defer d.enterUnrecorded("Alloc").leave()
	b := &numbers{d.allocate(4 * n), n}
	d.zero(b.at, n)
	return b
}

// zero fills n numbers with 0.
func (d *device) zero(at uintptr, n int) {
	if n > 0 {
		d.must("filling", d.callDirect(d.library.fill, at, 0, uintptr(n), d.here()))
	}
}

// Free releases memory of any kind.
func (d *device) Free(b mat.Buffer) {
	defer d.enterUnrecorded("Free").leave()
	for _, x := range b.(interface{ blocks() []*block }).blocks() {
		if x.at == 0 {
			panic("cuda: memory that was freed")
		}
		d.recycle(x)
	}
}

func (b *block) blocks() []*block { return []*block{b} }

// memory returns where the numbers of b are; it panics for memory of another device, or that was freed.
func (d *device) memory(b mat.Buffer) uintptr {
	x, ok := b.(*numbers)
	if !ok {
		panic(fmt.Sprintf("cuda: memory of another device, %T", b))
	}
	return d.use(x.block)
}

// use returns the address of a block for an operation; a recording keeps the block.
func (d *device) use(b *block) uintptr {
	if b.at == 0 {
		panic("cuda: memory that was freed")
	}
	if d.recorded() {
		d.kept = append(d.kept, b)
	}
	return b.at
}

// ptr returns where the numbers of a matrix are, 0 for a nil one.
func (d *device) ptr(x *mat.Dense) uintptr {
	if x == nil {
		return 0
	}
	return d.memory(x.Buffer())
}
