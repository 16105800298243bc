package audit

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// Edge is an edge, judged.
type Edge struct {
	Verdict
	Edge, U, V int32
}

// pairs judges pairs of nodes as if there were no edge between them.
type pairs struct {
	*view
	ratio [][]float64 // how much oftener two classes meet than by chance
	count [][]float64 // edges between two classes
	total float64
}

// newPairs counts which classes meet.
func (v *view) newPairs() *pairs {
	s := &pairs{view: v}
	for range v.k {
		s.count, s.ratio = append(s.count, make([]float64, v.k)), append(s.ratio, make([]float64, v.k))
	}
	for u := range v.n {
		for _, x := range v.hood.neighboursOf(int32(u)) {
			if v.known[u] && v.known[x] {
				s.count[v.Class[u]][v.Class[x]]++
				s.total++
			}
		}
	}
	for a := range v.k {
		for b := range v.k {
			s.ratio[a][b] = s.lift(a, b, 0)
		}
	}
	return s
}

// lift returns how much more often classes a and b meet than by chance, some of their edges left out.
func (s *pairs) lift(a, b int, without float64) float64 {
	if a == b {
		without *= 2 // both directions
	}
	expected := (sum(s.count[a]) + 1) * (sum(s.count[b]) + 1) / (s.total + 1)
	return (max(s.count[a][b]-without, 0) + 1) / (expected + 1)
}

// terms of the pair (u, v); edge says that they are neighbours, which is then left out.
func (s *pairs) terms(u, v int32, edge bool) []float64 {
	t := s.shape(u, v, edge)
	if s.columns != nil {
		t = append(t, s.alike(u, v)...)
	}
	t = append(t, s.codes(u, v, edge)...)
	if s.k > 1 {
		t = append(t, s.classes(u, v, edge)...)
	}
	return t
}

// most is how many neighbours of a node are looked at for longer ways.
const most = 12

// commonShare is the place, among the terms, of the share of neighbours that two nodes have in common.
const commonShare = 2

// shape returns what the rest of the graph says: common neighbours, Adamic and Adar's weights of them, ways of three
// steps, degrees.
func (s *pairs) shape(u, v int32, edge bool) []float64 {
	a, b := s.hood.neighboursOf(u), s.hood.neighboursOf(v)
	common, adamic := 0.0, 0.0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			common++
			adamic += 1 / math.Log(1+float64(s.hood.degree(a[i])))
			i++
			j++
		}
	}
	da, db := float64(len(a)), float64(len(b))
	if edge {
		da, db = da-1, db-1
	}
	ways := s.ways(u, v)
	least := min(da, db)
	return []float64{math.Log1p(common), math.Log1p(adamic), common / (least + 1), math.Log1p(ways),
		ways / (1 + min(da, most)*min(db, most)), math.Log1p(least), math.Log1p(max(da, db))}
}

// ways counts u – a – b – v over the first neighbours, none of them being the other end.
func (s *pairs) ways(u, v int32) (n float64) {
	a, b := s.hood.neighboursOf(u), s.hood.neighboursOf(v)
	for i := range min(len(a), most) {
		x := a[i*len(a)/min(len(a), most)]
		if x == v {
			continue
		}
		of := s.hood.neighboursOf(x)
		for j := range min(len(b), most) {
			y := b[j*len(b)/min(len(b), most)]
			if y == u || y == x {
				continue
			}
			if _, ok := slices.BinarySearch(of, y); ok {
				n++
			}
		}
	}
	return n
}

// alike compares the two rows column by column.
func (s *pairs) alike(u, v int32) []float64 {
	a, x := s.scaled.at(u)
	b, y := s.scaled.at(v)
	inner, rare, far := 0.0, 0.0, 0.0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			p, q := float64(x[i]), float64(y[j])
			inner += p * q
			far += (p - q) * (p - q)
			rare -= math.Log(s.columns.frequency(a[i], 1))
			i++
			j++
		}
	}
	t := []float64{inner / max(math.Sqrt(dot(x, x)*dot(y, y)), 1e-9)}
	if s.columns.bag {
		return append(t, math.Log1p(max(rare, 0)))
	}
	return append(t, math.Log(far+1e-6))
}

// codes compares each row with the other's neighbourhood, and the neighbourhoods, without the edge.
func (s *pairs) codes(u, v int32, edge bool) []float64 {
	a, b := s.without(u, v, edge), s.without(v, u, edge)
	x, y := cosine(s.z.at(int(u)), b), cosine(s.z.at(int(v)), a)
	return []float64{min(x, y), max(x, y), cosine(a, b)}
}

// without returns the sum of the codes of u's neighbours other than v.
func (s *pairs) without(u, v int32, edge bool) []mat.Real {
	sum := make([]mat.Real, s.z.cols)
	d := mat.Real(s.hood.degree(u))
	for k, x := range s.mean.at(int(u)) {
		sum[k] = d * x
	}
	if edge {
		for k, x := range s.heard.at(int(v)) {
			sum[k] -= x
		}
	}
	return sum
}

// classes returns how often such classes meet, by the given ones and by what rows tell, and the votes of the other
// neighbours.
func (s *pairs) classes(u, v int32, edge bool) []float64 {
	out := 0.0
	if edge {
		out = 1
	}
	t := []float64{0}
	if s.known[u] && s.known[v] {
		t[0] = math.Log(s.lift(int(s.Class[u]), int(s.Class[v]), out))
	}
	a, b := s.others(u, v, edge), s.others(v, u, edge)
	t = append(t, s.meet(a, b))
	x, y := 0.0, 0.0
	if s.known[u] {
		x = s.meet(s.one(u), b)
	}
	if s.known[v] {
		y = s.meet(a, s.one(v))
	}
	t = append(t, min(x, y), max(x, y))
	if s.fromRow != nil {
		p, q := s.said.at(int(u)), s.said.at(int(v))
		t = append(t, s.meet(p, q), min(s.meet(p, b), s.meet(a, q)))
	}
	return t
}

func (s *pairs) one(v int32) []mat.Real { return s.onehot.at(int(v)) }

// meet is log Σ p_a q_b ratio_ab.
func (s *pairs) meet(p, q []mat.Real) float64 {
	sum := 1e-9
	for a, x := range p {
		if x == 0 {
			continue
		}
		for b, y := range q {
			sum += float64(x) * float64(y) * s.ratio[a][b]
		}
	}
	return math.Log(sum)
}

// others returns the classes of u's neighbours other than v, smoothed by the prior.
func (s *pairs) others(u, v int32, edge bool) []mat.Real {
	count := make([]mat.Real, s.k)
	for _, x := range s.hood.neighboursOf(u) {
		if s.known[x] && !(edge && x == v) {
			count[s.Class[x]]++
		}
	}
	s.smooth(count, 1, 2)
	return count
}

// judgeEdges judges the edges as they are, and as they would be between random nodes: any nodes, and the ends of other
// edges, which have the degrees that ends have. A random end has the type of the end that it replaces.
func (w *world) judgeEdges() {
	s, rng := w.first.newPairs(), w.random(300)
	from, to := w.Graph.Sources(), w.Graph.Targets()
	m := len(from)
	step := 1 + (m-1)/mostExamples
	for e := range int32(m) {
		at := w.edges.add(e, s.terms(from[e], to[e], from[e] != to[e]))
		if int(e)%step != 0 {
			continue
		}
		for range repeats(m) {
			u, v := w.sameType(from[e], w.n, nil, rng), w.sameType(to[e], w.n, nil, rng)
			w.edges.suppose(0, at, s.terms(u, v, w.hood.linked(u, v)))
			u, v = w.sameType(from[e], m, from, rng), w.sameType(to[e], m, to, rng)
			w.edges.suppose(1, at, s.terms(u, v, w.hood.linked(u, v)))
		}
	}
}

// sameType draws a node of the same type as v, from a list or of all.
func (w *world) sameType(v int32, n int, list []int32, rng *rand.Rand) int32 {
	types := w.Graph.NodeTypes()
	for range 50 {
		u := int32(rng.IntN(n))
		if list != nil {
			u = list[u]
		}
		if types == nil || types[u] == types[v] {
			return u
		}
	}
	return v
}

// usualChance returns the part ν of the edges that look like random pairs which are right all the same: chance
// meetings are how some graphs are. If edges were made of several rows of a table, those tell: right edges are
// repeated, and wrong ones hardly ever, so that
//
//	ν = share of repeats among edges that look random / share of repeats among the others
//
// between 0 and 1. Of the others, which join nodes in dense parts of the graph, some repeat by chance: pairs that are
// joined with probability q have Poisson(λ) rows, λ = −log(1 − q), and about λ/2 of the edges several of them.
func (w *world) usualChance(v *verdict) float64 {
	if v.pi == nil || w.Count == nil {
		return 0
	}
	var all, repeated [2]float64 // of the others, and of edges that look random
	closed := 0.0
	for i, e := range v.thing {
		p := v.probability(v.asIs[i])
		for k, weight := range []float64{1 - p, p} {
			all[k] += weight
			if w.Count[e] > 1 {
				repeated[k] += weight
			}
		}
		closed += (1 - p) * v.evidence.asIs[i][commonShare]
	}
	q := closed / all[0] / (1 - min(sum(v.pi), 0.9)) // common neighbours are joined by edges that do not look random
	lambda := -math.Log1p(-min(q, 0.9))
	others := 1 - (1-repeated[0]/all[0])/(1-min(lambda/2, 0.9))
	if others <= 0 || all[1]*others < fewestRepeats {
		return 0
	}
	return min(repeated[1]/all[1]/others, surely)
}

// fewestRepeats is the number of random-looking edges that would have to repeat, if they were like others, for repeats
// to be evidence.
const fewestRepeats = 20

// surely is the maximum of usualChance, so that suspicions keep their order.
const surely = 0.95

// spare lets a part of the things that look wrong be right.
func (v *verdict) spare(part float64) {
	for k := range v.pi {
		v.pi[k] *= 1 - part
	}
	for i, x := range v.odds {
		p := (1 - part) / (1 + math.Exp(-x))
		v.odds[i] = math.Log(max(p, 1e-12)) - math.Log1p(-min(p, 1-1e-12))
	}
}

// rankEdges fills the ranking and returns the share of wrong ones.
func (w *world) rankEdges(r *Report) (Share, error) {
	w.edges.untold = untoldEdges
	verdicts, err := w.edges.verdicts(w.Seed)
	if err != nil {
		return Share{}, err
	}
	verdicts.spare(w.usualChance(verdicts))
	for k, e := range w.edges.thing {
		t := w.Graph.Edge(e)
		r.Edges = append(r.Edges, Edge{verdicts.judgement(k), e, t.U, t.V})
	}
	ranked(r.Edges, func(e Edge) Verdict { return e.Verdict })
	return verdicts.share(), nil
}
