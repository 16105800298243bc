package table

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/bloomgml/bloom/internal/files"
)

// jsonl is a table of one JSON object per line, or of one array of them, whose objects are then counted as lines. Its
// columns are the keys of all objects, in order of appearance: the file is read twice. Keys of an object inside of
// another are named a.b. Strings lose their quotes, null is empty, and numbers and arrays stay as they are written.
type jsonl struct {
	header
	*file
	blocks blocks
	index  map[string]int
	ragged bool  // see Options
	spoilt error // the first line that was set aside
	rows   int64
	bytes  int64 // of all rows
}

var _ Source = (*jsonl)(nil)

// openJSONL collects the keys.
func openJSONL(f *file, o Options) (Source, error) {
	j := &jsonl{header: header{name: f.path, budget: f.budget}, file: f, index: map[string]int{}, ragged: o.Ragged}
	err := j.lines()
	if err == nil {
		err = j.keys()
	}
	if err == nil {
		err = f.again()
	}
	if err == nil {
		err = j.lines()
	}
	j.blocks = blocks{file: f, line: 1, size: j.blockSize()}
	return j, err
}

// blockSize returns the size of a block for which its rows, of all columns, have about blockCells cells: most of them
// may be missing.
func (j *jsonl) blockSize() int {
	const blockCells = 1 << 18
	rows := blockCells/int64(max(1, len(j.columns))) + 1
	return int(max(1<<12, min(batchBytes, rows*(j.bytes/max(1, j.rows)+1))))
}

const maxKeys = 1 << 14 // columns of a table

func (j *jsonl) keys() error {
	j.blocks = blocks{file: j.file, line: 1}
	var text []byte
	for {
		block, line, err := j.blocks.next(text)
		if err == io.EOF {
			if j.rows == 0 {
				return j.spoilt
			}
			return nil
		}
		if err != nil {
			return err
		}
		text = block
		j.bytes += int64(len(block))
		err = j.objects(block, line, func(key string, _ json.RawMessage) error {
			if _, known := j.index[key]; !known {
				if len(j.index) == maxKeys {
					return fmt.Errorf("more than %d different keys", maxKeys)
				}
				if err := j.admitColumns(1); err != nil {
					return err
				}
				j.index[key] = len(j.index)
				j.columns = append(j.columns, key)
			}
			return nil
		}, func(int32) error {
			j.rows++
			return nil
		}, nil)
		if err != nil {
			return err
		}
	}
}

// objects calls member for every key of every object of a block and end after each object. Lines that are set aside go
// to b, which may be nil.
func (j *jsonl) objects(text []byte, first int, member func(key string, v json.RawMessage) error,
	end func(line int32) error, b *Batch) error {
	text, recoded, err := validText(j.name, text, first, j.ragged)
	if err != nil {
		return err
	}
	if b != nil {
		b.recoded = recoded
	}
	var fields []field
	for line := int32(0); len(text) > 0; line++ {
		var row []byte
		row, text, _ = bytes.Cut(text, []byte{'\n'})
		if first == 1 && line == 0 {
			row = trimBOM(row)
		}
		if row = bytes.TrimSpace(row); len(row) == 0 {
			continue
		}
		var err error
		if fields, err = object(row, fields[:0]); err != nil && j.ragged {
			j.setAside(b, first, line, row, err)
			continue
		}
		for i := 0; i < len(fields) && err == nil; i++ {
			err = member(fields[i].key, fields[i].value)
		}
		if err == nil {
			err = end(line)
		}
		if err != nil {
			return files.OrAt(err, files.ErrorAt(j.name, first+int(line), "%v", err))
		}
	}
	return nil
}

// setAside stores a line that is not an object in UTF-8 in b, unless b is nil, and remembers the first such line.
func (j *jsonl) setAside(b *Batch, first int, line int32, row []byte, err error) {
	reason := err.Error()
	if b != nil {
		b.aside(line, row, notObject, reason)
	}
	if j.spoilt == nil {
		j.spoilt = files.ErrorAt(j.name, first+int(line), "%s", reason)
	}
}

// field is a member of an object.
type field struct {
	key   string
	value json.RawMessage
}

// object appends the members of one object.
func object(row []byte, fields []field) ([]field, error) {
	if row[0] != '{' {
		return nil, fmt.Errorf("want a JSON object on every line, got %.20q", row)
	}
	d := json.NewDecoder(bytes.NewReader(row))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	return members(d, row, fields, seen, "", 0)
}

// maxDepth is the maximum depth of nested objects whose keys become columns.
const maxDepth = 8

// members appends the members of the current object of d, whose keys get a prefix.
func members(d *json.Decoder, row []byte, fields []field, seen map[string]bool, prefix string,
	depth int) ([]field, error) {
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, shortened(err)
		}
		f := field{key: prefix + token.(string)}
		if seen[f.key] {
			return nil, fmt.Errorf("duplicate key %q in the object", f.key)
		}
		seen[f.key] = true
		if err := d.Decode(&f.value); err != nil {
			return nil, shortened(err)
		}
		if f.value[0] != '{' || depth == maxDepth {
			fields = append(fields, f)
			continue
		}
		inner := json.NewDecoder(bytes.NewReader(f.value))
		if _, err := inner.Token(); err != nil {
			return nil, err
		}
		if fields, err = members(inner, f.value, fields, seen, f.key+".", depth+1); err != nil {
			return nil, err
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, shortened(err)
	}
	if rest := bytes.TrimSpace(row[d.InputOffset():]); len(rest) > 0 {
		return nil, fmt.Errorf("%.20q follows the object", rest)
	}
	return fields, nil
}

// isArray reports whether text begins as an array of objects.
func isArray(text []byte) bool {
	rest, found := bytes.CutPrefix(text, []byte("["))
	return found && bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte("{"))
}

// lines makes the reader read an array of objects as lines.
func (j *jsonl) lines() error {
	head, err := j.head()
	if err == nil && isArray(bytes.TrimLeft(trimBOM(head), " \t\r\n")) {
		j.buf = bufio.NewReaderSize(&arrayReader{in: j.buf}, 1<<16)
	}
	return err
}

// arrayReader reads a JSON array as one line for each of its values.
type arrayReader struct {
	in     *bufio.Reader
	depth  int
	inText bool
	escape bool
}

func (a *arrayReader) Read(p []byte) (int, error) {
	n, err := a.in.Read(p)
	for i, c := range p[:n] {
		switch {
		case a.escape:
			a.escape = false
		case a.inText:
			a.escape, a.inText = c == '\\', c != '"'
		case c == '"':
			a.inText = true
		case c == '[' || c == '{':
			if a.depth++; a.depth == 1 {
				c = ' '
			}
		case c == ']' || c == '}':
			if a.depth--; a.depth == 0 {
				c = ' '
			}
		case c == ',' && a.depth == 1:
			p[i] = '\n'
			continue
		}
		if p[i] = c; c == '\n' || c == '\r' {
			p[i] = ' '
		}
	}
	return n, err
}

// shortened says in plain words that a line ends too early.
func shortened(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the JSON object has no end on this line")
	}
	return err
}

func (j *jsonl) Next(b *Batch) error {
	text, line, err := j.blocks.next(b.text)
	if err != nil {
		return err
	}
	b.reset(&j.header, line)
	b.text, b.parse = text, j.parse
	return nil
}

// parse decodes a block. The decoded text replaces the text of the block.
func (j *jsonl) parse(b *Batch) error {
	text := bytes.Clone(b.text)
	b.text = b.text[:0]
	row := make([]span, len(j.columns))
	member := func(key string, v json.RawMessage) error {
		start := len(b.text)
		var err error
		if b.text, err = appendJSON(b.text, v); err != nil {
			return err
		}
		column, known := j.index[key]
		if !known {
			return fmt.Errorf("the key %q appeared while the file was being read", key)
		}
		row[column] = span{uint32(start), uint32(len(b.text))}
		return nil
	}
	return j.objects(text, b.first, member, func(line int32) error {
		if err := b.room(); err != nil {
			return err
		}
		b.cells = append(b.cells, row...)
		b.lines = append(b.lines, line)
		clear(row)
		return nil
	}, b)
}

// appendJSON appends the text of a value.
func appendJSON(dst []byte, v json.RawMessage) ([]byte, error) {
	switch v[0] {
	case 'n': // null
		return dst, nil
	case '"':
		var s string
		err := json.Unmarshal(v, &s)
		return append(dst, s...), err
	}
	return append(dst, v...), nil
}
