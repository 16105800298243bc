package main

import (
	"strings"
	"testing"
	"time"
)

func TestClip(t *testing.T) {
	green := paint(true).good
	for _, c := range []struct{ text, want string }{
		{"short", "short"},
		{"exactly 10", "exactly 10"},
		{"eleven long", "eleven lon"},
		{"█▉░ ‖h‖ − π long", "█▉░ ‖h‖ − "},
		{green("0123456789"), green("0123456789")},
		{green("0123456789abc"), "\x1b[32m0123456789\x1b[0m"},
		{"ab" + green("cd") + "efghijklm", "ab\x1b[32mcd\x1b[0mefghij\x1b[0m"},
	} {
		if got := clip(c.text, 10); got != c.want || visible(got) > 10 {
			t.Errorf("clip(%q) is %q, want %q", c.text, got, c.want)
		}
	}
}

// TestProgressFits: the line is never longer than the terminal, whatever there is to say, and uses its width where
// there is more.
func TestProgressFits(t *testing.T) {
	note := "run 3 of 10  loss 0.4561  valid 0.7892  energy −97%  " + paint(true).line("▁▂▃▄▅▆▇█")
	for _, width := range []int{20, 40, 80, 100, 200} {
		var out strings.Builder
		clock := time.Unix(0, 0)
		p := newProgress(&out, "training")
		p.show, p.paint, p.now, p.start, p.width = true, true, func() time.Time { return clock }, clock,
			func() int { return width }
		clock = clock.Add(90 * time.Second)
		p.set(25, 100, note)
		line := strings.TrimPrefix(out.String(), "\r\x1b[K")
		if n := visible(line); n >= width {
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

func TestWidth(t *testing.T) {
	var out strings.Builder
	for columns, want := range map[string]int{"132": 132, "": usualWidth, "wide": usualWidth, "-4": usualWidth} {
		t.Setenv("COLUMNS", columns)
		if got := widthOf(&out); got != want {
			t.Errorf("COLUMNS=%q: %d, want %d", columns, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	text := "the " + paint(true).strong("quick") + " brown fox jumps over unbelievably lazy dogs"
	got := wrap(text, 11)
	if strings.Join(got, " ") != text || len(got) != 5 {
		t.Errorf("%q", got)
	}
	for _, line := range got {
		if visible(line) > 11 && strings.Contains(line, " ") {
			t.Errorf("%q is too long", line)
		}
	}
	if got := wrap(text, 0); len(got) != 1 || got[0] != text {
		t.Errorf("without a width: %q", got)
	}
}
