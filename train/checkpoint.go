package train

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/internal/fileerr"
	"github.com/bloomgml/bloom/internal/safetensors"
	"github.com/bloomgml/bloom/mat"
)

// checkpointFile is where the checkpoint of a run folder is.
func checkpointFile(dir string) string { return filepath.Join(dir, "checkpoint", "last.safetensors") }

// recordWidth is the number of columns of a Record in a checkpoint.
const recordWidth = 8

func (r Record) row() []float64 {
	return []float64{float64(r.Epoch), r.Loss, r.Rate, r.Train, r.Valid, r.Test, r.Start, r.End}
}

func recordOf(x []float64) Record {
	return Record{int(x[0]), x[1], x[2], x[3], x[4], x[5], x[6], x[7]}
}

// tensors are the matrices of a loop by their names in a checkpoint: weights, what the optimiser remembers, and the weights of the
// best epoch.
func (l *loop) tensors() map[string]*mat.Dense {
	ms := map[string]*mat.Dense{}
	for i, p := range l.numbers {
		ms["now/"+p.Name], ms["best/"+p.Name] = p.Value(), l.kept[i]
	}
	for _, s := range l.opt.slots {
		for i, name := range memories(l.opt.config) {
			ms[name+"/"+s.param.Name] = s.memory[i]
		}
	}
	return ms
}

// save writes all that is needed to go on as if nothing had happened. Dropout and label sampling are functions of seed and epoch, so
// that the epoch is all there is to know about chance.
func (l *loop) save(w io.Writer, seconds float64) error {
	f := &safetensors.File{Metadata: map[string]string{
		"format": "bloom checkpoint", "version": "1", "seed": fmt.Sprint(l.task.Trial.Seed), "split": fmt.Sprint(l.task.Trial.Split),
		"epoch": fmt.Sprint(l.epoch), "improved": fmt.Sprint(l.improved), "seconds": strconv.FormatFloat(seconds, 'g', -1, 64),
	}}
	for name, m := range l.tensors() {
		f.Tensors = append(f.Tensors, tensor(name, m))
	}
	var rows []float64
	for _, r := range l.history {
		rows = append(rows, r.row()...)
	}
	f.Tensors = append(f.Tensors, safetensors.New("history", []int{len(l.history), recordWidth}, rows),
		safetensors.New("best", []int{recordWidth}, l.best.row()), safetensors.New("loss", nil, []float64{l.last}))
	return safetensors.Write(w, f)
}

func tensor(name string, m *mat.Dense) safetensors.Tensor {
	return safetensors.New(name, []int{m.Rows(), m.Cols()}, m.Slice())
}

// resume makes l what it was when path was saved, and returns the seconds that had been spent.
func (l *loop) resume(path string) (seconds float64, err error) {
	f, err := safetensors.ReadFile(path)
	if err != nil {
		return 0, err
	}
	for key, want := range map[string]string{"format": "bloom checkpoint", "version": "1", "seed": fmt.Sprint(l.task.Trial.Seed),
		"split": fmt.Sprint(l.task.Trial.Split)} {
		if got := f.Metadata[key]; got != want {
			return 0, fileerr.In(path, "a checkpoint with %s %q, want %q", key, got, want)
		}
	}
	for name, m := range l.tensors() {
		if err := fill(m, path, f, name); err != nil {
			return 0, err
		}
	}
	return l.resumeProgress(path, f)
}

func (l *loop) resumeProgress(path string, f *safetensors.File) (seconds float64, err error) {
	for key, to := range map[string]*int{"epoch": &l.epoch, "improved": &l.improved} {
		if *to, err = strconv.Atoi(f.Metadata[key]); err != nil || *to < 0 {
			return 0, fileerr.In(path, "%s %q is not a number of epochs", key, f.Metadata[key])
		}
	}
	if seconds, err = strconv.ParseFloat(f.Metadata["seconds"], 64); err != nil {
		return 0, fileerr.In(path, "seconds %q is not a number", f.Metadata["seconds"])
	}
	history, ok := f.Find("history")
	best, ok2 := f.Find("best")
	loss, ok3 := f.Find("loss")
	if !ok || !ok2 || !ok3 || len(history.Shape) != 2 || history.Shape[1] != recordWidth || len(safetensors.Values[float64](best)) != recordWidth {
		return 0, fileerr.In(path, "no history of metrics")
	}
	l.history = l.history[:0]
	rows := safetensors.Values[float64](history)
	for i := range history.Shape[0] {
		l.history = append(l.history, recordOf(rows[i*recordWidth:]))
	}
	l.best, l.last = recordOf(safetensors.Values[float64](best)), safetensors.Values[float64](loss)[0]
	return seconds, nil
}

// fill reads the tensor of a name into m, whose shape it must have.
func fill(m *mat.Dense, path string, f *safetensors.File, name string) error {
	t, ok := f.Find(name)
	if !ok {
		return fileerr.In(path, "tensor %q is missing: it is from another network", name)
	}
	if len(t.Shape) != 2 || t.Shape[0] != m.Rows() || t.Shape[1] != m.Cols() {
		return fileerr.In(path, "tensor %q has the shape %v, want %v: it is from another network", name, t.Shape, m.Shape())
	}
	m.Write(safetensors.Values[mat.Real](t))
	return nil
}

// saveModel writes weights: a function of config and data, with no trace of when, where and on how many threads.
func saveModel(w io.Writer, t *Task, epoch int) error {
	f := &safetensors.File{Metadata: map[string]string{
		"format": "bloom model", "version": "1", "recipe": t.Config.Recipe, "seed": fmt.Sprint(t.Trial.Seed),
		"split": fmt.Sprint(t.Trial.Split), "epoch": fmt.Sprint(epoch),
	}}
	for _, p := range weights(t.Network) {
		f.Tensors = append(f.Tensors, tensor(p.Name, p.Value()))
	}
	return safetensors.Write(w, f)
}

// weights are parameters and state of a network.
func weights(n Network) []*ad.Param {
	return append(append([]*ad.Param{}, n.Params()...), n.State()...)
}
