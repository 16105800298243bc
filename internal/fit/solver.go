package fit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
)

// atom is one block of columns: a filter of a source.
type atom struct {
	place      bool // of structure: the place in the graph
	unfiltered bool // of Problem.Unfiltered
	source     *source
	filter     filter
	norms      []float64  // of the rows of all nodes
	rows       []mat.Real // of labelled nodes, t×cols
	scale      float64    // 1/√ of the mean square of a row
}

// channel is a set of atoms whose columns are side by side, each row of an atom with norm 1 or on one common scale.
type channel struct {
	atoms []int
	unit  bool
}

// member is a channel with its regression on all labels.
type member struct {
	channel
	rho, weight float64
	residuals   []float64 // left out, t×k
	error       float64   // their mean square
	ridge       *ridge
	alpha       []float64 // of what is left of ridge; nil if that is all
}

// solver looks for the channels that answer best.
type solver struct {
	Problem
	on       *operators
	labelled *mat.Index // Rows
	atoms    []atom
	channels []channel
	mean     []float64
	targets  []float64 // Y − μ
	members  []member
	solved   map[string]*ridge // regressions of a channel and a number of rows, with the labels of any time
	whole    map[string]*ridge // regressions of a channel on all rows
	before   *earlier          // whose labels these were; nil for none
}

func newSolver(p Problem) (*solver, error) {
	on, err := newOperators(p.Graph)
	if err != nil {
		return nil, err
	}
	s := &solver{Problem: p, on: on, solved: map[string]*ridge{}, whole: map[string]*ridge{}}
	x := newSource(on.n, p.Graph.NodeTypes(), p.Features)
	if x.cols > 0 {
		s.addFeatures(x)
	}
	if p.Graph.NumEdges() > 0 || x.cols == 0 {
		s.atoms = append(s.atoms, atom{place: true, source: on.structure(p.Seed), filter: identity})
		s.add(false, len(s.atoms)-1)
		s.add(true, len(s.atoms)-1)
	}
	if s.labelled, err = mat.NewIndex(p.Rows, on.n); err != nil {
		return nil, err
	}
	s.addUnfiltered(p.Unfiltered)
	s.gather(0)
	return s, nil
}

// learn begins with other labels: their means are taken off.
func (s *solver) learn(y []float64) {
	s.mean, s.targets = make([]float64, s.Outputs), slices.Clone(y)
	s.members = nil
	for i, v := range y {
		s.mean[i%s.Outputs] += v / float64(len(s.Rows))
	}
	for i := range s.targets {
		s.targets[i] -= s.mean[i%s.Outputs]
	}
}

var identity = filter{powers: []float64{1}}

// addFeatures adds the channels of features.
func (s *solver) addFeatures(x *source) {
	filters := []filter{identity}
	if s.Graph.NumEdges() > 0 {
		filters = append(filters, filter{powers: []float64{0, 1}}, filter{powers: []float64{0, 0, 1}},
			filter{powers: []float64{1, -1}})
		for _, l := range lambdas {
			filters = append(filters, minimiser(l))
		}
		for _, l := range negative {
			filters = append(filters, minimiser(-l))
		}
	}
	for _, f := range filters {
		s.atoms = append(s.atoms, atom{source: x, filter: f})
	}
	ways := []bool{true}
	if !x.sparse {
		ways = []bool{true, false}
	}
	for _, unit := range ways {
		s.add(unit, 0)
		if len(filters) == 1 {
			continue
		}
		s.add(unit, 0, 1)
		s.add(unit, 0, 1, 2)
		s.add(unit, 0, 3)
		for i := 4; i < len(filters); i++ {
			s.add(unit, i)
		}
	}
}

// addUnfiltered adds x to every channel, and x alone, if it has columns.
func (s *solver) addUnfiltered(x dataset.Matrix) {
	if x.Cols == 0 {
		return
	}
	at := len(s.atoms)
	s.atoms = append(s.atoms, atom{unfiltered: true, source: newSource(s.on.n, nil, []dataset.Matrix{x}),
		filter: identity})
	for i, c := range s.channels {
		s.channels[i].atoms = append(slices.Clone(c.atoms), at)
	}
	s.add(false, at)
}

func (s *solver) add(unit bool, atoms ...int) { s.channels = append(s.channels, channel{atoms, unit}) }

// panelBytes is the memory that a panel of columns may take with all its filters.
const panelBytes = 256 << 20

// gather applies all filters from an atom on, a panel of columns at a time: rows of labelled nodes, norms of all.
func (s *solver) gather(first int) {
	for first < len(s.atoms) {
		last := first + 1
		for last < len(s.atoms) && s.atoms[last].source == s.atoms[first].source {
			last++
		}
		s.gatherFrom(s.atoms[first].source, s.atoms[first:last])
		first = last
	}
}

func (s *solver) gatherFrom(x *source, atoms []atom) {
	filters := make([]filter, len(atoms))
	for i := range atoms {
		filters[i] = s.on.narrow(atoms[i].filter)
		atoms[i].norms, atoms[i].rows = make([]float64, s.on.n), make([]mat.Real, s.labelled.Len()*x.cols)
	}
	squares, host := mat.New(s.on.n, 1), make([]mat.Real, s.on.n)
	s.panels(x, filters, func(i, at int, h *mat.Dense) {
		mat.RowDot(squares, h, h)
		squares.Read(host)
		for v, b := range host {
			atoms[i].norms[v] += float64(b)
		}
		w, rows := h.Cols(), mat.New(s.labelled.Len(), h.Cols())
		mat.Gather(rows, h, s.labelled)
		for r, b := range rows.Slice() {
			atoms[i].rows[r/w*x.cols+at+r%w] = b
		}
		rows.Free()
	})
	for i := range atoms {
		total := 0.0
		for v, n := range atoms[i].norms {
			total += n / float64(s.on.n)
			atoms[i].norms[v] = math.Sqrt(n)
		}
		if atoms[i].scale = 1; total > 0 {
			atoms[i].scale = 1 / math.Sqrt(total)
		}
	}
}

// panels calls use with f(S) x of every filter, n×w, for w columns of x from at on, a panel of them at a time.
func (s *solver) panels(x *source, filters []filter, use func(i, at int, h *mat.Dense)) {
	width := max(32, min(128, panelBytes/(4*s.on.n*(len(filters)+4))/16*16)) // whole lines of the cache
	for at := 0; at < x.cols; at += width {
		in := x.panel(at, min(at+width, x.cols))
		s.on.apply(in, filters, func(i int, h *mat.Dense) { use(i, at, h) })
		in.Free()
	}
}

// factor returns the number that the row of a node is multiplied by in a channel of the given number of atoms.
func (a *atom) factor(v int32, unit bool, atoms int) float64 {
	share := 1 / math.Sqrt(float64(atoms))
	switch {
	case !unit:
		return share * a.scale
	case a.norms[v] > 1e-12:
		return share / a.norms[v]
	}
	return 0
}

// columns returns the number of columns of Z: the columns of the atoms, and one of ones.
func (s *solver) columns(c channel) int {
	m := 1
	for _, a := range c.atoms {
		m += s.atoms[a].source.cols
	}
	return m
}

// regress returns the regression of some labelled nodes (positions in Rows) on a channel. The last column is 1.
func (s *solver) regress(c channel, rows []int) *ridge {
	y := make([]float64, 0, len(rows)*s.Outputs)
	for _, i := range rows {
		y = append(y, s.targets[i*s.Outputs:(i+1)*s.Outputs]...)
	}
	key := fmt.Sprint(c, len(rows))
	if r := s.solved[key]; r != nil {
		return r.withTargets(y)
	}
	m := s.columns(c)
	z := make([]float64, len(rows)*m)
	for r, i := range rows {
		line := z[r*m : (r+1)*m]
		for _, number := range c.atoms {
			a := &s.atoms[number]
			factor := a.factor(s.Rows[i], c.unit, len(c.atoms))
			for j, v := range s.row(a, i) {
				line[j] = factor * float64(v)
			}
			line = line[a.source.cols:]
		}
		line[0] = 1
	}
	r := newRidge(z, m, y, s.Outputs)
	if len(rows) == len(s.Rows) {
		s.whole[c.key()] = r
	}
	if s.Kind == Numbers { // which may be learnt a second time, as logarithms
		s.solved[key] = r
	}
	return r
}

// sample returns at most the given number of positions in Rows, ascending.
func (s *solver) sample(most int) []int {
	all := rand.New(rand.NewPCG(s.Seed, uint64(len(s.Rows)))).Perm(len(s.Rows))
	all = all[:min(most, len(all))]
	slices.Sort(all)
	return all
}
