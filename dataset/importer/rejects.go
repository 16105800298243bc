package importer

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/internal/durable"
	"github.com/bloomgml/bloom/internal/fileerr"
	"github.com/bloomgml/bloom/internal/table"
)

// rejects writes the rows that an import could not use to a table with the columns file, line, reason and row. The
// file is begun with the first of them and gets its name when the import has succeeded; without a path they are only
// counted.
type rejects struct {
	path    string
	options durable.Options
	most    int64 // bytes, after which rows are only counted
	count   int
	written int // rows
	bytes   int64
	file    *durable.File
	buf     *bufio.Writer
	csv     *csv.Writer
}

// maxRejects is how large a file of rejects becomes: rows that look alike are known after the first of them.
const maxRejects = 64 << 20

// rejectColumns are the columns of the file, by which it is known as one of ours.
var rejectColumns = []string{"file", "line", "reason", "row"}

// newRejects are the rejects of an import, which replace older ones and never a table that is read.
func newRejects(spec *Spec) rejects {
	r := rejects{path: spec.Rejects, most: maxRejects, options: durable.Options{Force: spec.Force}}
	for _, in := range slices.Concat(spec.Nodes, spec.Edges) {
		r.options.Inputs = append(r.options.Inputs, table.File(in.Table))
	}
	r.options.Ours = func(head []byte) bool {
		return bytes.HasPrefix(head, []byte(strings.Join(rejectColumns, ",")+"\n"))
	}
	return r
}

// add writes row i of a batch with the reason why it is not used.
func (r *rejects) add(b *table.Batch, file string, i int, reason string) error {
	r.count++
	if r.path == "" || r.bytes > r.most {
		return nil
	}
	if r.file == nil {
		f, err := durable.Create(r.path, r.options)
		if err != nil {
			return fileerr.Or(err, fileerr.Because(r.path, err))
		}
		r.file, r.buf = f, bufio.NewWriterSize(f, 1<<16)
		r.csv = csv.NewWriter(r.buf)
		r.csv.Write(rejectColumns) // errors are kept until commit
	}
	var row strings.Builder
	w := csv.NewWriter(&row)
	w.Write(b.Row(nil, i))
	w.Flush()
	r.bytes += int64(len(file) + len(reason) + row.Len() + 24)
	if r.bytes > r.most {
		return nil
	}
	r.written++
	r.csv.Write([]string{file, strconv.Itoa(b.Line(i)), reason, strings.TrimSuffix(row.String(), "\n")})
	return nil
}

// commit gives the file its name.
func (r *rejects) commit() error {
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
		err = r.file.Commit()
	}
	if err != nil {
		return fileerr.Or(err, fileerr.Because(r.path, err))
	}
	return nil
}

// discard leaves no file, unless commit did.
func (r *rejects) discard() {
	if r.file != nil {
		r.file.Discard()
	}
}
