package terminal

import (
	"fmt"
	"strings"
)

// Section is text in two columns under a heading.
type Section struct {
	Title string
	rows  [][2]string
}

// Add appends a row for every value, the name standing at the first.
func (s *Section) Add(name string, values ...string) {
	for _, v := range values {
		s.rows = append(s.rows, [2]string{name, v})
		name = ""
	}
}

// Write writes the heading after an empty line, and the rows.
func (s *Section) Write(text *strings.Builder, p Paint) {
	fmt.Fprintf(text, "\n%s\n", p.Strong(Show(s.Title)))
	for _, r := range s.rows {
		name := Show(r[0])
		fmt.Fprintf(text, "  %s%s  %s\n", p.Dim(name), strings.Repeat(" ", max(0, 9-visible(name))), Show(r[1]))
	}
}
