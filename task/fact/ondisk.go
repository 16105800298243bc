package fact

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/native"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/kg"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/internal/ondisk/swap"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/optim"
	"github.com/bloomgml/bloom/train"
)

// OnDisk is a folder of triples whose embeddings do not fit into memory: entities are in parts on the disk, some of
// them in memory at a time. Prepare fills a run folder, and Options.Disk then trains with it.
type OnDisk struct {
	config   config.Config
	kg       kg.Config
	memory   int64      // bytes
	memories int        // matrices that the optimiser remembers
	text     *swap.Text // nil when it is in folder
	plan     swap.Plan
	folder   *swap.Folder // nil before Prepare
}

// partsName is the folder of a run folder that has entities in parts, and keptName the data set that stands for all.
const (
	partsName = "parts"
	keptName  = "kept.bloom"
)

// IsTriples reports whether a folder has triples whose embeddings can be trained on the disk.
func IsTriples(dir string) bool { return swap.IsText(dir) && !swap.IsText(dir+"_ind") }

// PlaceOnDisk reads the folder of triples that c names. It returns nil where c is about something else than embeddings,
// or these fit into the memory, so many bytes; 0 means what --memory says, or most of what the machine has. For errors
// see Run.
func PlaceOnDisk(c config.Config, dir string, memory int64) (*OnDisk, error) {
	if c.Family() != config.Embeddings {
		return nil, nil
	}
	x := &OnDisk{config: c, memory: cmp.Or(memory, files.MemoryLimit())}
	var err error
	if x.kg, err = kg.FromConfig(c); err != nil {
		return nil, err
	}
	if x.text, err = swap.ReadText(dir, os.TempDir(), x.memory/2); err != nil {
		return nil, err
	}
	fits, err := x.fit()
	if err != nil || fits {
		return nil, errors.Join(err, x.text.Close())
	}
	return x, nil
}

// fit makes the plan, unless all fits.
func (x *OnDisk) fit() (all bool, err error) {
	o, err := optim.New(optim.Config{Rule: x.config.Train.Optimizer, Momentum: x.config.Train.Momentum},
		[]*ad.Param{ad.NewParam("entities", mat.New(1, 1))}, nil)
	if err != nil {
		return false, err
	}
	x.memories = len(o.Memory())
	if x.text.Whole(x.kg, x.memories) <= x.memory {
		return true, nil
	}
	if err := x.kg.CheckWindow(); err != nil {
		return false, &train.BadData{Data: x.text.Name,
			Text: "it does not fit into memory, and in parts " + err.Error()}
	}
	if n := x.config.Train.Repeat; n > 1 {
		return false, &train.BadSetting{Key: "train.repeat", Value: fmt.Sprint(n),
			Want: "1 where entities are in parts"}
	}
	if x.plan, err = x.text.Plan(x.kg, x.memories, x.memory); err != nil {
		err = &train.BadData{Data: x.text.Name, Text: err.Error()}
	}
	return false, err
}

// Name is the name of the data.
func (x *OnDisk) Name() string { return x.text.Name }

// Config is what is trained: after Prepare it names the facts that are kept.
func (x *OnDisk) Config() config.Config { return x.config }

// Facts is how many facts are trained on.
func (x *OnDisk) Facts() int { return int(x.folder.Facts) }

// String says what is done.
func (x *OnDisk) String() string {
	if x.folder != nil {
		return x.folder.Says()
	}
	return x.plan.Says()
}

// create writes the facts in buckets to a folder.
func (x *OnDisk) create(dir string) (err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if err := x.plan.Room(dir, x.text.Costs(x.kg, x.memories)); err != nil {
		return err
	}
	x.folder, err = swap.Create(filepath.Join(dir, partsName), x.plan, x.text)
	return err
}

// Prepare fills a run folder, and returns the facts that are kept, which the config then names.
func (x *OnDisk) Prepare(_ context.Context, dir string) (*dataset.Dataset, error) {
	if _, err := os.Stat(filepath.Join(dir, "config.yaml")); err == nil {
		return nil, fmt.Errorf("%s holds a run already: continue it with --resume, or choose another folder", dir)
	}
	if err := x.create(dir); err != nil {
		return nil, err
	}
	d, err := x.text.Kept()
	if err != nil {
		return nil, err
	}
	d.Notes = []string{x.plan.Says()}
	x.config.Data.Name = filepath.Join(dir, keptName)
	err = errors.Join(native.Write(x.config.Data.Name, d), x.text.Close())
	x.text = nil
	if err != nil {
		return nil, err
	}
	files.KeepTo(x.memory - x.memory/32) // see swap.Text.Plan
	defer debug.FreeOSMemory()
	return native.Read(x.config.Data.Name)
}

// Reopen is what the run in dir, which goes on, has on the disk; nil where it has all in memory.
func Reopen(dir string) (*OnDisk, error) {
	parts := filepath.Join(dir, partsName)
	if !swap.Is(parts) {
		return nil, nil
	}
	f, err := swap.Open(parts)
	return &OnDisk{folder: f}, err
}

// Estimate is what training would need. It closes what it has read.
func (x *OnDisk) Estimate(ctx context.Context) (_ *train.Estimate, err error) {
	dir, remove, err := ondisk.Folder()
	if err != nil {
		return nil, err
	}
	defer remove()
	defer func() { err = errors.Join(err, x.Close()) }()
	if err := x.create(dir); err != nil {
		return nil, err
	}
	costs := x.text.Costs(x.kg, x.memories)
	e := &train.Estimate{Epochs: x.config.Train.Epochs, Runs: 1, Way: x.plan.Says(), Disk: x.plan.Disk(costs),
		Weights: x.plan.Entities*x.plan.Dim + x.plan.Relations*x.kg.Model.Width(x.kg.Dim),
		Memory:  []train.Memory{{Bytes: int(x.plan.Memory(costs))}}}
	e.Epoch, err = x.folder.Probe(ctx, x.kg, x.memories, time.Second)
	return e, err
}

// Close closes the files. It does nothing on nil.
func (x *OnDisk) Close() (err error) {
	if x == nil {
		return nil
	}
	if x.text != nil {
		err = x.text.Close()
	}
	if x.folder != nil {
		err = errors.Join(err, x.folder.Close())
	}
	return err
}
