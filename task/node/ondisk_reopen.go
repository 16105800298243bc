package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/mat"
)

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
