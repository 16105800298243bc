package kg

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/adjoint"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// moving holds entities that settle among others, which are held: a block of a bilevel model, new entities, or the
// ends of a fact that is explained. What they minimise is the loss of training on the questions about their facts,
// summed:
//
//	ℓ_low(H) = Σ_{questions} ℓ(s⁺, s⁻) + Σ_{other questions} ℓ(s⁺, s⁻) + Σ_v [ penalty(h_v) + κ(h_v) + η(h_v) ]
//
// Overview: a fact about a moving entity v is a question that v asks, (v, r, ?), or one that it answers, (u, r, ?),
// mostly both once. False answers are a pool of held entities. Other questions ask about facts that have nothing to do
// with moving entities, Model.Sample, which stand for all of training: there moving entities are false answers besides
// the pool. Without them an entity would be pulled to what it answers and pushed away from nothing, and rank above all
// others everywhere.
//
// lower is that energy with a row for every moving entity, plain with a row for every entity, see there.
type moving struct {
	m       *Model
	list    []int32 // the moving entities
	place   rowsOf
	asks    questionSet // questions that moving entities ask and held ones answer
	between questionSet // questions that moving entities ask and answer
	answers questionSet // questions of held entities that moving ones answer
	others  questionSet // questions that are about held entities alone

	facts      []graph.Triple
	rows, pool *mat.Index // of H: of moving entities, and of false answers
	rest       ad.Var     // H with rows of 0 for the moving entities
	often      ad.Var     // by moving entity: the number of questions about it
}

// newMoving sorts the facts, each of which is about one of the entities in list, and draws a pool.
func newMoving(m *Model, facts []graph.Triple, list []int32, pool int, seed uint64) *moving {
	n := &moving{m: m, list: list, facts: facts, place: make(rowsOf, len(list)), rows: mat.MustIndex(list, m.H.Rows())}
	for i, v := range list {
		n.place[v] = int32(i)
	}
	often := make([]float64, len(list))
	for _, f := range facts {
		for side := range 2 {
			q, answer := metric.QuestionFor(f, side)
			n.kind(q, answer).add(q, answer)
			for _, v := range []int32{q.End, answer} {
				if i, is := n.place[v]; is {
					often[i]++
				}
			}
		}
	}
	for _, f := range n.m.Sample {
		_, u := n.place[f.U]
		_, v := n.place[f.V]
		for side := range 2 {
			if !u && !v {
				n.others.add(metric.QuestionFor(f, side))
			}
		}
	}
	n.often, n.pool = column(often), mat.MustIndex(n.drawPool(pool, seed), m.H.Rows())
	rest := mat.New(m.H.Rows(), m.H.Cols())
	mat.Copy(rest, m.H.Value())
	mat.Scatter(rest, mat.New(len(list), m.H.Cols()), n.rows)
	n.rest = ad.Const(rest)
	n.asks.buildIndices(m, n.place, nil)
	n.between.buildIndices(m, n.place, n.place)
	n.answers.buildIndices(m, nil, n.place)
	n.others.buildIndices(m, nil, nil)
	return n
}

// kind returns the set that a fact about moving entities belongs to.
func (n *moving) kind(q metric.Question, answer int32) *questionSet {
	_, asks := n.place[q.End]
	_, answers := n.place[answer]
	switch {
	case asks && answers:
		return &n.between
	case asks:
		return &n.asks
	}
	return &n.answers
}

// kinds returns the three sets of questions about moving entities.
func (n *moving) kinds() []*questionSet { return []*questionSet{&n.asks, &n.between, &n.answers} }

// questions returns the number of questions about facts of moving entities, two per fact.
func (n *moving) questions() (total int) {
	for _, s := range n.kinds() {
		total += len(s.of)
	}
	return total
}

// drawPool is k held entities, or any where hardly one is held.
func (n *moving) drawPool(k int, seed uint64) []int32 {
	all := uint64(n.m.H.Rows())
	ids := make([]int32, 0, k)
	for i := uint64(0); len(ids) < k; i++ {
		v := int32((mat.Mix(seed, i) >> 32) * all >> 32)
		if _, is := n.place[v]; !is || i > 20*uint64(k) {
			ids = append(ids, v)
		}
	}
	return ids
}

// setWeights gives the facts weights, a row of w each: a fact of weight w counts w times in all that moving entities
// minimise, and in where they start. With weights of 1 nothing changes.
func (n *moving) setWeights(w ad.Var) {
	var speaks, about []int32
	of := map[*questionSet][]int32{}
	for i, f := range n.facts { // in the order of newMoving
		for side := range 2 {
			q, answer := metric.QuestionFor(f, side)
			s := n.kind(q, answer)
			of[s] = append(of[s], int32(i))
			for _, v := range []int32{q.End, answer} {
				if at, is := n.place[v]; is {
					speaks, about = append(speaks, int32(i)), append(about, at)
				}
			}
		}
	}
	for _, s := range n.kinds() {
		s.weight = w.Gather(mat.MustIndex(of[s], len(n.facts)))
	}
	n.often = w.Gather(mat.MustIndex(speaks, len(n.facts))).SegmentSum(mat.MustIndex(about, len(n.list)))
}

// descend returns the rows of moving entities after some steps of a, k×d, as an expression of e.
func (n *moving) descend(e ad.Var, a descent.Algorithm, steps int) (ad.Var, error) {
	x := n.start(e)
	if steps == 0 {
		return x, nil
	}
	a = fineAdaGrad(a)
	if alone, _ := descent.Looks(a); alone {
		l := n.lower(e)
		if err := descent.Check(a, l); err != nil {
			return x, err
		}
		return adjoint.Unrolled{}.Run(a, l, x, steps), nil
	}
	l, err := n.plain(e)
	if err != nil {
		return x, err
	}
	if err := descent.Check(a, l); err != nil {
		return x, err
	}
	return adjoint.Unrolled{}.Run(a, l, n.withRows(x), steps).Gather(n.rows), nil
}

// fineAdaGrad returns a, with an ε of 1e-20 where AdaGrad says nothing about it: entities that start near 0 have
// gradients of 1e-9 at first.
func fineAdaGrad(a descent.Algorithm) descent.Algorithm {
	if a == descent.AdaGrad(descent.Pace(a)) {
		return descent.WithEps(a, 1e-20)
	}
	return a
}

// settle writes the rows after some steps into H.
func (n *moving) settle(a descent.Algorithm, steps int) error {
	x, err := n.descend(ad.Const(n.m.E.Value()), a, steps)
	if err != nil {
		return err
	}
	prog := ad.Compile(x)
	if err := prog.Run(); err != nil {
		return err
	}
	mat.Scatter(n.m.H.Value(), prog.Value(x), n.rows)
	return prog.Value(x).CheckFinite()
}

// withRows returns H with rows x for the moving entities.
func (n *moving) withRows(x ad.Var) ad.Var { return n.rest.Add(x.SegmentSum(n.rows)) }

// start returns where rows begin: the mean of where their neighbours want them,
//
//	h_v = 1/|N(v)| Σ_{(u,r,?) answered by v} q(h_u, e_r)
//
// which is the minimiser of squared distances. Inner products have a direction only; rows then get the mean length of
// the others. An entity that answers no question of a held one starts at the mean of the held ones.
func (n *moving) start(e ad.Var) ad.Var {
	c, k, others := n.m.Config, len(n.list), float64(n.m.H.Rows()-len(n.list))
	share, none := make([]float64, k), make([]float64, k)
	to := make([]int32, len(n.answers.answer))
	for i, v := range n.answers.answer {
		to[i] = n.place[v]
		share[to[i]]++
	}
	for v, count := range share {
		if share[v] = 1 / max(1, count); count == 0 {
			none[v] = 1
		}
	}
	out := n.rest.SumRows().Scale(1 / max(1, others)).Expand(mat.Shape{Rows: k, Cols: c.Dim}).Mul(column(none))
	if len(to) == 0 {
		return out
	}
	at := n.answers.query(c, n.rest, e).Gather(n.answers.rows)
	if w, v := n.answers.weight, mat.MustIndex(to, k); w.IsZero() {
		at = at.SegmentSum(v).Mul(column(share))
	} else {
		at = at.Mul(w).SegmentSum(v).Div(w.SegmentSum(v).Add(column(none)))
	}
	if c.Model.Compare().Inner {
		length := n.rest.Square().SumCols().Sqrt().Sum().Scale(1 / max(1, others))
		at = at.Mul(at.Square().SumCols().Shift(1e-12).Sqrt().Recip()).Mul(length)
	}
	return out.Add(at)
}

// column returns a constant, len(x)×1.
func column(x []float64) ad.Var {
	real := make([]mat.Real, len(x))
	for i, v := range x {
		real[i] = mat.Real(v)
	}
	return ad.Const(mat.FromSlice(len(x), 1, real))
}

// extend adds κ and η of b to an energy on rows of a shape. Entities have no features: π = 0. A nil b adds neither.
func (b *Bilevel) extend(l *energy.Lower, rows mat.Shape) {
	if b == nil {
		return
	}
	l.Pi, l.Eta = ad.Fill(rows, 0), b.Eta
	l.Kappa = append(l.Kappa, b.Kappa...)
}

// questionSet is different questions with the facts that answer them, several facts to one question.
type questionSet struct {
	list   []metric.Question
	of     []int32 // by fact: its question
	answer []int32 // by fact: its answer
	known  map[metric.Question]int32
	weight ad.Var // of a fact in the loss, a row each; absent where all weigh 1

	rows, to, ends, operands *mat.Index // of and answer, and what a question reads, when all are added
}

// rowsOf numbers entities by the rows of a matrix; nil means the rows of H.
type rowsOf map[int32]int32

// index returns the rows of entities, of which H has n.
func (r rowsOf) index(entities []int32, n int) *mat.Index {
	if r == nil {
		return mat.MustIndex(entities, n)
	}
	rows := make([]int32, len(entities))
	for i, v := range entities {
		rows[i] = r[v]
	}
	return mat.MustIndex(rows, len(r))
}

// add writes a fact down.
func (s *questionSet) add(q metric.Question, answer int32) {
	if s.known == nil {
		s.known = map[metric.Question]int32{}
	}
	i, ok := s.known[q]
	if !ok {
		i = int32(len(s.list))
		s.known[q] = i
		s.list = append(s.list, q)
	}
	s.of, s.answer = append(s.of, i), append(s.answer, answer)
}

// buildIndices makes the lists that expressions read, once: operations that read the same list are then the same.
// asking and answering say from which rows ends of questions and answers will be read.
func (s *questionSet) buildIndices(m *Model, asking, answering rowsOf) {
	var ends, operands []int32
	for _, q := range s.list {
		ends, operands = append(ends, q.End), append(operands, q.Of)
	}
	s.rows, s.to = mat.MustIndex(s.of, len(s.list)), answering.index(s.answer, m.H.Rows())
	s.ends, s.operands = asking.index(ends, m.H.Rows()), mat.MustIndex(operands, 2*m.numRelations())
}

// query is q of every question, whose ends are rows of h.
func (s *questionSet) query(c Config, h, e ad.Var) ad.Var {
	return c.Model.Query(h.Gather(s.ends), c.operands(e).Gather(s.operands))
}

// loss returns Σ ℓ over the facts, 1×1. Ends of questions are rows of h, and answers rows of to; pool is the rows of
// false answers, and more what is added to their scores.
func (s *questionSet) loss(c Config, h, to, e, pool ad.Var, more float64) ad.Var {
	if len(s.of) == 0 {
		return ad.Number(0)
	}
	compare, q := c.Model.Compare(), s.query(c, h, e)
	yes := compare.Rows(q.Gather(s.rows), to.Gather(s.to)).Shift(c.Margin)
	no := compare.All(q, pool).Shift(c.Margin + more)
	if c.softmax() {
		// −log( exp s⁺ / (exp s⁺ + Σ exp s⁻) ) = softplus(log Σ exp s⁻ − s⁺): one number per question, not one row per
		// fact.
		return s.total(logSum(no).Gather(s.rows).Sub(yes).Softplus())
	}
	return s.total(c.Loss.(Additive).Each(yes, no.Gather(s.rows)))
}

// total returns the sum over facts by their weights, 1×1.
func (s *questionSet) total(each ad.Var) ad.Var {
	if s.weight.IsZero() {
		return each.Sum()
	}
	return each.Dot(s.weight)
}

// logSum is log Σ exp of every row.
func logSum(x ad.Var) ad.Var { return x.Columns(0, 1).Sub(x.LogSoftmax().Columns(0, 1)) }
