package pipeline

import (
	"context"
	"errors"
	"os"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/bloomgml/bloom/beam/internal/job"
	"github.com/bloomgml/bloom/beam/internal/parts"
	"github.com/bloomgml/bloom/internal/ondisk"
)

func init() {
	register.DoFn1x1[int, error](&cutFn{})
	register.Emitter2[int, []byte]()
	register.Iter1[[]byte]()
}

// Partition cuts a folder of blocks into n parts, in the folder dir.
func Partition(ctx context.Context, data, dir string, n int) (*parts.Folder, error) {
	s, err := ondisk.Open(data)
	if err != nil {
		return nil, err
	}
	f, err := parts.New(dir, s, n)
	if err := errors.Join(err, s.Close()); err != nil {
		return nil, err
	}
	p, root := beam.NewPipelineWithRoot()
	beam.ParDo0(root, &cutFn{*f, f.Dir}, numbers(root, n))
	if err := run(ctx, p); err != nil {
		return nil, err
	}
	return f, f.Complete()
}

// cutFn writes a part of the folder Dir.
type cutFn struct {
	Parts parts.Folder
	Dir   string
}

// ProcessElement cuts part i.
func (c *cutFn) ProcessElement(i int) error {
	f := c.Parts
	f.Dir = c.Dir
	s, err := ondisk.Open(f.Data)
	if err != nil {
		return err
	}
	p, err := f.Cut(s, i)
	if err := errors.Join(err, s.Close()); err != nil {
		return err
	}
	return f.Write(p)
}

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
