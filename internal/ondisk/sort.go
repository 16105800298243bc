package ondisk

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/bloomgml/bloom/internal/files"
)

// sorter sorts numbers and drops duplicates in bounded memory: it sorts the contents of a buffer, writes them to a
// file, a run, and merges the runs. A list that fits into the buffer needs no file.
type sorter struct {
	dir        string
	buf, spare []uint64 // of equal length
	runs       []*run
	room       int // total buffer size of all runs while they are merged
}

// newSorter returns a sorter of about the given number of numbers, 0 if unknown, which uses at most memory bytes, with
// files in dir.
func newSorter(dir string, numbers, memory int64) *sorter {
	n := int(max(memory/32, 1<<10)) // half for the buffer and its copy, the rest for reading and writing
	if numbers > 0 {
		n = min(n, int(numbers)+1)
	}
	return &sorter{dir: dir, buf: make([]uint64, 0, n), spare: make([]uint64, n), room: n}
}

// add adds numbers, all of them to one run.
func (s *sorter) add(keys ...uint64) error {
	if len(s.buf)+len(keys) > cap(s.buf) {
		if err := s.flush(); err != nil {
			return err
		}
	}
	s.buf = append(s.buf, keys...)
	return nil
}

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
	path := filepath.Join(s.dir, "run-"+strconv.Itoa(len(s.runs))+".tmp")
	f, err := os.Create(path)
	if err != nil {
		return files.Because(path, err)
	}
	s.runs = append(s.runs, &run{file: f, path: path, left: len(s.buf)})
	fromFile(s.buf)
	if _, err := f.Write(bytesOf(s.buf)); err != nil {
		return files.Because(path, err)
	}
	s.buf = s.buf[:0]
	return nil
}

// each yields all numbers, ascending, without duplicates.
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

// close removes the files.
func (s *sorter) close() error {
	var errs []error
	for _, r := range s.runs {
		errs = append(errs, r.file.Close(), os.Remove(r.path))
	}
	return errors.Join(errs...)
}

// run is a sorted file being read.
type run struct {
	file *os.File
	path string
	left int // numbers not read yet
	room []uint64
	buf  []uint64 // the unread rest of room
	key  uint64   // the current number
	done bool
}

// next advances to the next number.
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

// sink moves heap[i] down to its place in the min-heap.
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

// radixSort sorts x by its bytes, lowest first, and returns it with the memory that is free: x and spare, in either
// order. It skips a byte that all numbers share.
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
