package path

import (
	"encoding/json"
	"io"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/internal/codec"
	"github.com/bloomgml/bloom/internal/files"
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
func (m *Model) Write(w io.Writer) error { return write(w, formatName, m.Config, m.Names, m.params) }

// write writes a model of any format: its config, the names of its relations and its weights.
func write(w io.Writer, format string, config any, relations []string, params []*ad.Param) error {
	c, err := json.Marshal(config)
	if err != nil {
		return err
	}
	names, err := json.Marshal(relations)
	if err != nil {
		return err
	}
	metadata := map[string]string{formatKey: format, configKey: string(c), relationsKey: string(names)}
	f := &codec.Safetensors{Metadata: metadata}
	for _, p := range params {
		f.Tensors = append(f.Tensors, codec.NewTensor(p.Name, []int{p.Rows(), p.Cols()}, p.Value().Slice()))
	}
	return codec.WriteSafetensors(w, f)
}

// read decodes what write has written in a format, except for the weights: config receives the config.
func read(name string, b []byte, format string, config any) (f *codec.Safetensors, relations []string, err error) {
	if f, err = codec.ReadSafetensors(name, b); err != nil {
		return nil, nil, err
	}
	if got := f.Metadata[formatKey]; got != format {
		return nil, nil, files.Errorf(name, "%s is %q, want %q", formatKey, got, format)
	}
	if err := json.Unmarshal([]byte(f.Metadata[configKey]), config); err != nil {
		return nil, nil, files.Errorf(name, "%s: %v", configKey, err)
	}
	if err := json.Unmarshal([]byte(f.Metadata[relationsKey]), &relations); err != nil {
		return nil, nil, files.Errorf(name, "%s: %v", relationsKey, err)
	}
	return f, relations, nil
}

// Load reads a file that Model.Write has written.
func Load(path string) (*Model, error) {
	b, err := files.Read(path)
	if err != nil {
		return nil, err
	}
	return decode(path, b)
}

// decode reads what Write has written; name is what errors call it.
func decode(name string, b []byte) (*Model, error) {
	var c Config
	f, names, err := read(name, b, formatName, &c)
	if err != nil {
		return nil, err
	}
	if err := checkSizes(name, f, c.withDefaults(), len(names)); err != nil {
		return nil, err
	}
	m, err := New(c, names)
	if err != nil {
		return nil, files.Because(name, err)
	}
	return m, readParams(name, f, m.params)
}

// checkSizes wants two matrices that prove the sizes of a config, before memory is allocated for it.
func checkSizes(name string, f *codec.Safetensors, c Config, relations int) error {
	first, rows, second := "query", 2*relations, "own.W"
	if c.layered() {
		if len(f.Tensors) < c.Layers {
			return files.Errorf(name, "%d tensors for %d layers", len(f.Tensors), c.Layers)
		}
		second = "entities.0.own.W"
	}
	if c.Relations == Graph {
		first, rows = "relations.0.kinds", numKinds
	}
	if err := checkShape(name, f, first, rows, c.Hidden); err != nil {
		return err
	}
	return checkShape(name, f, second, c.Hidden, c.Hidden)
}

// readParams reads the weights from f.
func readParams(name string, f *codec.Safetensors, params []*ad.Param) error {
	for _, p := range params {
		if err := checkShape(name, f, p.Name, p.Rows(), p.Cols()); err != nil {
			return err
		}
		t, _ := f.Find(p.Name)
		p.Value().Write(codec.Values[mat.Real](t))
		if err := p.Value().CheckFinite(); err != nil {
			return files.Errorf(name, "%s: %v", p.Name, err)
		}
	}
	return nil
}

// checkShape wants a tensor of the given name and shape.
func checkShape(name string, f *codec.Safetensors, tensor string, rows, cols int) error {
	t, ok := f.Find(tensor)
	if !ok {
		return files.Errorf(name, "there is no tensor %s", tensor)
	}
	if len(t.Shape) != 2 || t.Shape[0] != rows || t.Shape[1] != cols {
		return files.Errorf(name, "%s has shape %v, want [%d %d]", tensor, t.Shape, rows, cols)
	}
	return nil
}
