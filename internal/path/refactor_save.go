package path

import (
	"io"

	"github.com/bloomgml/bloom/internal/files"
)

// refactorName is the format of a file of a Refactor.
const refactorName = "bloom refactor 1"

// Write writes the model: the same bytes for the same weights.
func (r *Refactor) Write(w io.Writer) error {
	return write(w, refactorName, r.RefactorConfig, r.Names, r.Params())
}

// LoadRefactor reads a file that Refactor.Write has written.
func LoadRefactor(file string) (*Refactor, error) {
	b, err := files.Read(file)
	if err != nil {
		return nil, err
	}
	var c RefactorConfig
	f, names, err := read(file, b, refactorName, &c)
	if err != nil {
		return nil, err
	}
	for _, tensor := range []string{"relations", "first"} { // before memory is allocated for a config
		if err := checkShape(file, f, tensor, 2*len(names), c.withDefaults().Hidden); err != nil {
			return nil, err
		}
	}
	r := NewRefactor(c, names)
	return r, readParams(file, f, r.Params())
}
