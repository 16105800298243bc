package table

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/internal/files"
)

// csv is a table of text as RFC 4180 describes it, with any delimiter. Empty lines are skipped, and
// so are lines that begin with # before the first row.
type csv struct {
	header
	*file
	blocks  blocks
	comma   byte
	ragged  bool     // see Options
	pending []byte   // the first block without the header, until Next returns it
	line    int      // where it begins
	recoded int      // lines of it that are not UTF-8
	titles  []Ragged // rows above the header
}

var _ Source = (*csv)(nil)

// openCSV reads the header and guesses the delimiter.
func openCSV(f *file, o Options) (Source, error) {
	c := &csv{header: header{name: f.path, budget: f.budget}, file: f, blocks: blocks{file: f, quotes: true, line: 1},
		ragged: o.Ragged}
	c.blocks.loose = o.Ragged
	return c, c.start(o)
}

// start reads the first block up to the first row of data.
func (c *csv) start(o Options) error {
	text, line, err := c.blocks.next(nil)
	if err != nil {
		return err
	}
	text, c.recoded, err = validText(c.name, text, line, c.ragged)
	if err != nil {
		return err
	}
	text = trimBOM(text)
	for len(text) > 0 && (text[0] == '#' || text[0] == '\n' || text[0] == '\r') {
		n := bytes.IndexByte(text, '\n') + 1
		if n == 0 {
			n = len(text)
		}
		text, line = text[n:], line+1
	}
	if len(text) == 0 {
		return files.Errorf(c.name, "the file has no rows")
	}
	d := guessDialect(c.name, text)
	if c.comma = d.comma; !c.ragged || o.NoHeader {
		d.titles = 0
	}
	first, _, _ := bytes.Cut(text, []byte{'\n'})
	if err := c.admitColumns(max(d.fields, bytes.Count(first, []byte{c.comma})+1)); err != nil {
		return err
	}
	for c.line = line; ; {
		fields, n, err := c.first(text, c.line, d.fields)
		if err != nil {
			return err
		}
		empty := filled(fields) == 0
		if !empty && d.titles == 0 {
			c.pending = text
			return c.nameColumns(d, fields, n, o.NoHeader)
		}
		if !empty {
			d.titles--
			title := string(bytes.TrimRight(text[:n], "\r\n"))
			c.titles = append(c.titles, Ragged{c.line, title, aboveHeader, aboveHeader})
		}
		c.line += bytes.Count(text[:n], []byte{'\n'})
		if text = text[n:]; len(text) == 0 {
			return files.Errorf(c.name, "the file has no rows")
		}
	}
}

// nameColumns takes the names of columns from the fields of the first row, which has n bytes, unless it is data.
func (c *csv) nameColumns(d dialect, fields []string, n int, noHeader bool) error {
	if noHeader || allNumbers(fields) {
		for i := range fields {
			c.columns = append(c.columns, numbered(i))
		}
		return nil
	}
	c.line += bytes.Count(c.pending[:n], []byte{'\n'})
	c.pending = c.pending[n:]
	if d.rowNames(fields, c.pending) {
		c.columns = append(c.columns, "row")
	}
	for _, name := range fields {
		if name = strings.TrimSpace(name); name == "" {
			name = numbered(len(c.columns))
		}
		c.columns = append(c.columns, name)
	}
	distinct(c.columns)
	return nil
}

// numbered returns the name of column i, from 0, if it has no name.
func numbered(i int) string { return "column" + strconv.Itoa(i+1) }

// first returns the first row of text, which probably has want fields, and where the next one begins.
func (c *csv) first(text []byte, line, want int) (fields []string, n int, err error) {
	p := quoted{text: bytes.Clone(text), comma: c.comma, end: '\n'}
	cells, _, err := p.row(nil, math.MaxInt)
	if err != nil && !c.ragged {
		return nil, 0, files.ErrorAt(c.name, line, "%v", err)
	}
	if err != nil {
		p = quoted{text: text, comma: c.comma, end: '\n'}
		cells, _ = p.loose(nil, want)
	}
	for _, s := range cells {
		fields = append(fields, string(p.text[s.start:s.end]))
	}
	return fields, p.at, nil
}

// allNumbers reports whether a row cannot be a header because all fields are numbers.
func allNumbers(fields []string) bool {
	for _, f := range fields {
		if _, err := strconv.ParseFloat(strings.TrimSpace(f), 64); err != nil {
			return false
		}
	}
	return true
}

func (c *csv) Next(b *Batch) error {
	b.reset(&c.header, c.line)
	if c.pending != nil {
		b.text, b.recoded = append(b.text, c.pending...), c.recoded
		b.ragged = append(b.ragged, c.titles...)
		c.pending = nil
	} else {
		text, line, err := c.blocks.next(b.text)
		if err != nil {
			return err
		}
		b.text, b.first = text, line
	}
	b.parse = c.parse
	return nil
}

func (c *csv) parse(b *Batch) error {
	text, recoded, err := validText(c.name, b.text, b.first, c.ragged)
	if err != nil {
		return err
	}
	b.text, b.recoded = text, b.recoded+recoded
	if bytes.IndexByte(b.text, '"') >= 0 {
		return c.parseQuoted(b)
	}
	line := int32(0)
	for start := 0; start < len(text); line++ {
		n := bytes.IndexByte(text[start:], '\n')
		if n < 0 {
			n = len(text) - start
		}
		end, next := start+n, start+n+1
		if n > 0 && text[end-1] == '\r' {
			end--
		}
		if start < end {
			if err := b.room(); err != nil {
				return err
			}
			before := len(b.cells)
			var more int
			b.cells, more = c.split(b.cells, text, start, end)
			if err := c.endRow(b, line, before, len(b.cells)-before+more, text[start:end]); err != nil {
				return err
			}
		}
		start = next
	}
	return nil
}

// split appends the cells of the row text[start:end], which has no quotes, up to the number of columns, and counts the
// cells beyond.
func (c *csv) split(cells []span, text []byte, start, end int) (_ []span, more int) {
	for left := len(c.columns); ; left-- {
		if left == 0 {
			return cells, 1 + bytes.Count(text[start:end], []byte{c.comma})
		}
		n := bytes.IndexByte(text[start:end], c.comma)
		for c.comma == ';' && n >= 0 && closesEntity(text[start:start+n+1]) {
			more := bytes.IndexByte(text[start+n+1:end], c.comma)
			if n += more + 1; more < 0 {
				n = -1
			}
		}
		if n < 0 {
			return append(cells, span{uint32(start), uint32(end)}), 0
		}
		cells = append(cells, span{uint32(start), uint32(start + n)})
		start += n + 1
	}
}

// closesEntity reports whether the semicolon at the end of text closes an HTML entity, as in &amp;, and is not a
// delimiter.
func closesEntity(text []byte) bool {
	at := bytes.LastIndexByte(text[max(0, len(text)-10):], '&')
	if at < 0 {
		return false
	}
	entity := string(text[max(0, len(text)-10)+at:])
	plain := html.UnescapeString(entity)
	return plain != entity && !strings.HasSuffix(plain, ";")
}

// endRow ends a row of n fields, whose cells in b start at before. A row with too few or too many fields is an error,
// or mended, or set aside; see Options.
func (c *csv) endRow(b *Batch, line int32, before, n int, text []byte) error {
	if n == len(c.columns) {
		if c.ragged && c.isHeader(b, before) {
			b.cells = b.cells[:before]
			b.aside(line, text, headerAgain, headerAgain)
			return nil
		}
		b.lines = append(b.lines, line)
		return nil
	}
	reason := fmt.Sprintf("the row has %s, the header has %d", plural(n, "field"), len(c.columns))
	if !c.ragged {
		return files.ErrorAt(c.name, b.first+int(line), "%s", reason)
	}
	if 2*n <= len(c.columns) {
		b.cells = b.cells[:before]
		b.aside(line, text, OtherLength, reason)
		return nil
	}
	b.mend(line, OtherLength, reason)
	for len(b.cells)-before < len(c.columns) {
		b.cells = append(b.cells, span{})
	}
	b.lines = append(b.lines, line)
	return nil
}

// isHeader reports whether the cells starting at before are the names of the columns, of which there must be three or
// more: a row of two may well be repeated.
func (c *csv) isHeader(b *Batch, before int) bool {
	if len(c.columns) < 3 {
		return false
	}
	for j, name := range c.columns {
		if s := b.cells[before+j]; string(b.text[s.start:s.end]) != name {
			return false
		}
	}
	return true
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// parseQuoted is parse for a block with quotes.
func (c *csv) parseQuoted(b *Batch) error {
	p := quoted{text: b.text, comma: c.comma, end: '\n'}
	raw := b.text
	if c.ragged {
		b.raw = append(b.raw[:0], b.text...)
		raw = b.raw
	}
	line := int32(0)
	for p.at < len(p.text) {
		begin, before, newlines := p.at, len(b.cells), p.newlines
		if p.emptyLine() {
			line++
			continue
		}
		if err := b.room(); err != nil {
			return err
		}
		n, err := c.row(b, &p, raw, line)
		if err != nil {
			return files.ErrorAt(c.name, b.first+int(line)+p.newlines-newlines, "%v", err)
		}
		if p.at-begin > maxRow {
			return files.ErrorAt(c.name, b.first+int(line), "a row of %d bytes, more than %d", p.at-begin, maxRow)
		}
		if err := c.endRow(b, line, before, n, raw[begin:p.at]); err != nil {
			return err
		}
		line += int32(1 + p.newlines - newlines)
	}
	return nil
}

// row appends the cells of the next row and returns how many fields it has. A row with quotes that are not where they
// should be is read as a line, and so is one of several lines that are rows each; raw is the text before unquoting.
func (c *csv) row(b *Batch, p *quoted, raw []byte, line int32) (n int, err error) {
	start, before := *p, len(b.cells)
	b.cells, n, err = p.row(b.cells, len(c.columns))
	if !c.ragged || err == nil && (n == len(c.columns) || p.newlines == start.newlines) {
		return n, err
	}
	strict, end := err, p.at
	copy(p.text[start.at:], raw[start.at:max(start.at, p.touched)])
	p.at, p.newlines = start.at, start.newlines
	if strict == nil && !c.lines(*p, end) {
		b.cells, n, err = p.row(b.cells[:before], len(c.columns))
		return n, err
	}
	b.cells, n = p.loose(b.cells[:before], len(c.columns))
	b.mend(line, StrayQuote, "the row has a quote that does not enclose a field")
	return n, nil
}

// lines reports whether all lines before end are rows of the table.
func (c *csv) lines(p quoted, end int) bool {
	for p.at < end {
		if _, n := p.loose(nil, len(c.columns)); n != len(c.columns) {
			return false
		}
	}
	return true
}
