package importer

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/files"
)

// rejects writes the rows that an import could not use to a table with the columns file, line, reason and row. The file
// is created with the first such row and gets its name when the import has succeeded and its result is written; without
// a path rows are only counted.
type rejects struct {
	path    string
	options files.WriteOptions
	most    int64 // bytes, after which rows are only counted
	strict  bool  // the first rejected row is an error
	count   int
	reasons map[string]int    // how many rows have each, the values left out
	firstOf map[string]string // the reason of the first row of every table, with its line
	written int               // rows
	bytes   int64
	file    *files.Draft
	buf     *bufio.Writer
	csv     *csv.Writer
}

// maxRejects is the maximum size of a file of rejects: the first rows show what the others look like.
const maxRejects = 64 << 20

// rejectColumns are the columns of the file, by which it is known as one of ours.
var rejectColumns = []string{"file", "line", "reason", "row"}

// newRejects returns the rejects of an import, which replace older ones but never a table that is read.
func newRejects(spec *Spec) rejects {
	r := rejects{path: spec.Rejects, most: maxRejects, strict: spec.Strict, reasons: map[string]int{},
		firstOf: map[string]string{}, options: files.WriteOptions{Force: spec.Force}}
	for _, in := range slices.Concat(spec.Nodes, spec.Edges, spec.Embeddings) {
		r.options.Inputs = append(r.options.Inputs, table.Files(in.Table)...)
	}
	r.options.Ours = func(head []byte) bool {
		return bytes.HasPrefix(head, []byte(strings.Join(rejectColumns, ",")+"\n"))
	}
	return r
}

// add writes row i of a batch of a table with the reason why it is not used.
func (r *rejects) add(b *table.Batch, table string, i int, reason string) error {
	var row strings.Builder
	if r.path != "" && r.bytes <= r.most && !r.strict {
		w := csv.NewWriter(&row)
		w.Write(b.Row(nil, i))
		w.Flush()
	}
	return r.line(table, b.Name(), b.Line(i), reason, bare(reason), strings.TrimSuffix(row.String(), "\n"))
}

// ragged writes the rows of a batch that have no cells, and says how many. Rows that were mended are counted.
func (r *rejects) ragged(b *table.Batch, file string, report *TableReport) (int, error) {
	report.Recoded += b.Recoded()
	for _, x := range b.Mended() {
		if r.strict {
			return 0, files.ErrorAt(b.Name(), x.Line, "%s", x.Reason)
		}
		if x.Kind == table.StrayQuote {
			report.Quotes++
		} else {
			report.Mended++
		}
	}
	for _, x := range b.Ragged() {
		if err := r.line(file, b.Name(), x.Line, x.Reason, x.Kind, x.Text); err != nil {
			return 0, err
		}
	}
	return len(b.Ragged()), nil
}

// bare returns a reason without the values that it quotes.
func bare(reason string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(reason, `"`)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		quoted, err := strconv.QuotedPrefix(`"` + rest)
		if err != nil {
			return b.String() + `"` + rest
		}
		reason = strings.TrimPrefix(rest[len(quoted)-1:], " ")
	}
}

// line counts a line of a file, and writes it while there is room; kind is the reason without values.
func (r *rejects) line(table, file string, line int, reason, kind, row string) error {
	if r.strict {
		return files.ErrorAt(file, line, "%s", reason)
	}
	r.count++
	r.reasons[kind]++
	if r.firstOf[table] == "" {
		r.firstOf[table] = fmt.Sprintf("line %d: %s", line, reason)
	}
	if r.path == "" || r.bytes > r.most {
		return nil
	}
	if r.file == nil {
		f, err := files.Create(r.path, r.options)
		if err != nil {
			return r.failed(err)
		}
		r.file, r.buf = f, bufio.NewWriterSize(f, 1<<16)
		r.csv = csv.NewWriter(r.buf)
		r.csv.Write(rejectColumns) // errors are kept until flush
	}
	r.bytes += int64(len(file) + len(reason) + len(row) + 25)
	if r.bytes > r.most {
		return nil
	}
	r.written++
	r.csv.Write([]string{file, strconv.Itoa(line), reason, row})
	return nil
}

// flush writes the remaining rows to disk; only the name of the file is missing then.
func (r *rejects) flush() error {
	if r.file == nil {
		return nil
	}
	if left := r.count - r.written; left > 0 {
		r.csv.Write([]string{"", "", fmt.Sprintf("%d more rows are not listed", left), ""})
	}
	r.csv.Flush()
	err := r.csv.Error()
	if err == nil {
		err = r.buf.Flush()
	}
	if err == nil {
		err = r.file.Sync()
	}
	return r.failed(err)
}

// commit gives the file its name, after flush.
func (r *rejects) commit() error {
	if r.file == nil {
		return nil
	}
	return r.failed(r.file.Commit())
}

func (r *rejects) failed(err error) error {
	if err == nil {
		return nil
	}
	return files.OrAt(err, files.Because(r.path, err))
}

// discard removes the file, unless commit has named it.
func (r *rejects) discard() {
	if r.file != nil {
		r.file.Discard()
	}
}
