package pipeline

import (
	"context"
	"errors"
	"os"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/bloomgml/bloom/beam/internal/job"
	"github.com/bloomgml/bloom/beam/internal/parts"
)

func init() {
	register.DoFn2x1[int, func(int, []byte), error](&featuresFn{})
	register.DoFn2x1[int, func(*[]byte) bool, error](&shardFn{})
}

// Sample writes a data set for every part in a folder, see job.Sampler. Paths are absolute.
func Sample(ctx context.Context, folder, out string) (*parts.Folder, error) {
	f, err := parts.Open(folder)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return nil, err
	}
	p, root := beam.NewPipelineWithRoot()
	told := beam.ParDo(root, &featuresFn{folder}, numbers(root, f.Len()))
	beam.ParDo0(root, &shardFn{folder, out}, beam.GroupByKey(root, told))
	return f, run(ctx, p)
}

// featuresFn sends the features of a part.
type featuresFn struct{ Parts string }

// ProcessElement sends the features of part i.
func (f *featuresFn) ProcessElement(i int, emit func(int, []byte)) error {
	s, err := job.NewSampler(f.Parts)
	if err != nil {
		return err
	}
	return errors.Join(s.SendFeatures(i, emit), s.Close())
}

// shardFn writes the set of a part.
type shardFn struct{ Parts, Out string }

// ProcessElement writes the data set of part i.
func (f *shardFn) ProcessElement(i int, next func(*[]byte) bool) error {
	s, err := job.NewSampler(f.Parts)
	if err != nil {
		return err
	}
	return errors.Join(s.Write(f.Out, i, next), s.Close())
}
