package job

import (
	"encoding/binary"
	"fmt"

	"github.com/bloomgml/bloom/beam/internal/parts"
	"github.com/bloomgml/bloom/mat"
)

// A message is what part p tells part q before a round: its number, u32, and the rows of numbers that q hears. A
// message to itself has no rows: a part finds its own rows where it kept them, and the message starts its round even
// without peers.

// Start sends the messages of part i, computed from its rows after a round, which it reads from disk.
func (w *Worker) Start(i, round int, send func(to int, message []byte)) error {
	rows, err := w.State(i, round)
	if err != nil {
		return err
	}
	if err := w.SendRows(i, round, rows.Told, send); err != nil {
		return err
	}
	w.keepRows(i, round, rows)
	return nil
}

// SendRows sends the messages of part i after a round to the parts that hear it and to itself.
func (w *Worker) SendRows(i, round int, told []mat.Real, send func(to int, message []byte)) error {
	x, err := w.get(i)
	if err != nil {
		return err
	}
	sendRows(x.part, told, w.model.Told(round), send)
	return nil
}

func sendRows(p *parts.Part, h []mat.Real, width int, send func(to int, message []byte)) {
	send(p.Number, header(p.Number, 0))
	for _, q := range p.Peers {
		b := header(p.Number, len(q.Send)*width)
		for _, r := range q.Send {
			b = parts.Append(b, h[int(r)*width:(int(r)+1)*width])
		}
		send(q.Number, b)
	}
}

// header begins a message with room for n numbers.
func header(from, n int) []byte {
	return binary.LittleEndian.AppendUint32(make([]byte, 0, 4+4*n), uint32(from))
}

// Step is part i after a round, by its rows before and the messages of all that it hears.
func (w *Worker) Step(i, round int, next func(*[]byte) bool) (Rows, error) {
	h, err := w.get(i)
	if err != nil {
		return Rows{}, err
	}
	own, err := w.own(i, round-1)
	if err != nil {
		return own, err
	}
	heard, err := receiveRows(h.part, own.Told, w.model.Told(round-1), next)
	if err != nil {
		return own, err
	}
	return h.next(round-1, heard, own.Kept)
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
		parts.Decode(x[first*width:(first+rows)*width], b[4:])
	}
	if got, want := len(heard), len(p.Peers)+1; got != want {
		return nil, fmt.Errorf("part %d: %d of %d messages arrived", p.Number, got, want)
	}
	return x, nil
}
