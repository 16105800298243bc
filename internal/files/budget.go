package files

import (
	"runtime/debug"
	"sync/atomic"
	"unsafe"
)

// A budget is Base and Factor times the bytes of the files that were admitted, and at most Share of the machine's
// memory. A process takes more in all: its program, its buffers and garbage that is not collected yet.
const (
	base   = 160 << 20
	factor = 18
	share  = 0.75
)

// Budget is how many bytes may be taken, and how many are. All methods are safe for concurrent use, and do nothing on
// nil, which has no limit.
type Budget struct {
	limit, used atomic.Int64
	most        int64                  // maximum of limit
	file        atomic.Pointer[string] // the file admitted last, for errors
}

// NewBudget returns a budget for files that Admit names, or the budget that the user has set (SetMemory).
func NewBudget() *Budget {
	if n := fixed.Load(); n > 0 {
		return BudgetOf(n)
	}
	b := &Budget{most: most()}
	b.limit.Store(min(base, b.most))
	tighten(b.limit.Load())
	return b
}

// BudgetOf returns a budget of the given number of bytes, whatever the size of files.
func BudgetOf(bytes int64) *Budget {
	b := &Budget{most: bytes}
	b.limit.Store(bytes)
	tighten(bytes)
	return b
}

// Admit announces that a file of the given size will be read: the budget grows with the size, and errors name the file.
// For a source of unknown size bytes is −1; it may take what the machine allows.
func (b *Budget) Admit(file string, bytes int64) {
	if b == nil {
		return
	}
	b.file.Store(&file)
	more := b.most
	if bytes >= 0 && bytes < b.most/factor {
		more = factor * bytes
	}
	b.limit.Store(min(b.most, b.limit.Load()+more))
	tighten(b.limit.Load())
}

// Take must be called before bytes are allocated; what says what they are for. Beyond the limit it returns a
// *files.Error about the file admitted last.
func (b *Budget) Take(bytes int64, what string) error {
	if b == nil || bytes == 0 {
		return nil
	}
	used, limit := b.used.Add(bytes), b.limit.Load()
	if bytes >= 0 && used >= 0 && used <= limit {
		return nil
	}
	b.used.Add(-bytes)
	file := "reading"
	if f := b.file.Load(); f != nil {
		file = *f
	}
	if bytes < 0 {
		return Errorf(file, "%s would take more memory than there can be", what)
	}
	return Errorf(file, "%s would take %s, with %s taken; the memory for reading it is %s (--memory %s allows more)",
		what, BytesText(bytes), BytesText(used-bytes), BytesText(limit), BytesText(enough(used)))
}

// Release returns bytes that are no longer held to the budget.
func (b *Budget) Release(bytes int64) {
	if b != nil {
		b.used.Add(-bytes)
	}
}

// Hold adjusts what was paid for something to what it holds now: it takes or releases the difference.
func (b *Budget) Hold(paid *int64, now int64, what string) error {
	if now > *paid {
		if err := b.Take(now-*paid, what); err != nil {
			return err
		}
	} else {
		b.Release(*paid - now)
	}
	*paid = now
	return nil
}

// enough returns a round number of bytes that is at least n.
func enough(n int64) int64 {
	for size := int64(1 << 28); size > 0; size *= 2 {
		if size >= n+n/4 {
			return size
		}
	}
	return n
}

// Grow returns s with room for n more values, whose memory is taken from b when s has to grow: to half as much again or
// as much as needed, or a sixteenth more if that is beyond the budget.
func Grow[T any](b *Budget, s []T, n int, what string) ([]T, error) {
	if cap(s)-len(s) >= n {
		return s, nil
	}
	var one T
	size := int64(unsafe.Sizeof(one))
	room := max(len(s)+n, len(s)+len(s)/2, 16)
	if err := b.Take(int64(room)*size, what); err != nil {
		room = len(s) + max(n, len(s)/16)
		if err := b.Take(int64(room)*size, what); err != nil {
			return s, err
		}
	}
	t := append(make([]T, 0, room), s...)
	b.Release(int64(cap(s)) * size)
	return t, nil
}

// Append is append with the memory taken from b.
func Append[T any](b *Budget, s []T, what string, x T) ([]T, error) {
	s, err := Grow(b, s, 1, what)
	if err != nil {
		return s, err
	}
	return append(s, x), nil
}

// Program is how many bytes a process has besides the heap.
const Program = 64 << 20

// KeepTo makes the collector keep the process to the given bytes; 0 changes nothing.
func KeepTo(bytes int64) {
	if bytes > 0 {
		debug.SetMemoryLimit(max(bytes/2, bytes-Program))
	}
}
