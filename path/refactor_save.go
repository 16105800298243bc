package path

import (
	"encoding/json"
	"io"
	"os"

	"github.com/bloomgml/bloom/internal/fileerr"
	"github.com/bloomgml/bloom/internal/safetensors"
	"github.com/bloomgml/bloom/mat"
)

// refactorName is the format of a file of a Refactor.
const refactorName = "bloom refactor 1"

// Write writes the model: the same bytes for the same weights.
func (r *Refactor) Write(w io.Writer) error {
	config, err := json.Marshal(r.RefactorConfig)
	if err != nil {
		return err
	}
	names, err := json.Marshal(r.Names)
	if err != nil {
		return err
	}
	f := &safetensors.File{Metadata: map[string]string{formatKey: refactorName, configKey: string(config), relationsKey: string(names)}}
	for _, p := range r.Params() {
		f.Tensors = append(f.Tensors, safetensors.New(p.Name, []int{p.Rows(), p.Cols()}, p.Value().Slice()))
	}
	return safetensors.Write(w, f)
}

// LoadRefactor reads a file that Refactor.Write has written.
func LoadRefactor(file string) (*Refactor, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, fileerr.Because(file, err)
	}
	return ReadRefactor(file, b)
}

// ReadRefactor decodes what Refactor.Write has written; name is what errors call it.
func ReadRefactor(name string, b []byte) (*Refactor, error) {
	f, err := safetensors.Read(name, b)
	if err != nil {
		return nil, err
	}
	if got := f.Metadata[formatKey]; got != refactorName {
		return nil, fileerr.In(name, "%s is %q, want %q", formatKey, got, refactorName)
	}
	var c RefactorConfig
	var names []string
	if err := json.Unmarshal([]byte(f.Metadata[configKey]), &c); err != nil {
		return nil, fileerr.In(name, "%s: %v", configKey, err)
	}
	if err := json.Unmarshal([]byte(f.Metadata[relationsKey]), &names); err != nil {
		return nil, fileerr.In(name, "%s: %v", relationsKey, err)
	}
	c = c.withDefaults()
	for _, tensor := range []string{"relations", "first"} { // before memory is allocated for a config
		if err := checkShape(name, f, tensor, 2*len(names), c.Hidden); err != nil {
			return nil, err
		}
	}
	r := newRefactor(c, names)
	for _, p := range r.Params() {
		t, _ := f.Find(p.Name)
		p.Value().Write(safetensors.Values[mat.Real](t))
		if err := p.Value().CheckFinite(); err != nil {
			return nil, fileerr.In(name, "%s: %v", p.Name, err)
		}
	}
	return r, nil
}
