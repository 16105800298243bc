package table

import (
	"bytes"
	"strings"
)

// Overview: which delimiter a table of text has and which row is its header is decided by its first rows together: the
// delimiter cuts most of them into the same number of fields, and rows above the header, such as a title, have half of
// that or fewer.

// sampleRows is how many rows are examined.
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
		counts := fieldCounts(text, comma)
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
	for _, n := range fieldCounts(text, best.comma) {
		if 2*n > best.fields {
			break
		}
		best.titles++
	}
	return best
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

// fieldCounts returns how many fields each of the first rows has, without empty lines.
func fieldCounts(text []byte, comma byte) (counts []int) {
	n, inside, empty := 1, false, true
	end := func() {
		if !empty {
			counts = append(counts, n)
		}
		n, empty = 1, true
	}
	for _, c := range text {
		switch {
		case c == '"':
			inside, empty = !inside, false
		case inside:
		case c == '\n':
			if end(); len(counts) == sampleRows {
				return counts
			}
		case c == comma:
			n++
			empty = false
		case c != '\r':
			empty = false
		}
	}
	end()
	return counts
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
