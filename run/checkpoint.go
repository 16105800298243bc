package run

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"github.com/bloomgml/bloom/internal/fileerr"
	"github.com/bloomgml/bloom/internal/safetensors"
	"github.com/bloomgml/bloom/mat"
)

// checkpointName is where the checkpoint of a run folder is.
var checkpointName = filepath.Join("checkpoint", "last.safetensors")

// checkpointFile is the checkpoint of a run folder.
func checkpointFile(dir string) string { return filepath.Join(dir, checkpointName) }

// checkpoint is all that a training needs to go on as if nothing had happened. What it points to is the training's own: Write reads
// it, and Read sets it.
type checkpoint struct {
	Of map[string]string // what it is a checkpoint of: the same when it is read
	// State is what changes, by name: a *mat.Dense, an *int, which is never negative, or a *float64. The *int named epoch is
	// how many epochs are done.
	State   map[string]any
	History *[]Record
	Best    *Record
}

// epoch is how many epochs are done.
func (c checkpoint) epoch() int { return *c.State["epoch"].(*int) }

// recordWidth is the number of columns of a Record in a checkpoint.
const recordWidth = 8

func (r Record) row() []float64 {
	return []float64{float64(r.Epoch), r.Loss, r.Rate, r.Train, r.Valid, r.Test, r.Start, r.End}
}

func recordOf(x []float64) Record {
	return Record{Epoch: int(x[0]), Loss: x[1], Rate: x[2], Scores: Scores{Train: x[3], Valid: x[4], Test: x[5], Start: x[6], End: x[7]}}
}

// metadata is what a file says about itself beside Of.
var metadata = map[string]string{"format": "bloom checkpoint", "version": "3"}

// Write writes the checkpoint.
func (c checkpoint) Write(w io.Writer) error {
	f := &safetensors.File{Metadata: map[string]string{}}
	for _, fixed := range []map[string]string{metadata, c.Of} {
		for key, value := range fixed {
			f.Metadata[key] = value
		}
	}
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
	f.Tensors = append(f.Tensors, safetensors.New("history", []int{len(*c.History), recordWidth}, rows),
		safetensors.New("best", []int{recordWidth}, c.Best.row()))
	return safetensors.Write(w, f)
}

// Read makes everything what it was when path was written. The error is a *fileerr.Error; what was read before it stays.
func (c checkpoint) Read(path string) error {
	f, err := safetensors.ReadFile(path)
	if err != nil {
		return err
	}
	for _, fixed := range []map[string]string{metadata, c.Of} {
		for key, want := range fixed {
			if got := f.Metadata[key]; got != want {
				return fileerr.In(path, "a checkpoint with %s %q, want %q", key, got, want)
			}
		}
	}
	for name, x := range c.State {
		if err := set(x, path, f, name); err != nil {
			return err
		}
	}
	history, ok := f.Find("history")
	best, ok2 := f.Find("best")
	if !ok || !ok2 || len(history.Shape) != 2 || history.Shape[1] != recordWidth || len(safetensors.Values[float64](best)) != recordWidth {
		return fileerr.In(path, "no history of metrics")
	}
	*c.History = nil
	rows := safetensors.Values[float64](history)
	for i := range history.Shape[0] {
		*c.History = append(*c.History, recordOf(rows[i*recordWidth:]))
	}
	*c.Best = recordOf(safetensors.Values[float64](best))
	return nil
}

// set reads the value of a name into x.
func set(x any, path string, f *safetensors.File, name string) (err error) {
	text := f.Metadata[name]
	switch x := x.(type) {
	case *mat.Dense:
		return fill(x, path, f, name)
	case *int:
		if *x, err = strconv.Atoi(text); err != nil || *x < 0 {
			return fileerr.In(path, "%s %q is not a count", name, text)
		}
	case *float64:
		if *x, err = strconv.ParseFloat(text, 64); err != nil {
			return fileerr.In(path, "%s %q is not a number", name, text)
		}
	}
	return nil
}
