package main

import (
	"math"
	"strings"
	"testing"
	"time"
)

// TestProgress: a line shows share, time left and note, is not written too often, and is removed in the end.
func TestProgress(t *testing.T) {
	var out strings.Builder
	clock := time.Unix(0, 0)
	p := newProgress(&out, "reading")
	p.show, p.now, p.start, p.width = true, func() time.Time { return clock }, clock, func() int { return 80 }
	clock = clock.Add(10 * time.Second)
	p.set(25, 100, "rejects 3")
	p.set(26, 100, "") // too soon
	clock = clock.Add(time.Second)
	p.set(100, 100, "")
	p.end()
	want := "\r\x1b[Kreading ██████░░░░░░░░░░░░░░░░░░  25%  30.0s left  rejects 3" +
		"\r\x1b[Kreading ████████████████████████ 100%\r\x1b[K"
	if out.String() != want {
		t.Errorf("got  %q\nwant %q", out.String(), want)
	}
}

// TestProgressIsForTerminals: nothing is written to a pipe.
func TestProgressIsForTerminals(t *testing.T) {
	var out strings.Builder
	p := newProgress(&out, "reading")
	p.set(1, 2, "")
	p.end()
	if out.Len() > 0 {
		t.Errorf("wrote %q", out.String())
	}
}

func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		250 * time.Microsecond: "0.25ms", 0: "0ms",
		340 * time.Millisecond: "340ms", 7200 * time.Millisecond: "7.2s", 185 * time.Second: "3m05s",
		130 * time.Minute: "2h10m",
	} {
		if got := short(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

func TestSparkline(t *testing.T) {
	if got := sparkline([]float64{9, 0, 1, 2, 3, 4, 5, 6, 7}, 8); got != "▁▂▃▄▅▆▇█" {
		t.Errorf("got %q", got)
	}
	if got := sparkline([]float64{2, 2}, 8); got != "▁▁" {
		t.Errorf("flat: %q", got)
	}
	if got := sparkline([]float64{math.NaN(), -math.MaxFloat64, math.Inf(1), math.MaxFloat64}, 8); got != "▁█" {
		t.Errorf("numbers at the end of the range: %q", got)
	}
}
