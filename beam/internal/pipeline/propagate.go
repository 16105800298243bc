package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/bloomgml/bloom/beam/internal/job"
	"github.com/bloomgml/bloom/internal/files"
)

func init() {
	register.DoFn1x1[int, error](&partFn{})
	register.DoFn2x1[int, func(int, []byte), error](&beginFn{})
	register.DoFn3x1[int, func(*[]byte) bool, func(int, []byte), error](&roundFn{})
	register.DoFn2x1[int, func(*[]byte) bool, error](&endFn{})
}

// Options say how a descent is run.
type Options struct {
	// Chunk is the number of steps in one pipeline; 0 means 4. States are written after each, and a job that was
	// stopped resumes from the last complete one.
	Chunk    int
	Progress func(round, steps int) // called after every chunk; may be nil
}

// Propagate brings the job in dir to its last step, from wherever it is.
func Propagate(ctx context.Context, dir string, o Options) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	f, err := job.Open(dir)
	if err != nil {
		return err
	}
	release, err := files.Lock(dir, nil)
	if err != nil {
		return err
	}
	defer release()
	d, err := f.Done()
	for err == nil && (!d.Pi || d.Round < f.Steps) {
		d, err = forward(ctx, f, d, cmp.Or(o.Chunk, 4))
		if err == nil && o.Progress != nil {
			o.Progress(d.Round, f.Steps)
		}
	}
	return err
}

// forward runs the next pipeline of a job: the rows before the first round, or a chunk of rounds.
func forward(ctx context.Context, f *job.Folder, d job.Done, chunk int) (job.Done, error) {
	p, root := beam.NewPipelineWithRoot()
	all := numbers(root, f.Graph.Len())
	if !d.Pi {
		d.Pi = true
		beam.ParDo0(root, &partFn{f.Dir, "project", 0}, all)
	} else {
		end := min(d.Round+chunk, f.Steps)
		told := beam.ParDo(root, &beginFn{f.Dir, d.Round}, all)
		for d.Round++; d.Round < end; d.Round++ {
			told = beam.ParDo(root, &roundFn{f.Dir, d.Round}, beam.GroupByKey(root, told))
		}
		beam.ParDo0(root, &endFn{f.Dir, end}, beam.GroupByKey(root, told))
	}
	if err := run(ctx, p); err != nil {
		return d, err
	}
	return d, f.Advance(d)
}

// The questions to a job that has finished its last step.
const (
	Predictions = "predictions"
	Embeddings  = "embeddings"
	Suspects    = "suspects"
)

// Answer writes a file for every part of a job. Most is how many suspects there may be, of each part and of all.
func Answer(ctx context.Context, f *job.Folder, what string, most int) error {
	d, err := f.Done()
	if err != nil {
		return err
	}
	if !d.Pi || d.Round < f.Steps {
		return fmt.Errorf("%s is at step %d of %d", f.Dir, d.Round, f.Steps)
	}
	p, root := beam.NewPipelineWithRoot()
	beam.ParDo0(root, &partFn{f.Dir, what, most}, numbers(root, f.Graph.Len()))
	return run(ctx, p)
}

// partFn writes a file of a part, which needs no other part: the rows before the first round, or answers.
type partFn struct {
	Job, What string
	Most      int
}

// ProcessElement does it for part i.
func (f *partFn) ProcessElement(i int) error {
	w, err := job.Work(f.Job)
	if err != nil {
		return err
	}
	switch f.What {
	case Predictions:
		return w.Predict(i)
	case Embeddings:
		return w.Embed(i)
	case Suspects:
		return w.Audit(i, f.Most)
	}
	return w.Project(i)
}

// beginFn tells the states after a round, from the disk.
type beginFn struct {
	Job   string
	Round int
}

// ProcessElement sends the first rows of part i.
func (f *beginFn) ProcessElement(i int, emit func(int, []byte)) error {
	w, err := job.Work(f.Job)
	if err != nil {
		return err
	}
	return w.Begin(i, f.Round, emit)
}

// roundFn is a step of a part within a chunk, by what it was told.
type roundFn struct {
	Job   string
	Round int // that is complete with it
}

// ProcessElement hears what part i was told, keeps what follows, and tells it.
func (f *roundFn) ProcessElement(i int, next func(*[]byte) bool, emit func(int, []byte)) error {
	w, err := step(f.Job, i, f.Round, next, true)
	if err != nil {
		return err
	}
	return w.Start(i, f.Round, emit)
}

// endFn is the last step of a chunk.
type endFn struct {
	Job   string
	Round int // that is complete with it
}

// ProcessElement hears what part i was told, and keeps what follows.
func (f *endFn) ProcessElement(i int, next func(*[]byte) bool) error {
	_, err := step(f.Job, i, f.Round, next, false)
	return err
}

// step takes part i to a round and keeps its rows.
func step(dir string, i, round int, next func(*[]byte) bool, within bool) (*job.Worker, error) {
	w, err := job.Work(dir)
	if err != nil {
		return nil, err
	}
	rows, err := w.Step(i, round, next)
	if err != nil {
		return nil, err
	}
	return w, w.Keep(i, round, rows, within)
}
