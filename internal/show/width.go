package show

import (
	"io"
	"os"
	"strconv"
	"strings"
)

// UsualWidth is the width of a terminal that does not report one.
const UsualWidth = 80

// ScreenWidth returns the number of columns of the terminal behind w: what it says, else COLUMNS, else the usual one.
func ScreenWidth(w io.Writer) int {
	if f, ok := below(w).(*os.File); ok {
		if n := columns(f.Fd()); n > 0 {
			return n
		}
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return UsualWidth
}

// Wrap cuts a text into lines of at most width columns, between words; a longer word has a line of its own. A width of
// 0 or less leaves the text as it is.
func Wrap(text string, width int) []string {
	if width <= 0 {
		return []string{text}
	}
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case visible(line)+1+visible(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}
