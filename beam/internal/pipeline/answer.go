package pipeline

import (
	"context"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/bloomgml/bloom/beam/internal/job"
)

func init() {
	register.DoFn1x1[int, error](&answerFn{})
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
	beam.ParDo0(root, &answerFn{f.Dir, what, most}, numbers(root, f.Graph.Len()))
	return run(ctx, p)
}

// answerFn writes the file of a part.
type answerFn struct {
	Job, What string
	Most      int
}

// ProcessElement writes the answers of part i.
func (f *answerFn) ProcessElement(i int) error {
	w, err := job.Work(f.Job)
	if err != nil {
		return err
	}
	switch f.What {
	case Predictions:
		return w.Predict(i)
	case Embeddings:
		return w.Embed(i)
	}
	return w.Audit(i, f.Most)
}
