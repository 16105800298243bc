package metric

import (
	"sync"

	"github.com/bloomgml/bloom/mat"
)

// Counts holds, for every class, how its nodes were predicted. Metrics of predicted classes are functions of it.
type Counts []Count

// Count is how many nodes of a class were found, how many others were taken for it, and how many of it were missed.
type Count struct{ Hit, Wrong, Missed int }

// rooms are Counts that were used: an evaluation in steady state allocates nothing.
var rooms = sync.Pool{New: func() any { return new(Counts) }}

// count measures answers whose counts fill makes from zeros, one of each class.
func (m Metric) count(classes int, fill func(Counts)) float64 {
	room := rooms.Get().(*Counts)
	defer rooms.Put(room)
	*room = append((*room)[:0], make(Counts, classes)...)
	fill(*room)
	return m.Answers(*room)
}

// count compares the largest logit of every picked node with its label.
func (p Predictions) count(c Counts) {
	p.each(func(row []mat.Real, y int32) {
		if z := Argmax(row); z == y {
			c[y].Hit++
		} else {
			c[y].Missed++
			c[z].Wrong++
		}
	})
}

// count compares the classes whose score is above Least with those that every picked node has.
func (s Sets) count(c Counts) {
	for _, v := range s.Pick {
		for k := range c {
			at := int(v)*s.Classes + k
			switch got, want := s.Logits[at] > s.Least, s.Values[at] > 0; {
			case got && want:
				c[k].Hit++
			case got:
				c[k].Wrong++
			case want:
				c[k].Missed++
			}
		}
	}
}

// total adds up all classes.
func (c Counts) total() (sum Count) {
	for _, x := range c {
		sum.Hit, sum.Wrong, sum.Missed = sum.Hit+x.Hit, sum.Wrong+x.Wrong, sum.Missed+x.Missed
	}
	return sum
}

// mean returns the mean of f over the classes for which n is above 0, NaN if there are none.
func (c Counts) mean(n func(Count) int, f func(Count) float64) float64 {
	sum, classes := 0.0, 0
	for _, x := range c {
		if n(x) > 0 {
			sum += f(x)
			classes++
		}
	}
	return sum / float64(classes)
}

// recall returns the share of the nodes of a class that was found.
func (x Count) recall() float64 { return float64(x.Hit) / float64(x.Hit+x.Missed) }

// F1 returns 2·hits / (2·hits + wrong + missed).
func (x Count) F1() float64 { return float64(2*x.Hit) / float64(2*x.Hit+x.Wrong+x.Missed) }

// accuracy returns the share of nodes whose class was found.
func (c Counts) accuracy() float64 { return c.total().recall() }

// balancedAccuracy returns the mean recall of the classes that some node has.
func (c Counts) balancedAccuracy() float64 {
	return c.mean(func(x Count) int { return x.Hit + x.Missed }, Count.recall)
}

// macroF1 returns the mean F1 of the classes that some node has or is taken for.
func (c Counts) macroF1() float64 {
	return c.mean(func(x Count) int { return x.Hit + x.Wrong + x.Missed }, Count.F1)
}

// microF1 is F1 of the counts of all classes together. With one class per node every wrong prediction is one missed,
// too, and it equals the accuracy.
func (c Counts) microF1() float64 { return c.total().F1() }

// confusion counts predictions: entry (y, z), at y·Classes+z, is the number of nodes of class y
// that were predicted as class z.
type confusion struct {
	Classes int
	Counts  []int
}

// Confusion compares the largest logit of every picked node with its label.
func (p Predictions) Confusion() confusion {
	counts := make([]int, p.Classes*p.Classes)
	p.each(func(row []mat.Real, y int32) { counts[int(y)*p.Classes+int(Argmax(row))]++ })
	return confusion{Classes: p.Classes, Counts: counts}
}

// At returns the number of nodes of class truth that were taken for class guess.
func (m confusion) At(truth, guess int) int { return m.Counts[truth*m.Classes+guess] }
