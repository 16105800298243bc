package pipeline

import (
	"cmp"
	"context"
	"path/filepath"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/bloomgml/bloom/beam/internal/job"
	"github.com/bloomgml/bloom/internal/files"
)

func init() {
	register.DoFn1x1[int, error](&projectFn{})
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
	// Patience is how long a pipeline of a job server may write no file before it is stopped and started again with
	// twice the patience; 0 means 10 minutes.
	Patience time.Duration
}

const defaultChunk = 4

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
		do := func(ctx context.Context) error {
			next, err := forward(ctx, f, d, cmp.Or(o.Chunk, defaultChunk))
			if err == nil {
				d = next
			}
			return err
		}
		if *jobopts.Endpoint == "" { // this process is the only worker
			err = do(ctx)
		} else {
			err = watched(ctx, f.Dir, cmp.Or(o.Patience, defaultPatience), do)
		}
		if err == nil && o.Progress != nil {
			o.Progress(d.Round, f.Steps)
		}
	}
	return err
}

// forward returns the next pipeline of a job: the rows before the first round, or a chunk of rounds.
func forward(ctx context.Context, f *job.Folder, d job.Done, chunk int) (job.Done, error) {
	p, root := beam.NewPipelineWithRoot()
	all := numbers(root, f.Graph.Len())
	if !d.Pi {
		d.Pi = true
		beam.ParDo0(root, &projectFn{f.Dir}, all)
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

// projectFn writes the rows of a part before the first round.
type projectFn struct{ Job string }

// ProcessElement does it for part i.
func (f *projectFn) ProcessElement(i int) error {
	w, err := job.Work(f.Job)
	if err != nil {
		return err
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
	return w.Start(i, f.Round, emit)
}

// roundFn is a step of a part within a chunk, by what it was told.
type roundFn struct {
	Job   string
	Round int // that is complete with it
}

// ProcessElement hears what part i was told, keeps what follows, and tells it.
func (f *roundFn) ProcessElement(i int, next func(*[]byte) bool, emit func(int, []byte)) error {
	w, err := job.Work(f.Job)
	if err != nil {
		return err
	}
	rows, err := w.Step(i, f.Round, next)
	if err != nil {
		return err
	}
	if err := w.Keep(i, f.Round, rows, true); err != nil {
		return err
	}
	return w.SendRows(i, f.Round, rows.Told, emit)
}

// endFn is the last step of a chunk.
type endFn struct {
	Job   string
	Round int // that is complete with it
}

// ProcessElement hears what part i was told, and keeps what follows.
func (f *endFn) ProcessElement(i int, next func(*[]byte) bool) error {
	w, err := job.Work(f.Job)
	if err != nil {
		return err
	}
	rows, err := w.Step(i, f.Round, next)
	if err != nil {
		return err
	}
	return w.Keep(i, f.Round, rows, false)
}
