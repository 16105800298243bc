package show

import (
	"strings"
	"testing"
)

func TestWidth(t *testing.T) {
	var out strings.Builder
	for columns, want := range map[string]int{"132": 132, "": UsualWidth, "wide": UsualWidth, "-4": UsualWidth} {
		t.Setenv("COLUMNS", columns)
		if got := ScreenWidth(&out); got != want {
			t.Errorf("COLUMNS=%q: %d, want %d", columns, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	text := "the " + Paint(true).Strong("quick") + " brown fox jumps over unbelievably lazy dogs"
	got := Wrap(text, 11)
	if strings.Join(got, " ") != text || len(got) != 5 {
		t.Errorf("%q", got)
	}
	for _, line := range got {
		if visible(line) > 11 && strings.Contains(line, " ") {
			t.Errorf("%q is too long", line)
		}
	}
	if got := Wrap(text, 0); len(got) != 1 || got[0] != text {
		t.Errorf("without a width: %q", got)
	}
}
