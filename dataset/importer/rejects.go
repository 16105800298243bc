package importer

import (
	"encoding/csv"
	"os"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/internal/fileerr"
	"github.com/bloomgml/bloom/internal/table"
)

// rejects writes the rows that an import could not use to a table with the columns file, line,
// reason and row. The file is made with the first of them; without a path they are only counted.
type rejects struct {
	path  string
	count int
	file  *os.File
	csv   *csv.Writer
}

// add writes row i of a batch with the reason why it is not used.
func (r *rejects) add(b *table.Batch, file string, i int, reason string) error {
	r.count++
	if r.path == "" {
		return nil
	}
	if r.file == nil {
		f, err := os.Create(r.path)
		if err != nil {
			return fileerr.Because(r.path, err)
		}
		r.file, r.csv = f, csv.NewWriter(f)
		r.csv.Write([]string{"file", "line", "reason", "row"}) // errors are kept until close
	}
	var row strings.Builder
	w := csv.NewWriter(&row)
	w.Write(b.Row(nil, i))
	w.Flush()
	r.csv.Write([]string{file, strconv.Itoa(b.Line(i)), reason, strings.TrimSuffix(row.String(), "\n")})
	return nil
}

// close finishes the file.
func (r *rejects) close() error {
	if r.file == nil {
		return nil
	}
	r.csv.Flush()
	err := r.csv.Error()
	if e := r.file.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fileerr.Because(r.path, err)
	}
	return nil
}
