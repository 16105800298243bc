package table

import (
	"bytes"
	"slices"
	"strings"
)

// Overview: which delimiter a table of text has and which row is its header is decided by its first rows together: the
// delimiter cuts most of them into the same number of fields, and rows above the header, such as a title, have values
// in half of the usual number of fields or fewer.

const sampleRows = 64

// dialect is how a table of text is written.
type dialect struct {
	comma  byte
	fields int // of most rows
	alike  int // rows with this number of fields
	rows   int // rows examined
	titles int // rows above the header
}

// guessDialect looks at the first rows of text.
//
// Chosen: of , tab ; | the delimiter with which most rows have the same number of fields, two or more; ties go to more
// fields, then to the first. Commas most of which stand between digits give way to another delimiter that nine of ten
// rows have: they are decimal ones. A .tsv file has tabs. Else a space, unless the file is called .csv, else a comma
// for tables of one column.
func guessDialect(path string, text []byte) dialect {
	commas := []byte(",\t;|")
	if extension(path) == ".tsv" {
		commas = []byte{'\t'}
	}
	best := dialect{}
	for _, comma := range commas {
		counts, _ := fieldCounts(text, comma)
		fields, alike := mostCommon(counts)
		decimals := best.comma == ',' && 10*alike >= 9*best.alike && alike > 0 && decimalCommas(text)
		if alike > best.alike || alike == best.alike && fields > best.fields || decimals {
			best = dialect{comma: comma, fields: fields, alike: alike, rows: len(counts)}
		}
	}
	if best.alike == 0 {
		best.comma, best.fields = ',', 1
		if extension(path) == ".tsv" {
			best.comma = '\t'
		} else if first, _, _ := bytes.Cut(text, []byte{'\n'}); extension(path) != ".csv" &&
			bytes.IndexByte(first, ' ') > 0 {
			best.comma = ' '
		}
		return best
	}
	best.titles = titlesAbove(fieldCounts(text, best.comma))
	return best
}

// titlesAbove returns how many rows stand above the header. Of two columns one may lack its name, so that a title is
// one only if it is not padded.
func titlesAbove(counts, filled []int) (titles int) {
	fields, _ := mostCommon(counts)
	sorted := slices.Sorted(slices.Values(filled))
	usual := sorted[len(sorted)/2]
	for i, n := range counts {
		if 2*n > fields && (usual < 3 || 2*filled[i] > usual) {
			break
		}
		titles++
	}
	return titles
}

// decimalCommas reports whether most commas stand between digits.
func decimalCommas(text []byte) bool {
	isDigit := func(i int) bool { return i >= 0 && i < len(text) && text[i] >= '0' && text[i] <= '9' }
	commas, between := 0, 0
	for i, c := range text[:min(len(text), 1<<14)] {
		if c != ',' {
			continue
		}
		if commas++; isDigit(i-1) && isDigit(i+1) {
			between++
		}
	}
	return 2*between > commas
}

// fieldCounts returns how many fields each of the first rows has, and how many of them have a value, without rows that
// have none. A quote that does not begin a field is text.
func fieldCounts(text []byte, comma byte) (counts, filled []int) {
	n, values, inside, empty := 1, 0, false, true // empty: the field has no value so far
	for i, c := range text {
		switch {
		case c == '"' && (inside || empty && (i == 0 || text[i-1] == comma || text[i-1] == '\n')):
			inside = !inside
		case inside && c != ' ', c != comma && c != '\n' && c != '\r' && c != ' ':
			if empty {
				values, empty = values+1, false
			}
		case inside:
		case c == comma:
			n, empty = n+1, true
		case c == '\n':
			if values > 0 {
				counts, filled = append(counts, n), append(filled, values)
			}
			if n, values, empty = 1, 0, true; len(counts) == sampleRows {
				return counts, filled
			}
		}
	}
	if values > 0 {
		counts, filled = append(counts, n), append(filled, values)
	}
	return counts, filled
}

// mostCommon returns the most common number of fields, two or more, and how many rows have it; the larger number if
// there is a tie.
func mostCommon(counts []int) (fields, rows int) {
	of := map[int]int{}
	for _, n := range counts {
		if n > 1 {
			of[n]++
		}
	}
	for n, count := range of {
		if count > rows || count == rows && n > fields {
			fields, rows = n, count
		}
	}
	return fields, rows
}

// rowNames reports whether all rows have one field more than the header, as R writes them: the first is the name of the
// row. If the last field of the first row is empty, the row has a delimiter too many instead.
func (d dialect) rowNames(header []string, rows []byte) bool {
	if d.fields != len(header)+1 || d.alike < 3 || d.alike < d.rows-1-d.titles {
		return false
	}
	first, _, _ := strings.Cut(string(rows), "\n")
	return !strings.HasSuffix(strings.TrimRight(first, "\r"), string(d.comma))
}
