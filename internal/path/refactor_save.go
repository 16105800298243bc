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
	return decodeRefactor(file, b)
}

// decodeRefactor reads what Refactor.Write has written; name is what errors call it.
func decodeRefactor(name string, b []byte) (*Refactor, error) {
	var c RefactorConfig
	f, names, err := read(name, b, refactorName, &c)
	if err != nil {
		return nil, err
	}
	c = c.withDefaults()
	for _, tensor := range []string{"relations", "first"} { // before memory is allocated for a config
		if err := checkShape(name, f, tensor, 2*len(names), c.Hidden); err != nil {
			return nil, err
		}
	}
	r := newRefactor(c, names)
	return r, readParams(name, f, r.Params())
}
