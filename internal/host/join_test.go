package host

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
)

func TestGroup(t *testing.T) {
	var g Group
	var n atomic.Int32
	for range 10 {
		g.Go(func() { n.Add(1) })
	}
	if g.Wait(); n.Load() != 10 {
		t.Errorf("%d of 10 have run", n.Load())
	}
}

// TestGroupPanics: the panic of a goroutine comes to the caller, with its own stack, when all others have ended.
func TestGroupPanics(t *testing.T) {
	var g Group
	var n atomic.Int32
	defer func() {
		p, ok := recover().(*Panic)
		if !ok || p.Error() != "broken" || !strings.Contains(string(p.Stack), "breaks(") || n.Load() != 9 {
			t.Errorf("got %v, after %d of 9", p, n.Load())
		}
	}()
	for i := range 10 {
		if i == 3 {
			g.Go(breaks)
			continue
		}
		g.Go(func() { n.Add(1) })
	}
	g.Wait()
}

// TestCatch: what a function panics with is an error, until it is thrown again; other errors stay what they are.
func TestCatch(t *testing.T) {
	plain := errors.New("plain")
	if err := Rethrow(Catch(func() error { return plain })); err != plain {
		t.Errorf("got %v", err)
	}
	err := Catch(func() error { breaks(); return nil })
	defer func() {
		if p, ok := recover().(*Panic); !ok || p != err || !strings.Contains(string(p.Stack), "breaks(") {
			t.Errorf("got %v, want %v", p, err)
		}
	}()
	Rethrow(err)
}

func breaks() { panic("broken") }
