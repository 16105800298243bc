package files

import (
	"bytes"
	"errors"
	"io"
	"math"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/bloomgml/bloom/internal/host"
)

// blockSize is how much text is processed at once.
const blockSize = 1 << 20

// LineBlocks cuts text into pieces of about blockSize bytes that end where a line ends.
type LineBlocks struct {
	file string
	r    io.Reader
	rest []byte // the beginning of a line that the last block did not hold
	line int    // the number of the next line, from 1; 0 before the first block
	end  bool

	budget *Budget // pays for blocks that are larger than usual
}

// NewLineBlocks cuts the text of a file.
func NewLineBlocks(file string, t Text) *LineBlocks {
	return &LineBlocks{file: file, r: t, budget: t.budget}
}

// Next returns a block, in buf if that is large enough, and the number of its first line. Its bytes
// are valid UTF-8. The error after the last block is io.EOF.
func (b *LineBlocks) Next(buf []byte) (block []byte, line int, err error) {
	b.line = max(b.line, 1)
	buf = append(buf[:0], b.rest...)
	b.rest = b.rest[:0]
	for cut := -1; cut < 0 && !b.end; {
		if len(buf) > Bounds.Line {
			return nil, 0, ErrorAt(b.file, b.line, "the line is longer than %d bytes", Bounds.Line)
		}
		old := len(buf)
		buf, err = b.fill(buf)
		if err != nil {
			return nil, 0, err
		}
		if cut = bytes.LastIndexByte(buf[old:], '\n'); cut >= 0 && !b.end {
			b.rest = append(b.rest, buf[old+cut+1:]...)
			buf = buf[:old+cut+1]
		}
	}
	if len(buf) == 0 {
		return nil, 0, io.EOF
	}
	line = b.line
	b.line += bytes.Count(buf, []byte{'\n'})
	if !utf8.Valid(buf) {
		return nil, 0, ErrorAt(b.file, line+linesBeforeInvalid(buf), "is not valid UTF-8")
	}
	return buf, line, nil
}

// fill appends at least blockSize/2 bytes to buf, or all that remain.
func (b *LineBlocks) fill(buf []byte) ([]byte, error) {
	if cap(buf)-len(buf) < blockSize/2 {
		if err := b.budget.Take(int64(2*len(buf)), "a line"); err != nil { // the first block is as large as all
			return nil, err
		}
		buf = append(make([]byte, 0, 2*len(buf)+blockSize), buf...)
	}
	for free := cap(buf) - len(buf); free > 0 && cap(buf)-len(buf) > free/2; {
		n, err := b.r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if errors.Is(err, io.EOF) {
			b.end = true
			return buf, nil
		}
		if err != nil {
			return nil, InFile(b.file, err)
		}
	}
	return buf, nil
}

// InFile adds the name of its file to an error, unless the error has it.
func InFile(file string, err error) error {
	return OrAt(err, Because(file, err))
}

// linesBeforeInvalid counts the line ends before the first byte that is not UTF-8.
func linesBeforeInvalid(b []byte) int {
	n := 0
	for line := range bytes.Lines(b) {
		if !utf8.Valid(line) {
			break
		}
		n++
	}
	return n
}

// scan calls do with every line.
func scan(b *LineBlocks, do func(line int, text []byte) error) error {
	buf := make([]byte, 0, blockSize)
	for {
		block, line, err := b.Next(buf)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := EachLine(block, line, do); err != nil {
			return err
		}
		buf = block
	}
}

// EachLine calls do with every line of a block whose first has number line.
func EachLine(block []byte, line int, do func(line int, text []byte) error) error {
	for ; len(block) > 0; line++ {
		text := block
		if end := bytes.IndexByte(block, '\n'); end >= 0 {
			text, block = block[:end], block[end+1:]
		} else {
			block = nil
		}
		if err := do(line, bytes.TrimSuffix(text, []byte{'\r'})); err != nil {
			return err
		}
	}
	return nil
}

// Scan calls do with every line of a file, compressed or not, and its number, without LF or CRLF. The line is valid
// only during the call. An error of do ends the scan. The memory of a long line is taken from memory.
func Scan(path string, memory *Budget, do func(line int, text []byte) error) error {
	t, err := OpenText(path, memory)
	if err != nil {
		return err
	}
	defer t.Close()
	return scan(NewLineBlocks(path, t), do)
}

// Difference returns the first lines in which two texts differ.
func Difference(a, b string) (lineA, lineB string) {
	x, y := append(strings.Split(a, "\n"), "", ""), append(strings.Split(b, "\n"), "", "")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return strings.TrimSpace(x[i]), strings.TrimSpace(y[i])
		}
	}
	return a, b
}

// Each calls do with the remaining blocks, on all cores at once and in any order, while the next blocks are read and
// unpacked. A block is valid during its call. Of several errors the one with the first line wins, so the same file
// always fails in the same way: blocks are handed out in order, so all before the failed one have been processed.
func (b *LineBlocks) Each(do func(block []byte, line int) error) error {
	type job struct {
		block []byte
		line  int
	}
	workers := runtime.GOMAXPROCS(0)
	jobs, free := make(chan job), make(chan []byte, workers+1)
	for range cap(free) {
		free <- make([]byte, 0, blockSize)
	}
	var mu sync.Mutex
	var first error
	at := math.MaxInt // the line of first
	keep := func(line int, err error) (failed bool) {
		mu.Lock()
		defer mu.Unlock()
		if err != nil && line < at {
			at, first = line, err
		}
		return first != nil
	}
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for j := range jobs {
				keep(j.line, host.Catch(func() error { return do(j.block, j.line) }))
				free <- j.block
			}
		})
	}
	for !keep(0, nil) {
		block, line, err := b.Next(<-free)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			keep(b.line, err)
			break
		}
		jobs <- job{block, line}
	}
	close(jobs)
	group.Wait()
	return host.Rethrow(first)
}

// ScanIDs calls do for every line of a text file, after parsing len(dst) numbers, between tabs or blanks, into dst.
// They must not be negative and must be below 2³¹. Empty lines are skipped; dst is reused.
func ScanIDs(path string, b *Budget, dst []int32, do func(line int) error) error {
	return Scan(path, b, func(line int, text []byte) error {
		fields := bytes.Fields(text)
		if len(fields) == 0 {
			return nil
		}
		if len(fields) != len(dst) {
			return ErrorAt(path, line, "%d columns, want %d: %s", len(fields), len(dst), Excerpt(text))
		}
		for i, field := range fields {
			n, err := strconv.ParseUint(string(field), 10, 31)
			if err != nil {
				return ErrorAt(path, line, "%s is not a number from 0 to 2³¹−1", Excerpt(field))
			}
			dst[i] = int32(n)
		}
		return do(line)
	})
}
