package path

import (
	"encoding/json"
	"io"
	"os"

	"github.com/bloomgml/bloom/internal/fileerr"
	"github.com/bloomgml/bloom/internal/safetensors"
	"github.com/bloomgml/bloom/mat"
)

// The metadata of a file.
const (
	formatKey    = "format"
	formatName   = "bloom path 1"
	configKey    = "config"
	relationsKey = "relations"
)

// Write writes the model: the same bytes for the same weights.
func (m *Model) Write(w io.Writer) error {
	config, err := json.Marshal(m.Config)
	if err != nil {
		return err
	}
	names, err := json.Marshal(m.Names)
	if err != nil {
		return err
	}
	f := &safetensors.File{Metadata: map[string]string{formatKey: formatName, configKey: string(config), relationsKey: string(names)}}
	for _, p := range m.params {
		f.Tensors = append(f.Tensors, safetensors.New(p.Name, []int{p.Rows(), p.Cols()}, p.Value().Slice()))
	}
	return safetensors.Write(w, f)
}

// Save writes the model to a file.
func (m *Model) Save(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return fileerr.Because(path, err)
	}
	if err := m.Write(f); err != nil {
		f.Close()
		return fileerr.Because(path, err)
	}
	return f.Close()
}

// Load reads a model from a file.
func Load(path string) (*Model, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fileerr.Because(path, err)
	}
	return Read(path, b)
}

// Read decodes what Write has written; name is what errors call it.
func Read(name string, b []byte) (*Model, error) {
	f, err := safetensors.Read(name, b)
	if err != nil {
		return nil, err
	}
	if got := f.Metadata[formatKey]; got != formatName {
		return nil, fileerr.In(name, "%s is %q, want %q", formatKey, got, formatName)
	}
	var c Config
	var names []string
	if err := json.Unmarshal([]byte(f.Metadata[configKey]), &c); err != nil {
		return nil, fileerr.In(name, "%s: %v", configKey, err)
	}
	if err := json.Unmarshal([]byte(f.Metadata[relationsKey]), &names); err != nil {
		return nil, fileerr.In(name, "%s: %v", relationsKey, err)
	}
	// Before memory is allocated for a config, the file must hold two matrices that prove its sizes.
	d := c.withDefaults().Hidden
	if err := checkShape(name, f, "query", 2*len(names), d); err != nil {
		return nil, err
	}
	if err := checkShape(name, f, "own.W", d, d); err != nil {
		return nil, err
	}
	m, err := New(c, names)
	if err != nil {
		return nil, fileerr.Because(name, err)
	}
	return m, m.fill(name, f)
}

// fill takes the weights from f.
func (m *Model) fill(name string, f *safetensors.File) error {
	for _, p := range m.params {
		if err := checkShape(name, f, p.Name, p.Rows(), p.Cols()); err != nil {
			return err
		}
		t, _ := f.Find(p.Name)
		p.Value().Write(safetensors.Values[mat.Real](t))
		if err := p.Value().CheckFinite(); err != nil {
			return fileerr.In(name, "%s: %v", p.Name, err)
		}
	}
	return nil
}

// checkShape wants a tensor of the given name and shape.
func checkShape(name string, f *safetensors.File, tensor string, rows, cols int) error {
	t, ok := f.Find(tensor)
	if !ok {
		return fileerr.In(name, "there is no tensor %s", tensor)
	}
	if len(t.Shape) != 2 || t.Shape[0] != rows || t.Shape[1] != cols {
		return fileerr.In(name, "%s has shape %v, want [%d %d]", tensor, t.Shape, rows, cols)
	}
	return nil
}
