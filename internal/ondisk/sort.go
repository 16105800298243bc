package ondisk

import (
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/bloomgml/bloom/internal/files"
)

// sorter puts numbers into ascending order, each once, in bounded memory: what a buffer holds is sorted and written to
// a file, a run, and the runs are merged. A list that fits into the buffer needs no file.
type sorter struct {
	dir        string
	buf, spare []uint64 // of one length
	runs       []*run
	room       int                                 // numbers that all runs together may hold while they are merged
	note       func(numbers int, sum uint32) error // is told of every run that is complete
}

// newSorter sorts about so many numbers, 0 where that is not known, within so many bytes, with files in dir.
func newSorter(dir string, numbers, memory int64) *sorter {
	n := int(max(memory/32, 1<<10)) // a half for the buffer and its copy, the rest for what reads and writes beside
	if numbers > 0 {
		n = min(n, int(numbers)+1)
	}
	return &sorter{dir: dir, buf: make([]uint64, 0, n), spare: make([]uint64, n), room: n}
}

// runPath is the file of run k.
func runPath(dir string, k int) string { return filepath.Join(dir, "run-"+strconv.Itoa(k)+".tmp") }

// reopen takes over runs that are complete.
func (s *sorter) reopen(notes []runNote) error {
	for k, n := range notes {
		path := runPath(s.dir, k)
		f, err := os.Open(path)
		if err != nil {
			return files.Because(path, err)
		}
		s.runs = append(s.runs, &run{file: f, path: path, left: n.Numbers})
	}
	return nil
}

// add takes numbers, all of them into one run.
func (s *sorter) add(keys ...uint64) error {
	if len(s.buf)+len(keys) > cap(s.buf) {
		if err := s.flush(); err != nil {
			return err
		}
	}
	s.buf = append(s.buf, keys...)
	return nil
}

// sort puts the buffer into order.
func (s *sorter) sort() {
	s.buf, s.spare = radixSort(s.buf, s.spare)
	s.buf = slices.Compact(s.buf)
}

// flush writes the buffer as a run.
func (s *sorter) flush() error {
	if len(s.buf) == 0 {
		return nil
	}
	s.sort()
	path := runPath(s.dir, len(s.runs))
	f, err := os.Create(path)
	if err != nil {
		return files.Because(path, err)
	}
	s.runs = append(s.runs, &run{file: f, path: path, left: len(s.buf)})
	fromFile(s.buf)
	b := bytesOf(s.buf)
	if _, err := f.Write(b); err != nil {
		return files.Because(path, err)
	}
	s.buf = s.buf[:0]
	return s.note(len(b)/8, crc32.Checksum(b, castagnoli))
}

// each yields all numbers, ascending, each once.
func (s *sorter) each(yield func(uint64) error) error {
	if len(s.runs) == 0 {
		s.sort()
		for _, key := range s.buf {
			if err := yield(key); err != nil {
				return err
			}
		}
		return nil
	}
	if err := s.flush(); err != nil {
		return err
	}
	return s.merge(yield)
}

// merge goes through all runs at once.
func (s *sorter) merge(yield func(uint64) error) error {
	all, each := s.spare[:s.room], max(1, s.room/len(s.runs))
	var heap []*run
	for i, r := range s.runs {
		r.room = all[min(i*each, len(all)-1):][:each:each]
		if _, err := r.file.Seek(0, 0); err != nil {
			return files.Because(r.path, err)
		}
		if err := r.next(); err != nil {
			return err
		}
		if !r.done {
			heap = append(heap, r)
		}
	}
	for i := len(heap)/2 - 1; i >= 0; i-- {
		sink(heap, i)
	}
	last, any := uint64(0), false
	for len(heap) > 0 {
		r := heap[0]
		if key := r.key; !any || key != last {
			if err := yield(key); err != nil {
				return err
			}
			last, any = key, true
		}
		if err := r.next(); err != nil {
			return err
		}
		if r.done {
			heap[0] = heap[len(heap)-1]
			heap = heap[:len(heap)-1]
		}
		sink(heap, 0)
	}
	return nil
}

// close closes the files.
func (s *sorter) close() error {
	var errs []error
	for _, r := range s.runs {
		errs = append(errs, r.file.Close())
	}
	return errors.Join(errs...)
}

// run is a sorted file while it is read.
type run struct {
	file *os.File
	path string
	left int // numbers that are not read yet
	room []uint64
	buf  []uint64 // what is left of room
	key  uint64   // the present one
	done bool
}

// next goes to the next number.
func (r *run) next() error {
	if len(r.buf) == 0 {
		if r.left == 0 {
			r.done = true
			return nil
		}
		r.buf = r.room[:min(len(r.room), r.left)]
		r.left -= len(r.buf)
		if err := readFull(r.file, bytesOf(r.buf)); err != nil {
			return files.Because(r.path, err)
		}
		fromFile(r.buf)
	}
	r.key, r.buf = r.buf[0], r.buf[1:]
	return nil
}

// sink moves heap[i] down to its place: the smallest key is the first.
func sink(heap []*run, i int) {
	for {
		child := 2*i + 1
		if child >= len(heap) {
			return
		}
		if child+1 < len(heap) && heap[child+1].key < heap[child].key {
			child++
		}
		if heap[i].key <= heap[child].key {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}

// radixSort sorts x by its bytes, from the lowest, and returns it with the memory that is free: x and spare, in either
// order. A byte that all numbers share is left out.
func radixSort(x, spare []uint64) (sorted, free []uint64) {
	n := len(x)
	for shift := 0; shift < 64; shift += 8 {
		var count [257]int
		for _, key := range x {
			count[key>>shift&255+1]++
		}
		if slices.Contains(count[:], n) {
			continue
		}
		for b := range 256 {
			count[b+1] += count[b]
		}
		to := spare[:n]
		for _, key := range x {
			b := key >> shift & 255
			to[count[b]] = key
			count[b]++
		}
		x, spare = to, x[:cap(x)]
	}
	return x, spare
}
