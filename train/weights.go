package train

import (
	"io"
	"path/filepath"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/internal/codec/safetensors"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
)

// modelName is the file of a run folder that has the weights.
const modelName = "model.safetensors"

// ModelFile is the weights of a run folder.
func ModelFile(dir string) string { return filepath.Join(dir, modelName) }

// WriteWeights writes parameters by name.
func WriteWeights(w io.Writer, metadata map[string]string, params []*ad.Param) error {
	f := &safetensors.File{Metadata: metadata}
	for _, p := range params {
		f.Tensors = append(f.Tensors, tensor(p.Name, p.Value()))
	}
	return safetensors.Write(w, f)
}

func tensor(name string, m *mat.Dense) safetensors.Tensor {
	return safetensors.New(name, []int{m.Rows(), m.Cols()}, m.Slice())
}

// Weights are what WriteWeights has written.
type Weights struct {
	Metadata map[string]string

	path string
	file *safetensors.File
}

// ReadWeights reads the weights of a run folder.
func ReadWeights(dir string) (*Weights, error) {
	path := ModelFile(dir)
	f, err := safetensors.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return &Weights{f.Metadata, path, f}, nil
}

// Set gives parameters their values by name. The error is a *files.Error; what was set before it stays.
func (w *Weights) Set(params []*ad.Param) error {
	for _, p := range params {
		if err := fill(p.Value(), w.path, w.file, p.Name); err != nil {
			return err
		}
	}
	return nil
}

// fill reads the tensor of a name into m, whose shape it must have.
func fill(m *mat.Dense, path string, f *safetensors.File, name string) error {
	t, ok := f.Find(name)
	if !ok {
		return files.Errorf(path, "tensor %q is missing: it is from another network", name)
	}
	if len(t.Shape) != 2 || t.Shape[0] != m.Rows() || t.Shape[1] != m.Cols() {
		return files.Errorf(path, "tensor %q has the shape %v, want %v: it is from another network", name, t.Shape,
			m.Shape())
	}
	values := safetensors.Values[mat.Real](t)
	for i, v := range values {
		if !isFinite(float64(v)) {
			return files.Errorf(path, "tensor %q has %g in row %d, column %d: no training leaves that", name, v,
				i/m.Cols(), i%m.Cols())
		}
	}
	m.Write(values)
	return nil
}
