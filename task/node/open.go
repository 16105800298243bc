package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// Trained is a run that is done: the Task with the weights of its best epoch.
type Trained struct {
	*Task
	Dir   string
	Epoch int // that the weights are of
	// Result has the scores, the calibration and the closed form's metric of the run; zero if it has no result.
	Result train.Result
}

// Load reads the weights of the run folder dir into the network that c, or o.Model, describes on d, all of which must
// be the same as in training. Its predictions equal the run's, bit for bit.
func Load(dir string, c config.Config, d *dataset.Dataset, o Options) (*Trained, error) {
	path := train.ModelFile(dir)
	f, err := train.ReadWeights(dir)
	if err != nil {
		return nil, err
	}
	if f.Metadata["format"] != "bloom model" || f.Metadata["version"] != "1" {
		return nil, files.Errorf(path, "format %q, version %q: not a model of this version of bloom",
			f.Metadata["format"], f.Metadata["version"])
	}
	if f.Metadata["model"] == "own" && o.Model == nil {
		return nil, files.Errorf(path, "the parameters of a model written in Go, which only its own program can "+
			"open, by node.Load; report.WriteOwn writes the page of the run")
	}
	seed, err1 := strconv.ParseUint(f.Metadata["seed"], 10, 64)
	split, err2 := strconv.Atoi(f.Metadata["split"])
	epoch, err3 := strconv.Atoi(f.Metadata["epoch"])
	if err1 != nil || err2 != nil || err3 != nil || split < 0 {
		return nil, files.Errorf(path, "seed %q, split %q, epoch %q: not all of them are numbers",
			f.Metadata["seed"], f.Metadata["split"], f.Metadata["epoch"])
	}
	on := o
	if o.parts() != nil {
		o.Disk = nil // nothing is trained
	}
	t, err := assemble(c, d, train.Trial{Seed: seed, Split: split}, o)
	if err != nil {
		return nil, err
	}
	result, err := readResult(dir)
	if err != nil {
		return nil, err
	}
	t.goal.recall(result.Calibration)
	if c.Data.Folds > 1 {
		if t.raced, err = readRaced(dir, d); err != nil {
			return nil, err
		}
		done := Options{Options: train.Options{Dir: dir, Resume: true}}
		if t.others, err = t.raced.members(context.Background(), d, done); err != nil {
			return nil, err
		}
	}
	if s, ok := t.network.(*settled); ok && o.Disk != nil && o.Disk.states != nil {
		t.all = &beyond{o.Disk.store, o.Disk.states.Split, s.streaming(o.Disk.states)}
	}
	if parts := on.parts(); parts != nil {
		t.all = &beyond{parts.Store, parts.Split, func(yield func(int, []mat.Real) error) error {
			return t.inParts(parts, yield)
		}}
	}
	if err := t.restore(f, d); err != nil {
		return nil, err
	}
	if t.forest != nil && !t.forest.whole() {
		return nil, files.Errorf(train.ModelFile(dir), "trees.nodes has an invalid tree: the file is damaged")
	}
	return &Trained{Task: t, Dir: dir, Epoch: epoch, Result: result}, nil
}

// restore takes weights from f, or the answers of a closed form if they are about d.
func (t *Task) restore(f *train.Weights, d *dataset.Dataset) error {
	kept := weights(t.network)
	if c, solved := t.network.(*closedForm); solved && f.Metadata["data"] == d.Fingerprint().Sum() {
		c.logits = c.kept()
		kept = []*ad.Param{c.logits}
	}
	return f.Set(kept)
}

// Open loads a run folder: its config, the data that this names, and the weights of the best epoch.
func Open(dir string) (*Trained, error) {
	c, d, err := train.Configured(dir, "")
	if err != nil {
		return nil, err
	}
	return Load(dir, *c, d, Options{})
}

// readResult returns what the result of a run folder says about answers; the zero value if there is none.
func readResult(dir string) (r train.Result, err error) {
	path := filepath.Join(dir, "result.json")
	text, err := files.Read(path)
	if errors.Is(err, os.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	var file struct {
		Test        train.Score        `json:"test"`
		Valid       train.Score        `json:"valid"`
		Closed      *train.Closed      `json:"closed"`
		Calibration *train.Calibration `json:"calibration"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return r, files.Errorf(path, "%v", err)
	}
	r.Test, r.Valid, r.Closed, r.Calibration = file.Test, file.Valid, file.Closed, file.Calibration
	outside := func(p float64) bool { return !(p > 0 && p < 1) }
	if c := r.Calibration; c != nil && slices.ContainsFunc(c.Thresholds, outside) {
		return r, files.Errorf(path, "calibration: thresholds %v, want numbers above 0 and below 1", c.Thresholds)
	}
	if c := r.Calibration; c != nil && !(c.Temperature > 0 && c.Threshold >= 0 && c.Threshold < 1) {
		return r, files.Errorf(path, "calibration: temperature %g, want above 0; threshold %g, want from 0 to below 1",
			c.Temperature, c.Threshold)
	}
	return r, nil
}

// graphName is the file of a run folder that says where its graph lies, which stays on the disk: the folder of blocks,
// absolute and as seen from the run folder, whose split was trained on, and how features were scaled, a line each.
const graphName = "graph.path"

// noteGraph writes it.
func noteGraph(dir, graph string, c config.Data) error {
	path, err := filepath.Abs(graph)
	if err != nil {
		return err
	}
	here, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	relative, err := filepath.Rel(here, path)
	if err != nil {
		relative = path // on another drive
	}
	return files.Replace(filepath.Join(dir, graphName), files.WriteOptions{}, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s\n%s\n%d\n%s\n", path, filepath.ToSlash(relative), c.Split, c.Scale)
		return err
	})
}

// graphOf returns where the graph of a run folder is now, with the split and the scaling; empty for a run whose data
// is all there is.
func graphOf(dir string) (path string, c config.Data) {
	text, err := os.ReadFile(filepath.Join(dir, graphName))
	lines := strings.Split(string(text), "\n")
	if err != nil || len(lines) < 4 {
		return "", c
	}
	c.Split, _ = strconv.Atoi(lines[2])
	c.Scale = lines[3]
	if moved := filepath.Join(dir, filepath.FromSlash(lines[1])); ondisk.Is(moved, true) {
		return moved, c
	}
	return lines[0], c
}

// IsGraphOf reports whether data is the folder of a graph that the run in dir left on the disk.
func IsGraphOf(dir, data string) bool {
	folder, _ := graphOf(dir)
	return folder != "" && data != "" && ondisk.Is(data, true)
}

// OpenGraph returns the graph in folder, on the disk, for the run of c on d in dir, whose predictions are then of all
// nodes.
func OpenGraph(ctx context.Context, dir, folder string, c config.Config, d *dataset.Dataset) (*OnDisk, error) {
	x, _, err := openGraph(ctx, dir, folder, c, d, DiskOptions{})
	return x, err
}

// Reopen returns the graph that the run of c on d in dir, which goes on, has left on the disk; nil if it needs none.
// The graph must not have changed.
func Reopen(ctx context.Context, dir string, c config.Config, d *dataset.Dataset, o DiskOptions) (*OnDisk, error) {
	folder, _ := graphOf(dir)
	if folder == "" {
		return nil, nil
	}
	x, now, err := openGraph(ctx, dir, folder, c, d, o)
	if err == nil && now == nil {
		now, err = x.rowsAgain(ctx, dir, d)
	}
	if err == nil && now != nil {
		err = x.unchanged(d, now)
	}
	if err != nil || now == nil {
		return nil, errors.Join(err, x.Close())
	}
	debug.FreeOSMemory() // return unused memory
	return x, nil
}

// openGraph returns a graph on the disk for a run whose data is d, and what would be its data now; that is nil if the
// run goes on without the graph.
func openGraph(ctx context.Context, dir, folder string, c config.Config, d *dataset.Dataset,
	o DiskOptions) (x *OnDisk, now func() (*dataset.Dataset, error), err error) {
	x = &OnDisk{config: c, DiskOptions: o}
	if x.Memory == 0 {
		x.Memory = files.MemoryLimit()
	}
	if x.store, err = ondisk.Open(folder); err != nil {
		return nil, nil, err
	}
	if err := sameClasses(x.store, d); err != nil {
		return nil, nil, errors.Join(err, x.Close())
	}
	_, was := graphOf(dir)
	if d.Settled.Energy == "" {
		if x.parts, err = ondisk.NewExcerpt(ctx, x.store, x.partOptions(was)); err != nil {
			return nil, nil, errors.Join(err, x.store.Close())
		}
		x.parts.Scratch = dir
		return x, x.parts.Dataset, nil
	}
	disk, err := NewDisk(c, x.store.Columns, x.store.Classes)
	if err != nil {
		return nil, nil, errors.Join(err, x.Close())
	}
	x.states = &ondisk.States{Store: x.store, SettleOptions: x.onceOptions(disk, was.Split), Context: ctx, Scratch: dir}
	return x, nil, nil
}

// rowsAgain settles the rows that train once more, of a run that goes on with them on the disk; nil if it has all of
// them in its data.
func (x *OnDisk) rowsAgain(ctx context.Context, dir string, d *dataset.Dataset) (func() (*dataset.Dataset, error),
	error) {
	w := &once{OnDisk: x, settle: x.states.SettleOptions}
	w.settle.Thin = true
	k, err := ondisk.Choose(x.store, w.settle)
	if err != nil || k.Trains() == len(d.Splits[0].Train) {
		return nil, err
	}
	if w.plan, err = ondisk.NewSettlePlan(x.store, k, w.settle); err != nil {
		return nil, err
	}
	return func() (*dataset.Dataset, error) {
		is, err := w.keep(ctx, dir)
		if err == nil && sameUpToRounding(is.Features[0].Values, d.Features[0].Values) {
			is.Features = d.Features // panels of another width round otherwise
		}
		return is, err
	}, nil
}

// sameUpToRounding reports whether a is b up to rounding: ‖a − b‖ ≤ 10⁻⁴ ‖b‖.
func sameUpToRounding(a, b []mat.Real) bool {
	off, all := 0.0, 0.0
	for i := range min(len(a), len(b)) {
		d := float64(a[i]) - float64(b[i])
		off, all = off+d*d, all+float64(b[i])*float64(b[i])
	}
	return len(a) == len(b) && off <= 1e-8*all
}

// unchanged returns an error if the graph has changed.
func (x *OnDisk) unchanged(d *dataset.Dataset, now func() (*dataset.Dataset, error)) error {
	is, err := now()
	if err != nil {
		return err
	}
	if changes := d.Fingerprint().Changes(is.Fingerprint()); len(changes) > 0 {
		return files.Errorf(x.store.Dir(), "the run cannot be resumed, because its graph has changed: %v", changes)
	}
	return nil
}
