package codec

import (
	"bytes"
	"encoding/hex"
	"io"
	"reflect"
	"strings"
	"testing"
)

func eventWritten(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := NewEventWriter(&b, 1.5)
	if err != nil {
		t.Fatal(err)
	}
	for step := range int64(3) {
		if err := w.Scalars(2.5, step*100, []Scalar{{"loss/train", 0.25},
			{"accuracy/" + strings.Repeat("x", 200), -3}}); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func TestEventRoundTrip(t *testing.T) {
	got, err := ReadEvents(eventWritten(t))
	if err != nil {
		t.Fatal(err)
	}
	want := []Event{{Wall: 1.5, Version: version}}
	for step := range int64(3) {
		want = append(want, Event{Wall: 2.5, Step: step * 100,
			Scalars: []Scalar{{"loss/train", 0.25}, {"accuracy/" + strings.Repeat("x", 200), -3}}})
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v, want %+v", got, want)
	}
}

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

func TestDamage(t *testing.T) {
	whole := eventWritten(t)
	for i := range whole {
		if _, err := ReadEvents(whole[:i]); err == nil && !ends(whole, i) {
			t.Errorf("cut after %d bytes: no error", i)
		}
		b := bytes.Clone(whole)
		b[i] ^= 1
		if _, err := ReadEvents(b); err == nil {
			t.Errorf("byte %d flipped: no error", i)
		}
	}
}

// ends reports whether a record ends at byte n.
func ends(b []byte, n int) bool {
	at := 0
	for at < n {
		at += 16 + int(b[at]) + int(b[at+1])<<8
	}
	return at == n
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

func FuzzEvents(f *testing.F) {
	f.Add(eventWritten(f))
	f.Fuzz(func(t *testing.T, b []byte) {
		events, err := ReadEvents(b)
		if err == nil && len(events) > len(b)/16 {
			t.Errorf("%d events in %d bytes", len(events), len(b))
		}
	})
}
