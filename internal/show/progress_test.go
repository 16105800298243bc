package show

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestProgress: a line shows share, time left and note, is not written too often, and is removed in the end.
func TestProgress(t *testing.T) {
	var out strings.Builder
	clock := time.Unix(0, 0)
	p := NewProgress(&out, "reading")
	p.show, p.now, p.start, p.width = true, func() time.Time { return clock }, clock, func() int { return 80 }
	clock = clock.Add(10 * time.Second)
	p.Set(25, 100, "rejects 3")
	p.Set(26, 100, "") // too soon
	clock = clock.Add(time.Second)
	p.Set(100, 100, "")
	p.End()
	want := "\r\x1b[Kreading ██████░░░░░░░░░░░░░░░░░░  25%  30.0s left  rejects 3" +
		"\r\x1b[Kreading ████████████████████████ 100%\r\x1b[K"
	if out.String() != want {
		t.Errorf("got  %q\nwant %q", out.String(), want)
	}
}

// TestProgressIsForTerminals: nothing is written to a pipe.
func TestProgressIsForTerminals(t *testing.T) {
	var out strings.Builder
	p := NewProgress(&out, "reading")
	p.Set(1, 2, "")
	p.End()
	if out.Len() > 0 {
		t.Errorf("wrote %q", out.String())
	}
}

// TestProgressFits: the line is never longer than the terminal, whatever there is to say, and uses its width where
// there is more.
func TestProgressFits(t *testing.T) {
	note := "run 3 of 10  loss 0.4561  valid 0.7892  energy −97%  " + Paint(true).Line("▁▂▃▄▅▆▇█")
	for _, width := range []int{20, 40, 80, 100, 200} {
		var out strings.Builder
		clock := time.Unix(0, 0)
		p := NewProgress(&out, "training")
		p.show, p.paint, p.now, p.start, p.width = true, true, func() time.Time { return clock }, clock,
			func() int { return width }
		clock = clock.Add(90 * time.Second)
		p.Set(25, 100, note)
		line := strings.TrimPrefix(out.String(), "\r\x1b[K")
		if n := visible(regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(line, "")); n >= width {
			t.Errorf("%d columns of %d: %q", n, width, line)
		}
		if width >= 100 && !strings.Contains(line, "▁▂▃▄▅▆▇█") {
			t.Errorf("at %d columns the note is cut: %q", width, line)
		}
		if !strings.Contains(line, "training") || !strings.Contains(line, "█") {
			t.Errorf("at %d columns there is no bar: %q", width, line)
		}
	}
}
