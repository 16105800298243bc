package kg

import (
	"cmp"
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// maxAnswers is the maximum number of answers in a row: a question with more takes several rows.
const maxAnswers = 16

// againstAll distinguishes the answers Y of a question from all entities by softmax cross-entropy,
//
//	log Σ_x exp s(q, x) − 1/|Y| Σ_{y∈Y} s(q, y)
//
// All scores are one product of matrices; the scores of the answers are computed once more, at the entries of a sparse
// pattern, to correct a cross-entropy that knows only one answer.
type againstAll struct {
	order
	batchQuestions
	all     []questionAnswers
	answers *mat.Sparse
	row     *mat.Index
	listed  *mat.Index
	share   *mat.Dense // of every entry of answers in the correction

	list   []int32
	weight []mat.Real
}

// questionAnswers is a question with at most maxAnswers answers.
type questionAnswers struct {
	metric.Question
	answers []int32
}

func newAgainstAll(c Config, g *graph.Graph) *againstAll {
	all := group(g)
	v := &againstAll{order: newOrder(len(all), c.Batch, mat.Mix(c.Seed, 3)), all: all}
	n := v.size * maxAnswers
	v.batchQuestions = newBatchQuestions(v.size, g.NumNodes(), g)
	v.answers = mat.NewBatchSparse(v.size, g.NumNodes(), maxAnswers)
	v.listed = mat.NewBatchIndex(n, g.NumNodes())
	v.share = mat.New(n, 1)
	v.list, v.weight = make([]int32, n), make([]mat.Real, n)
	of := make([]int32, n)
	for i := range of {
		of[i] = int32(i / maxAnswers)
	}
	v.row = mat.MustIndex(of, v.size)
	return v
}

// group lists all questions about the facts of g, both ways, with their answers.
func group(g *graph.Graph) []questionAnswers {
	type answered struct {
		metric.Question
		answer int32
	}
	list := make([]answered, 0, 2*g.NumEdges())
	for e := range g.NumEdges() {
		for side := range 2 {
			q, answer := metric.QuestionFor(g.Edge(int32(e)), side)
			list = append(list, answered{q, answer})
		}
	}
	slices.SortFunc(list, func(a, b answered) int {
		return cmp.Or(cmp.Compare(a.Of, b.Of), cmp.Compare(a.End, b.End), cmp.Compare(a.answer, b.answer))
	})
	var all []questionAnswers
	for i, x := range list {
		last := len(all) - 1
		if i == 0 || all[last].Question != x.Question || len(all[last].answers) == maxAnswers {
			all = append(all, questionAnswers{Question: x.Question})
			last++
		}
		all[last].answers = append(all[last].answers, x.answer)
	}
	return all
}

// loadBatch puts questions in place. The first entry of a row is the answer that the cross-entropy knows; entries
// beyond the answers of a question have no share.
func (v *againstAll) loadBatch(i int) error {
	clear(v.list)
	clear(v.weight)
	for row, id := range v.batch(i) {
		a := v.all[id]
		v.setQuestion(row, a.Question, a.answers[0])
		copy(v.list[row*maxAnswers:], a.answers)
		part := mat.Real(1 / float64(len(a.answers)))
		for j := range a.answers {
			v.weight[row*maxAnswers+j] = -part
		}
		v.weight[row*maxAnswers]++
	}
	v.share.Write(v.weight)
	if err := v.update(); err != nil {
		return err
	}
	if err := v.listed.Update(v.list); err != nil {
		return err
	}
	return v.answers.Update(v.list)
}

func (v *againstAll) rows() *mat.Index { return nil }

// loss returns the mean over questions.
func (v *againstAll) loss(c Config, h, e ad.Var, clock *ad.Clock) ad.Var {
	q, penalty := v.query(c, h, e, clock)
	compare := c.Model.Compare()
	one := compare.All(q, h).CrossEntropy(v.first, nil)
	rest := compare.At(v.answers, v.row, v.listed, q, h).Dot(ad.Input(v.share))
	return addPenalty(one.Add(rest.Scale(1/float64(v.size))), penalty)
}
