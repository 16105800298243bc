package codec

import (
	"bytes"
	"encoding/hex"
	"io"
	"strings"
	"testing"
)

// TestFirstRecord: the bytes that every TensorFlow event file begins with, but for the time, which is 0 here. The
// checksum of the length 24 is the one found in such files.
func TestFirstRecord(t *testing.T) {
	var b bytes.Buffer
	if _, err := NewEventWriter(&b, 0); err != nil {
		t.Fatal(err)
	}
	want := "1800000000000000" + "a37f4b22" + "09" + "0000000000000000" + "1a0d" + hex.EncodeToString([]byte(version))
	if got := hex.EncodeToString(b.Bytes()); !strings.HasPrefix(got, want) {
		t.Errorf("the file begins %s, want %s", got, want)
	}
}

// TestScalars: an event with one number, written by hand as the protocol buffer Event has it.
func TestScalars(t *testing.T) {
	var b bytes.Buffer
	w, err := NewEventWriter(&b, 0)
	if err != nil {
		t.Fatal(err)
	}
	b.Reset()
	if err := w.Scalars(2.5, 300, []Scalar{{"a", 0.25}}); err != nil {
		t.Fatal(err)
	}
	value := "0a0161" + "15" + "0000803e"                       // tag a, simple_value 0.25
	summary := "0a08" + value                                   // a value of 8 bytes
	event := "090000000000000440" + "10ac02" + "2a0a" + summary // wall time 2.5, step 300, a summary of 10 bytes
	if got := hex.EncodeToString(b.Bytes()); len(got) != len(event)+32 || got[24:24+len(event)] != event ||
		!strings.HasPrefix(got, "1800000000000000a37f4b22") {
		t.Errorf("%s, want the event %s", got, event)
	}
}

func TestNoAllocations(t *testing.T) {
	w, err := NewEventWriter(io.Discard, 0)
	if err != nil {
		t.Fatal(err)
	}
	values := []Scalar{{"a", 1}, {"b", 2}}
	if n := testing.AllocsPerRun(20, func() { _ = w.Scalars(1, 2, values) }); n != 0 {
		t.Errorf("%v allocations a step", n)
	}
}
