package goroutine

import "testing"

// TestID: a goroutine has one, and no other has it.
func TestID(t *testing.T) {
	other := make(chan string)
	go func() { other <- ID() }()
	if id := ID(); id != ID() || id == <-other || id == "" {
		t.Errorf("%q twice, or of two", id)
	}
}
