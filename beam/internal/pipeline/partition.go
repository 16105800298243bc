package pipeline

import (
	"context"
	"errors"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

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
