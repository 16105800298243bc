package job

import (
	"encoding/binary"
	"fmt"

	"github.com/bloomgml/bloom/beam/internal/parts"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/internal/solve"
	"github.com/bloomgml/bloom/mat"
)

// Project writes the rows of part i before the first round: π, and its prox, at which the descent begins.
func (w *Worker) Project(i int) error {
	var pi, room []mat.Real
	err := eachBlock(w.Graph, w.store, i, func(b, first, end int) (err error) {
		if room, err = w.store.Features(b, room); err != nil {
			return err
		}
		x := dataset.Matrix{Rows: end - first, Cols: w.store.Columns,
			Values: room[first*w.store.Columns : end*w.store.Columns]}
		if x, err = build.ScaleLike(x, x, w.model.Config.Data.Scale, 0); err != nil {
			return err
		}
		more, err := w.model.pi(x)
		pi = append(pi, more...)
		return err
	})
	if err != nil {
		return err
	}
	h := make([]mat.Real, len(pi))
	solve.NewForm(w.model.local).Start(h, pi)
	if err := parts.Write(w.piPath(i), pi); err != nil {
		return err
	}
	return parts.Write(w.statePath(i, 0), h)
}

// eachBlock yields the blocks that part i has rows of, with the first and the end of these in the block.
func eachBlock(f *parts.Folder, s *ondisk.Store, i int, yield func(b, first, end int) error) error {
	from, to := f.Starts[i], f.Starts[i+1]
	for b := range s.Blocks() {
		first, end := s.Rows(b)
		if end <= from || first >= to {
			continue
		}
		if err := yield(b, max(first, from)-first, min(end, to)-first); err != nil {
			return err
		}
	}
	return nil
}

// A message is what part p tells part q before a round: its number, u32, and the rows of numbers that q hears, each
// times the scale of its node. A message to itself has no rows: a part finds its own rows where it kept them, and the
// message starts its round even without peers.

// Begin is Start at the beginning of a chunk, from the rows that are on the disk.
func (w *Worker) Begin(i, round int, send func(to int, message []byte)) error {
	h, err := w.State(i, round)
	if err != nil {
		return err
	}
	if _, err := w.get(i); err != nil {
		return err
	}
	w.hold(i, round, h)
	return w.Start(i, round, send)
}

// Start sends the messages of part i after a round.
func (w *Worker) Start(i, round int, send func(to int, message []byte)) error {
	x, err := w.get(i)
	if err != nil {
		return err
	}
	h, err := w.own(i, round)
	if err != nil {
		return err
	}
	sendRows(x.part, h, x.scale, w.Width, send)
	return nil
}

// sendRows sends rows to the parts that hear them, times the scale of each; nil scales nothing.
func sendRows(p *parts.Part, h, scale []mat.Real, width int, send func(to int, message []byte)) {
	send(p.Number, binary.LittleEndian.AppendUint32(nil, uint32(p.Number)))
	row := make([]mat.Real, width)
	for _, q := range p.Peers {
		b := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+4*len(q.Send)*width), uint32(p.Number))
		for _, r := range q.Send {
			copy(row, h[int(r)*width:])
			for j := range row {
				if scale != nil {
					row[j] *= scale[r]
				}
			}
			b, _ = binary.Append(b, binary.LittleEndian, row) // numbers have a fixed size
		}
		send(q.Number, b)
	}
}

// Step returns the rows of part i after a round, by its rows before and the messages of all that it hears.
func (w *Worker) Step(i, round int, next func(*[]byte) bool) ([]mat.Real, error) {
	x, err := w.get(i)
	if err != nil {
		return nil, err
	}
	own, err := w.own(i, round-1)
	if err != nil {
		return nil, err
	}
	heard, err := receiveRows(x.part, own, w.Width, next)
	if err != nil {
		return nil, err
	}
	one, ok := w.steppers.Get().(*solve.Stepper)
	if !ok {
		if one, err = solve.NewStepper(w.model.local); err != nil {
			return nil, err
		}
	}
	defer w.steppers.Put(one)
	out := make([]mat.Real, len(own))
	return out, one.Step(out, heard, x.pi, x.scale, w.Width, solve.Block{Ptr: x.part.Ptr, Idx: x.part.Idx})
}

// receiveRows puts messages into rows after the part's own rows, own. Each message must arrive exactly once.
func receiveRows(p *parts.Part, own []mat.Real, width int, next func(*[]byte) bool) ([]mat.Real, error) {
	x := make([]mat.Real, (p.Rows()+p.Halo())*width)
	copy(x, own)
	heard := map[int]bool{}
	for b := []byte(nil); next(&b); {
		if len(b) < 4 {
			return nil, fmt.Errorf("part %d: a message of %d bytes", p.Number, len(b))
		}
		from := int(binary.LittleEndian.Uint32(b))
		first, rows, ok := p.From(from)
		if from == p.Number {
			rows = 0
		}
		if !ok || heard[from] || len(b) != 4+4*rows*width {
			return nil, fmt.Errorf("part %d: a message of %d bytes from part %d, want one of %d", p.Number, len(b),
				from, 4+4*rows*width)
		}
		heard[from] = true
		if _, err := binary.Decode(b[4:], binary.LittleEndian, x[first*width:(first+rows)*width]); err != nil {
			return nil, err
		}
	}
	if got, want := len(heard), len(p.Peers)+1; got != want {
		return nil, fmt.Errorf("part %d: %d of %d messages arrived", p.Number, got, want)
	}
	return x, nil
}
