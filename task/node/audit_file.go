package node

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/bloomgml/bloom/internal/files"
)

// AuditFile is where a run folder has its audit.
const AuditFile = "audit.json"

// KeepAudit writes an audit to the folder of the run.
func (t *Trained) KeepAudit(a *Audit) error {
	return files.Write(filepath.Join(t.Dir, AuditFile), files.WriteOptions{}, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(a)
	})
}

// KeptAudit returns the audit in the run folder, or nil if there is none.
func (t *Trained) KeptAudit() (*Audit, error) {
	name := filepath.Join(t.Dir, AuditFile)
	text, err := files.Read(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	a := &Audit{}
	if err := errors.Join(json.Unmarshal(text, a), t.find(a)); err != nil {
		return nil, files.Because(name, err)
	}
	return a, nil
}

// find puts nodes to the names of an audit.
func (t *Trained) find(a *Audit) (err error) {
	node := func(id string) int32 {
		v, e := t.Data.Node(id)
		if err == nil {
			err = e
		}
		return v
	}
	for i := range a.Rows {
		a.Rows[i].Node = node(a.Rows[i].ID)
	}
	for i := range a.Labels {
		a.Labels[i].Node = node(a.Labels[i].ID)
	}
	for i := range a.Edges {
		a.Edges[i].U, a.Edges[i].V = node(a.Edges[i].Source), node(a.Edges[i].Target)
	}
	return err
}
