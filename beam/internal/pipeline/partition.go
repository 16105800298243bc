package pipeline

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/bloomgml/bloom/beam/internal/parts"
	"github.com/bloomgml/bloom/internal/ondisk"
)

func init() {
	register.DoFn2x1[int, func(int, []byte), error](&cutFn{})
	register.DoFn2x1[int, func(*[]byte) bool, error](&degreesFn{})
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
	told := beam.ParDo(root, &cutFn{onParts{*f, f.Dir}}, numbers(root, n))
	beam.ParDo0(root, &degreesFn{onParts{*f, f.Dir}}, beam.GroupByKey(root, told))
	if err := run(ctx, p); err != nil {
		return nil, err
	}
	return f, f.Complete()
}

// onParts is a folder of parts as a worker is told of it.
type onParts struct {
	Parts parts.Folder
	Dir   string
}

func (o *onParts) folder() *parts.Folder {
	f := o.Parts
	f.Dir = o.Dir
	return &f
}

// cutFn writes a part and tells its peers the degrees of the rows that they hear.
type cutFn struct{ On onParts }

// ProcessElement cuts part i.
func (c *cutFn) ProcessElement(i int, emit func(int, []byte)) error {
	f := c.On.folder()
	s, err := ondisk.Open(f.Data)
	if err != nil {
		return err
	}
	p, err := f.Cut(s, i)
	if err := errors.Join(err, s.Close()); err != nil {
		return err
	}
	own := make([]int32, p.Rows())
	for r := range own {
		own[r] = int32(p.Ptr[r+1] - p.Ptr[r])
	}
	emit(i, degreeMessage(i, own))
	for _, q := range p.Peers {
		heard := make([]int32, len(q.Send))
		for k, r := range q.Send {
			heard[k] = own[r]
		}
		emit(q.Number, degreeMessage(i, heard))
	}
	return f.Write(p)
}

// degreeMessage returns the message of part i about its rows.
func degreeMessage(i int, degrees []int32) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(i))
	for _, d := range degrees {
		b = binary.LittleEndian.AppendUint32(b, uint32(d))
	}
	return b
}

// degreesFn writes the degrees of a part and its halo.
type degreesFn struct{ On onParts }

// ProcessElement collects the degrees of part i.
func (d *degreesFn) ProcessElement(i int, next func(*[]byte) bool) error {
	f := d.On.folder()
	p, err := f.ReadCut(i)
	if err != nil {
		return err
	}
	degrees := make([]int32, p.Rows()+p.Halo())
	for b := []byte(nil); next(&b); {
		from := int(binary.LittleEndian.Uint32(b))
		first, rows, ok := p.From(from)
		if !ok || len(b) != 4+4*rows {
			return fmt.Errorf("part %d: a message of %d bytes from part %d, want one of %d", i, len(b), from, 4+4*rows)
		}
		for k := range rows {
			degrees[first+k] = int32(binary.LittleEndian.Uint32(b[4+4*k:]))
		}
	}
	return f.WriteDegrees(i, degrees)
}
