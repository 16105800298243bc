package fact

import (
	"io"
	"math"
	"strconv"

	"github.com/bloomgml/bloom/internal/files"
)

// AuditFile is where a run folder has its audit.
const AuditFile = "audit.csv"

// auditColumns is the header of AuditFile.
var auditColumns = []string{"rank", "head", "relation", "tail", "part", "tail_rank", "head_rank", "suspicion",
	"probability"}

// WriteCSV writes a row for every fact, the most suspicious first.
func (a *Audit) WriteCSV(w io.Writer) error {
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
	return writeTable(w, auditColumns, a.Facts, func(f Suspect) []string {
		return []string{strconv.Itoa(f.Rank), f.Head, f.Relation, f.Tail, f.Part, number(f.TailRank),
			number(f.HeadRank), number(f.Suspicion), number(f.Probability)}
	})
}

// ReadAudit reads what Audit.WriteCSV has written. The error is a *files.Error.
func ReadAudit(name string, r io.Reader) (*Audit, error) {
	a := &Audit{}
	err := readTable(name, r, auditColumns, func(line int, row []string) (err error) {
		f := Suspect{Head: row[1], Relation: row[2], Tail: row[3], Part: row[4]}
		for i, to := range []*float64{&f.TailRank, &f.HeadRank, &f.Suspicion, &f.Probability} {
			if *to, err = strconv.ParseFloat(row[5+i], 64); err != nil || math.IsNaN(*to) || math.IsInf(*to, 0) ||
				i < 2 && *to < 1 || i == 3 && !(*to >= 0 && *to <= 1) {
				return files.ErrorAt(name, line, "%s %q is not a number that an audit has", auditColumns[5+i],
					row[5+i])
			}
		}
		a.Facts = append(a.Facts, f)
		return nil
	})
	if err != nil {
		return nil, err
	}
	a.sort()
	return a, nil
}
