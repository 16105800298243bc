package mat_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/bloomgml/bloom/mat"
)

// split is a Device with lanes.
type split struct {
	mat.Device
	fails error
}

func (split) Name() string { return "split" }

func (s split) Lane() (mat.Device, error) { return &lane{mat.CPU}, s.fails }

// lane is one of them.
type lane struct{ mat.Device }

// TestOn: a device holds for one goroutine and for the time of a call, and calls may be inside each other.
func TestOn(t *testing.T) {
	a, b := &lane{mat.CPU}, &lane{mat.CPU}
	is := func(want mat.Device) {
		t.Helper()
		if mat.New(1, 1).Device() != want {
			t.Error("a matrix is made on another device")
		}
	}
	mat.On(a, func() {
		mat.On(b, func() { is(b) })
		is(a)
		done := make(chan bool)
		go func() { defer close(done); is(mat.CPU) }()
		<-done
	})
	is(mat.CPU)
}

// TestLanes: work that is done at the same time has different lanes, and the device itself if it has no lanes.
func TestLanes(t *testing.T) {
	const n = 3
	seen := func() map[mat.Device]bool {
		lanes, err := mat.NewLanes(n)
		if err != nil {
			t.Fatal(err)
		}
		all, together := map[mat.Device]bool{}, sync.WaitGroup{}
		var mu sync.Mutex
		var wait sync.WaitGroup
		together.Add(n)
		for range n {
			wait.Go(func() {
				lanes.Do(func() {
					together.Done()
					together.Wait()
					mu.Lock()
					defer mu.Unlock()
					all[mat.Default()] = true
				})
			})
		}
		wait.Wait()
		return all
	}
	if all := seen(); len(all) != 1 || !all[mat.CPU] {
		t.Errorf("the CPU has %d lanes", len(all))
	}
	defer mat.Use(mat.CPU)
	mat.Use(split{Device: mat.CPU})
	if all := seen(); len(all) != n {
		t.Errorf("%d lanes, want %d", len(all), n)
	}
	broken := errors.New("no stream")
	mat.Use(split{mat.CPU, broken})
	if _, err := mat.NewLanes(n); !errors.Is(err, broken) {
		t.Errorf("a lane that cannot be made: %v", err)
	}
}
