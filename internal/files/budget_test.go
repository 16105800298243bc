package files

import (
	"errors"
	"math"
	"runtime/debug"
	"strings"
	"testing"
)

// TestTake refuses what is beyond the limit, with the file, the use, the budget and a flag, and leaves what was taken.
func TestTake(t *testing.T) {
	b := BudgetOf(1 << 30)
	b.Admit("people.csv", 10)
	if err := b.Take(1<<29, "rows"); err != nil {
		t.Fatal(err)
	}
	err := b.Take(1<<29+1, "features")
	var at *Error
	want := "people.csv: features would take 512MiB, with 512MiB taken; the memory for reading it is 1GiB " +
		"(--memory 2GiB allows more)"
	if !errors.As(err, &at) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if err := b.Take(-1, "a product that overflowed"); err == nil {
		t.Error("a negative size is taken")
	}
	if err := b.Take(math.MaxInt64, "much"); err == nil {
		t.Error("2⁶³−1 bytes are taken")
	}
	if err := b.Take(1<<29, "the rest"); err != nil {
		t.Error(err)
	}
	b.Release(1 << 30)
	if err := (*Budget)(nil).Take(math.MaxInt64, "anything"); err != nil {
		t.Error(err)
	}
}

// TestAdmit follows the sizes of files, up to what the machine has.
func TestAdmit(t *testing.T) {
	b := NewBudget()
	if got := b.limit.Load(); got != base {
		t.Errorf("%d before a file, want %d", got, base)
	}
	b.Admit("a", 1000)
	b.Admit("b", 500)
	if got, want := b.limit.Load(), int64(base+1500*factor); got != want {
		t.Errorf("%d for files of 1500 bytes, want %d", got, want)
	}
	b.Admit("c", math.MaxInt64)
	if got := b.limit.Load(); got != b.most {
		t.Errorf("%d for the largest file, want %d", got, b.most)
	}
	b = NewBudget()
	if b.Admit("postgres://host/db", -1); b.limit.Load() != b.most {
		t.Errorf("%d for a database, want %d", b.limit.Load(), b.most)
	}
	SetMemory(77)
	defer SetMemory(0)
	if b := NewBudget(); b.limit.Load() != 77 {
		t.Errorf("%d, want 77 as the user said", b.limit.Load())
	}
}

// TestRoom pays for what slices hold, no more, whatever they grew through.
func TestRoom(t *testing.T) {
	b := BudgetOf(1000 * 8)
	var s []int64
	var err error
	for i := 0; err == nil; i++ {
		if s, err = Append(b, s, "numbers", int64(i)); err == nil && b.used.Load() != int64(8*cap(s)) {
			t.Fatalf("%d bytes are taken for room of %d", b.used.Load(), 8*cap(s))
		}
	}
	if !strings.Contains(err.Error(), "numbers") || len(s) < 400 || s[len(s)-1] != int64(len(s)-1) {
		t.Errorf("%d numbers, %v", len(s), err)
	}
	if s, grew := growths(t, 1<<20); grew > 200 || len(s) < 1<<18 {
		t.Errorf("%d numbers after growing %d times", len(s), grew)
	}
	if _, err := Grow(b, []int64(nil), 1<<60, "too many"); err == nil {
		t.Error("2⁶³ bytes are taken")
	}
	paid := int64(0)
	b = BudgetOf(100)
	if err := errors.Join(b.Hold(&paid, 80, "x"), b.Hold(&paid, 100, "x"), b.Hold(&paid, 0, "x")); err != nil ||
		b.used.Load() != 0 {
		t.Errorf("%v, %d taken", err, b.used.Load())
	}
}

// growths appends until a budget for that number of values is used up, and counts how often the array changes.
func growths(t *testing.T, numbers int64) (s []int64, grew int) {
	t.Helper()
	b, err := BudgetOf(8*numbers), error(nil)
	for err == nil {
		before := cap(s)
		if s, err = Append(b, s, "numbers", 1); cap(s) != before {
			grew++
		}
	}
	return s, grew
}

// TestBytes reads what people write, and what Text writes.
func TestBytes(t *testing.T) {
	for text, want := range map[string]int64{"4GiB": 4 << 30, "512 MiB": 512 << 20, "1000000": 1e6, "2GB": 2e9,
		"1.5KiB": 1536, "3M": 3 << 20} {
		if got, err := ParseBytes(text); err != nil || got != want {
			t.Errorf("%q is %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "GiB", "-1GiB", "x", "1e400", "4Gi4", "0", "NaN", "9999999TiB"} {
		if got, err := ParseBytes(text); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
	for _, n := range []int64{1, 1 << 20, 3 << 30, 5 << 40} {
		if again, err := ParseBytes(BytesText(n)); err != nil || again != n {
			t.Errorf("%d is %s, which is %d, %v", n, BytesText(n), again, err)
		}
	}
}

// TestCollect: the collector keeps to a budget while there is one, and is left as it was.
func TestCollect(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	Collect()
	defer func() { collector.on = false }()
	BudgetOf(1 << 20)
	if during := debug.SetMemoryLimit(-1); during >= before {
		t.Errorf("the limit of the collector is %d, it was %d", during, before)
	}
	RelaxCollector()
	if after := debug.SetMemoryLimit(-1); after != before {
		t.Errorf("the limit of the collector is %d, it was %d", after, before)
	}
}
