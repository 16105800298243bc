//go:build cuda && linux && (amd64 || arm64) && !f64

package cuda

import (
	"strings"
	"testing"

	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/mat/mattest"
)

// gpu is the first GPU; a test that needs it is skipped without one.
func gpu(t testing.TB) *device {
	dev, err := Open(0)
	if err != nil {
		t.Skip(err)
	}
	return dev.(*device)
}

// TestDevice: it keeps the contract.
func TestDevice(t *testing.T) { mattest.TestDevice(t, gpu(t)) }

// TestNoDriver: without a driver there is a sentence, not a crash.
func TestNoDriver(t *testing.T) {
	_, err := openLibrary("libnosuchdriver.so.1")
	if err == nil || !strings.Contains(err.Error(), "no NVIDIA driver on this machine: install") {
		t.Errorf("a missing library: %v", err)
	}
	if _, err := openLibrary("libc.so.6"); err == nil || !strings.Contains(err.Error(), "too old") {
		t.Errorf("a library without the functions: %v", err)
	}
}

// TestAdvice: every error says what to do.
func TestAdvice(t *testing.T) {
	for code, want := range map[int]string{
		codeNoMemory: "checkpointed", codeOldDriver: "install", codeNoDevice: "nvidia-smi -L", codeLaunch: "checkpoint",
		codeBusy: "another program", 1: "start the program again",
	} {
		if text := (&Error{"testing", code, "NAME"}).Error(); !strings.Contains(text, want) {
			t.Errorf("%d: %s", code, text)
		}
	}
}

// TestRounded: what is handed out is enough, aligned, and not much more.
func TestRounded(t *testing.T) {
	for n := 0; n < 1<<22; n = n*9/8 + 1 {
		if r := rounded(n); r < n || r%alignment != 0 || r > n+n/8+alignment {
			t.Errorf("%d bytes as %d", n, r)
		}
	}
}

// TestMemoryIsHandedOutAgain: matrices that are freed, or that nobody reaches, leave no more memory taken.
func TestMemoryIsHandedOutAgain(t *testing.T) {
	d := gpu(t)
	used := d.InUse()
	x := mat.NewOn(d, 1<<20, 4)
	if more := d.InUse() - used; more < x.Bytes() {
		t.Errorf("%d bytes more are in use, want %d", more, x.Bytes())
	}
	x.Free()
	before, _ := d.Memory()
	for range 1000 {
		mat.NewOn(d, 1<<20, 4).Free()
	}
	if after, _ := d.Memory(); after < before {
		t.Errorf("%d bytes are free, %d were", after, before)
	}
}

// TestMany: goroutines that ask for operations at once, while another one records, do not disturb each other.
func TestMany(t *testing.T) {
	d := gpu(t)
	const routines, rounds = 16, 7000
	errs := make(chan mat.Real, routines)
	for k := range routines {
		go func() {
			x, y := mat.NewOn(d, 30, 20), mat.NewOn(d, 30, 20)
			mat.Fill(y, 1)
			if k == 0 {
				replay := d.Record(func() { mat.Axpby(x, x, y, 1, 1) })
				for range rounds {
					replay()
				}
			} else {
				for range rounds {
					mat.Axpby(x, x, y, 1, 1)
				}
			}
			errs <- x.MaxAbs()
		}()
	}
	for range routines {
		if got := <-errs; got != rounds {
			t.Errorf("added %v ones, want %d", got, rounds)
		}
	}
}
