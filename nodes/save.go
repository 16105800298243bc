package nodes

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/durable"
	"github.com/bloomgml/bloom/run"
)

// Save writes the model into a run folder of its own, with the data that it was trained on and newcomers as one data
// set: all that can be asked of a run can then be asked about them, and further ones added. The model and its result
// are copies, as nothing was trained. dir must not hold a run already.
func (t *Trained) Save(dir string, n *dataset.Newcomers) error {
	if err := t.canAdd(n); err != nil {
		return err
	}
	if t.Config.Data.Corrupt != "" {
		return &run.BadData{Data: t.Data.Name, Text: "rows were corrupted for this run, others with every new node: " +
			"a run with data.corrupt cannot be saved with new nodes"}
	}
	whole, err := n.Join(t.raw)
	if err != nil {
		return err
	}
	files := map[string]func(io.Writer) error{
		"model.safetensors": func(w io.Writer) error { return t.Job().Write(w, t.Epoch) },
	}
	for _, name := range []string{"result.json", "metrics.jsonl"} {
		text, err := durable.ReadFile(filepath.Join(t.Dir, name))
		if errors.Is(err, fs.ErrNotExist) { // of a run that was saved, or killed
			continue
		}
		if err != nil {
			return err
		}
		files[name] = func(w io.Writer) error { _, err := w.Write(text); return err }
	}
	c := t.Config
	c.Train.Repeat, c.Data.Name = 1, ""
	if c.Data.Scale == "columns" && c.Data.ScaleRows == 0 { // else they would be other columns with new rows
		c.Data.ScaleRows = t.raw.Graph.NumNodes()
	}
	return run.Save(dir, c, whole, files)
}
