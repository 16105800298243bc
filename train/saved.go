package train

import (
	"fmt"
	"io"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/internal/safetensors"
)

// checkpoint is that of a loop: weights, what the optimiser remembers, and the weights of the best epoch. Dropout and label
// sampling are functions of seed and epoch, so that the epoch is all there is to know about chance.
func (l *loop) checkpoint(seconds *float64) Checkpoint {
	trial := l.task.Trial
	s := map[string]any{"epoch": &l.epoch, "improved": &l.improved, "loss": &l.last, "seconds": seconds}
	for i, p := range l.numbers {
		s["now/"+p.Name], s["best/"+p.Name] = p.Value(), l.kept[i]
	}
	for _, x := range l.opt.slots {
		for i, name := range memories(l.opt.config) {
			s[name+"/"+x.param.Name] = x.memory[i]
		}
	}
	return Checkpoint{Of: map[string]string{"seed": fmt.Sprint(trial.Seed), "split": fmt.Sprint(trial.Split)}, State: s, History: &l.history, Best: &l.best}
}

// resume makes l what it was when path was saved, and returns the seconds that had been spent.
func (l *loop) resume(path string) (seconds float64, err error) {
	err = l.checkpoint(&seconds).Read(path)
	return seconds, err
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
