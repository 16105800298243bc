package train

import (
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/codec"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
)

// The checkpoints of a run folder: the last one, and the one before, which goes when the next is complete.
var (
	lastCheckpoint     = filepath.Join("checkpoint", "last.safetensors")
	previousCheckpoint = filepath.Join("checkpoint", "previous.safetensors")
)

// checkpoint is all that training needs to continue as if nothing had happened. Its pointers belong to the training:
// Write reads them, and Read sets them.
type checkpoint struct {
	Of map[string]string // what it is a checkpoint of: the same when it is read
	// State is what changes, by name: a *mat.Dense, an *int, which is never negative, or a *float64. The *int named
	// epoch is how many epochs are done.
	State   map[string]any
	History *[]Record
	Best    *Record
}

// epoch returns how many epochs are done.
func (c checkpoint) epoch() int { return *c.State["epoch"].(*int) }

// identity returns everything that decides the bits of a trial: what its checkpoints belong to.
func (t Trial) identity(c config.Config) map[string]string {
	return map[string]string{"format": "bloom checkpoint", "version": "5", "seed": fmt.Sprint(t.Seed),
		"split": fmt.Sprint(t.Split), "config": settingsOf(c)}
}

// settingsOf returns a config as far as it decides the bits of a run up to an epoch, without comments. Where the data
// lies does not: data.json says what it is.
func settingsOf(c config.Config) string {
	c.Train.Checkpoint, c.Train.Repeat, c.Train.Together, c.Train.Epochs, c.Data.Name = 0, 1, 1, 0, ""
	var bare strings.Builder
	for line := range strings.Lines(string(c.YAML())) {
		if !strings.HasPrefix(strings.TrimSpace(line), "#") {
			bare.WriteString(line)
		}
	}
	return bare.String()
}

// recordWidth is the number of columns of a Record in a checkpoint.
const recordWidth = 8

func (r Record) row() []float64 {
	return []float64{float64(r.Epoch), r.Loss, r.Rate, r.Train, r.Valid, r.Test, r.Start, r.End}
}

func recordOf(x []float64) Record {
	return Record{Epoch: int(x[0]), Loss: x[1], Rate: x[2],
		Scores: Scores{Train: x[3], Valid: x[4], Test: x[5], Start: x[6], End: x[7]}}
}

// Write writes the checkpoint, with a checksum over all bytes.
func (c checkpoint) Write(w io.Writer) error {
	f := &codec.Safetensors{Metadata: maps.Clone(c.Of)}
	for name, x := range c.State {
		switch x := x.(type) {
		case *mat.Dense:
			f.Tensors = append(f.Tensors, tensor(name, x))
		case *int:
			f.Metadata[name] = strconv.Itoa(*x)
		case *float64:
			f.Metadata[name] = strconv.FormatFloat(*x, 'g', -1, 64)
		default:
			panic(fmt.Sprintf("run: %s of a checkpoint is a %T", name, x))
		}
	}
	var rows []float64
	for _, r := range *c.History {
		rows = append(rows, r.row()...)
	}
	f.Tensors = append(f.Tensors, codec.NewTensor("history", []int{len(*c.History), recordWidth}, rows),
		codec.NewTensor("best", []int{recordWidth}, c.Best.row()))
	return codec.WriteSealed(w, f)
}

// Read restores everything as it was when path was written. The error is a *files.Error; what was read before it
// stays.
func (c checkpoint) Read(path string) error {
	f, err := codec.ReadSealed(path)
	if err != nil {
		return err
	}
	for _, key := range []string{"format", "version", "seed", "split", "config"} {
		if got, want := f.Metadata[key], c.Of[key]; got != want {
			got, want = files.Difference(got, want)
			return files.Errorf(path, "a checkpoint with %s %q, want %q", key, got, want)
		}
	}
	for name, x := range c.State {
		if err := set(x, path, f, name); err != nil {
			return err
		}
	}
	history, ok := f.Find("history")
	best, ok2 := f.Find("best")
	if !ok || !ok2 || len(history.Shape) != 2 || history.Shape[1] != recordWidth ||
		len(codec.Values[float64](best)) != recordWidth {
		return files.Errorf(path, "no history of metrics")
	}
	*c.History = nil
	rows := codec.Values[float64](history)
	for i := range history.Shape[0] {
		*c.History = append(*c.History, recordOf(rows[i*recordWidth:]))
	}
	*c.Best = recordOf(codec.Values[float64](best))
	return nil
}

// set reads the value of a name into x.
func set(x any, path string, f *codec.Safetensors, name string) (err error) {
	text := f.Metadata[name]
	switch x := x.(type) {
	case *mat.Dense:
		return fill(x, path, f, name)
	case *int:
		if *x, err = strconv.Atoi(text); err != nil || *x < 0 {
			return files.Errorf(path, "%s %q is not a count", name, text)
		}
	case *float64:
		if *x, err = strconv.ParseFloat(text, 64); err != nil || math.IsInf(*x, 0) {
			return files.Errorf(path, "%s %q is not a number", name, text)
		}
	}
	return nil
}

// modelName is the file of a run folder that has the weights.
const modelName = "model.safetensors"

// ModelFile returns the weights of a run folder.
func ModelFile(dir string) string { return filepath.Join(dir, modelName) }

// WriteWeights writes parameters by name.
func WriteWeights(w io.Writer, metadata map[string]string, params []*ad.Param) error {
	f := &codec.Safetensors{Metadata: metadata}
	for _, p := range params {
		f.Tensors = append(f.Tensors, tensor(p.Name, p.Value()))
	}
	return codec.WriteSafetensors(w, f)
}

func tensor(name string, m *mat.Dense) codec.Tensor {
	return codec.NewTensor(name, []int{m.Rows(), m.Cols()}, m.Slice())
}

// Weights is the content of a file written by WriteWeights.
type Weights struct {
	Metadata map[string]string

	path string
	file *codec.Safetensors
}

// ReadWeights reads the weights of a run folder.
func ReadWeights(dir string) (*Weights, error) {
	path := ModelFile(dir)
	f, err := codec.ReadSafetensorsFile(path)
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
func fill(m *mat.Dense, path string, f *codec.Safetensors, name string) error {
	t, ok := f.Find(name)
	if !ok {
		return files.Errorf(path, "tensor %q is missing: it is from another network", name)
	}
	if len(t.Shape) != 2 || t.Shape[0] != m.Rows() || t.Shape[1] != m.Cols() {
		return files.Errorf(path, "tensor %q has the shape %v, want %v: it is from another network", name, t.Shape,
			m.Shape())
	}
	values := codec.Values[mat.Real](t)
	for i, v := range values {
		if !isFinite(float64(v)) {
			return files.Errorf(path, "tensor %q has %g in row %d, column %d: training never produces that", name, v,
				i/m.Cols(), i%m.Cols())
		}
	}
	m.Write(values)
	return nil
}
