package audit

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// world is a data set and everything about it that does not depend on a fold.
type world struct {
	Data
	Options
	n, k      int
	hood      *neighbours
	columns   *columns  // nil without features
	measures  *measures // nil unless rows are a bag with numbers
	scaled    matrix    // the scaled rows
	fold      []int32   // of nodes
	folds     int
	codeWidth int
	known     []bool    // has a class
	usual     []bool    // has a usual row, or none
	onehot    numbers   // n×k
	prior     []float64 // of classes
	votes     numbers   // n×k: classes of neighbours, smoothed by the prior
	beyond    numbers   // n×k: the same, two steps away
	place     numbers   // n×(1 + columns of Place): log(1 + d) and what edges tell, as normal scores

	rows, labels, edges evidence
	told                []int32     // the class that row and neighbourhood tell, of every node
	said                numbers     // n×k: probabilities of classes by the rows
	bases               []numbers   // of the codes of folds
	expected            [][]float64 // x̂ V as neighbourhoods predict it
	first               *view       // of fold 0
}

func newWorld(d Data, o Options) (w *world, err error) {
	w = &world{Data: d, Options: o, n: d.Graph.NumNodes(), k: d.Classes, folds: 1, codeWidth: widest}
	if !slices.ContainsFunc(d.Class, func(c int32) bool { return c >= 0 }) {
		w.k = 0
	}
	if w.n > 50_000 {
		w.codeWidth = widest / 2
	}
	w.usual = slices.Repeat([]bool{true}, w.n)
	if w.hood, err = newNeighbours(d.Graph); err != nil {
		return nil, err
	}
	if d.Rows.Cols > 0 {
		w.usual = usualRows(d.Rows, w.hood)
		w.columns = newColumns(d.Rows, w.usual)
		if w.scaled, err = w.columns.matrix(w.n, w.columns.read); err != nil {
			return nil, err
		}
		if d.Rows.Cols > w.codeWidth && w.n >= 50 {
			w.folds = folds
		}
	}
	w.divide()
	w.vote()
	w.locate()
	w.measures = w.newMeasures()
	w.bases, w.expected = make([]numbers, w.folds), make([][]float64, w.n)
	w.told, w.said = make([]int32, w.n), newNumbers(w.n, w.k)
	return w, nil
}

// random returns a generator for a purpose.
func (w *world) random(purpose uint64) *rand.Rand { return rand.New(rand.NewPCG(w.Seed, purpose)) }

// divide draws the folds.
func (w *world) divide() {
	w.fold = make([]int32, w.n)
	rng := w.random(1)
	for i := range w.fold {
		w.fold[i] = int32(rng.IntN(w.folds))
	}
}

// vote counts the classes of neighbours.
//
//	votes_v  = (Σ_u∈N(v) y_u + 2 prior) / (labelled neighbours + 2)
func (w *world) vote() {
	w.known = make([]bool, w.n)
	w.onehot = newNumbers(w.n, w.k)
	w.prior = make([]float64, w.k)
	total := 0.0
	for i, c := range w.Class {
		if c >= 0 {
			w.known[i], w.onehot.at(i)[c] = true, 1
			w.prior[c]++
			total++
		}
	}
	if w.k == 0 {
		return
	}
	for c := range w.prior {
		w.prior[c] = (w.prior[c] + 1) / (total + float64(w.k))
	}
	w.votes = w.hood.average(w.onehot)
	w.beyond = w.hood.further(w.votes, w.onehot)
	for v := range w.n {
		d := float64(w.hood.degree(int32(v)))
		w.smooth(w.votes.at(v), d, 2)
		w.smooth(w.beyond.at(v), 1, 0.1)
	}
}

// smooth makes probabilities of (scale·counts + strength·prior).
func (w *world) smooth(counts []mat.Real, scale, strength float64) {
	sum := 0.0
	for c, v := range counts {
		counts[c] = mat.Real(max(scale*float64(v), 0) + strength*w.prior[c])
		sum += float64(counts[c])
	}
	for c := range counts {
		counts[c] = mat.Real(max(float64(counts[c])/sum, smallest))
	}
}

// locate fills place. Columns are heavy-tailed, so ranks decide: the value of rank r of n becomes Φ⁻¹((r − ½)/n).
func (w *world) locate() {
	w.place = newNumbers(w.n, 1+w.Place.Cols)
	values, row := make([]float64, w.n), make([]mat.Real, w.Place.Cols)
	for j := range w.place.cols {
		for v := range values {
			if j == 0 {
				values[v] = float64(w.hood.degree(int32(v)))
				continue
			}
			w.Place.Row(row, v)
			values[v] = float64(row[j-1])
		}
		for v, z := range normalScores(values) {
			w.place.at(v)[j] = mat.Real(0.3 * z)
		}
	}
}

// normalScores returns Φ⁻¹((r − ½)/n) for rank r of n; equal numbers have the mean of their ranks.
func normalScores(x []float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	z := make([]float64, len(x))
	for low := 0; low < len(order); {
		high := low
		for high < len(order) && x[order[high]] == x[order[low]] {
			high++
		}
		score := math.Sqrt2 * math.Erfinv(float64(low+high)/float64(len(x))-1)
		for ; low < high; low++ {
			z[order[low]] = score
		}
	}
	return z
}
