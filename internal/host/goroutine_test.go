package host

import "testing"

// TestID: a goroutine has one, and no other has it.
func TestID(t *testing.T) {
	other := make(chan string)
	go func() { other <- GoroutineID() }()
	if id := GoroutineID(); id != GoroutineID() || id == <-other || id == "" {
		t.Errorf("%q twice, or of two", id)
	}
}
