package generate

import (
	"encoding/csv"
	"fmt"
	"io"
)

// Table is a table of texts, as people keep them.
type Table struct {
	Name string     // of the file, without an ending
	Rows [][]string // the header first; rows of other lengths are mistakes that people make
}

// WriteCSV writes the table with commas.
func (t Table) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.WriteAll(t.Rows); err != nil {
		return fmt.Errorf("%s: %w", t.Name, err)
	}
	return nil
}

// Company makes the tables of a company: accounts and the payments between them as somebody would find them, dates,
// zip codes, notes, gaps and mistakes included, and a table truth of the mistakes that were made on purpose. Values are
// key=value,key=value: accounts, payments, fraud, outliers, labels, edges, seed. What they are is in the comment of
// company.
func Company(values string) ([]Table, error) {
	v, err := company.parse(values)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", company.Name, err)
	}
	return newFirm(v).tables(), nil
}
