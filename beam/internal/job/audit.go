package job

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
)

// Suspect is a row whose own features disagree with its neighbourhood; bloom audit has the same keys.
type Suspect struct {
	ID       string  `json:"id"`
	Residual float64 `json:"residual"` // ‖h − π‖, as the paper ranks them
	Rank     int     `json:"rank"`     // from 1
}

// ranked returns the first of a list, by residual, ties by id.
func ranked(list []Suspect, most int) []Suspect {
	slices.SortFunc(list, func(a, b Suspect) int {
		return cmp.Or(cmp.Compare(b.Residual, a.Residual), cmp.Compare(a.ID, b.ID))
	})
	list = list[:min(most, len(list))]
	for i := range list {
		list[i].Rank = i + 1
	}
	return list
}

// Audit writes the most suspicious rows of part i.
func (w *Worker) Audit(i, most int) error {
	var list []Suspect
	err := w.Rows(i, func(rows []Row) error {
		for _, r := range rows {
			list = append(list, Suspect{ID: r.ID, Residual: r.Residual})
		}
		list = ranked(list, most)
		return nil
	})
	if err != nil {
		return err
	}
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return write(w.auditPath(i), text)
}

func (f *Folder) auditPath(i int) string {
	return filepath.Join(f.Dir, fmt.Sprintf("audit-%05d.json", i))
}

// Audited returns the most suspicious rows of all parts, which were audited with the same limit.
func (f *Folder) Audited(most int) ([]Suspect, error) {
	list := []Suspect{}
	for i := range f.Graph.Len() {
		var part []Suspect
		if err := read(f.auditPath(i), &part); err != nil {
			return nil, err
		}
		list = ranked(append(list, part...), most)
	}
	return list, nil
}
