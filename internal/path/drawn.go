package path

import "github.com/bloomgml/bloom/internal/host"

// drawn is a batch whose queries keep few entities, with the lists that the host makes in the background.
type drawn struct {
	*batch
	*keptQueries
	at     [2]int // epoch and number
	rivals []*rivals
	ended  chan error // nil unless a start is under way
}

func newDrawn(b *batch) *drawn {
	d := &drawn{batch: b, keptQueries: newKeptQueries(b.Model, b.view, b.Model.Batch), at: [2]int{-1, 0}}
	for range b.Model.Batch {
		d.rivals = append(d.rivals, newRivals(b.net))
	}
	return d
}

// start draws a batch and makes its lists.
func (d *drawn) start(at [2]int) {
	d.at, d.ended = at, make(chan error, 1)
	go func() {
		d.ended <- host.Catch(func() error {
			d.batch.drawQueries(at[0], at[1])
			d.find(d.batch.queries, func(b int) { d.listAnswers(b, d.rivals[b], d.each[b].kept) })
			return nil
		})
	}()
}

// wait returns when the lists are there.
func (d *drawn) wait() {
	if d.ended != nil {
		err := <-d.ended
		d.ended = nil
		must(host.Rethrow(err))
	}
}
