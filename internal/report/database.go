package report

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/files"
)

// database returns the tables of a database that was asked, with their keys; nil if there was none.
func (r *Run) database() (tables []dataset.TableKeys, err error) {
	name := filepath.Join(r.Dir, dataset.SchemaFile)
	text, err := files.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &tables)
	}
	if err != nil {
		return nil, files.Because(name, err)
	}
	return tables, nil
}
