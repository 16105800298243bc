package show

import (
	"bytes"
	"testing"
)

func TestPaint(t *testing.T) {
	if Paint(false).Good("x") != "x" || render(Paint(true).Bad("x")) != "\x1b[1;31mx\x1b[0m" {
		t.Error("paint does not follow its switch")
	}
	if Painter(&bytes.Buffer{}) {
		t.Error("a buffer is not a terminal")
	}
}

func TestClip(t *testing.T) {
	green := Paint(true).Good
	for _, c := range []struct{ text, want string }{
		{"short", "short"},
		{"exactly 10", "exactly 10"},
		{"eleven long", "eleven lon"},
		{"█▉░ ‖h‖ − π long", "█▉░ ‖h‖ − "},
		{green("0123456789"), render(green("0123456789"))},
		{green("0123456789abc"), "\x1b[32m0123456789\x1b[0m"},
		{"ab" + green("cd") + "efghijklm", "ab\x1b[32mcd\x1b[0mefghij\x1b[0m"},
	} {
		if got := clip(c.text, 10); render(got) != c.want || visible(got) > 10 {
			t.Errorf("clip(%q) is %q, want %q", c.text, render(got), c.want)
		}
	}
}
