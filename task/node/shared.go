package node

import (
	"cmp"
	"math"
	"slices"
)

// Overview: nodes that share a neighbour are alike, as accounts that use the same device, also if no column says so.
// Trees see how many others share something with a node, their labels, and the means of their numbers.

// shared is what nodes of a type have in common: node of[i] has the neighbour with[i], each pair once, sorted.
type shared struct {
	name     string
	of, with []int32
}

// newShared returns what nodes share by the rows of a side.
func newShared(s side) shared {
	var pairs [][2]int32
	for i, v := range s.of {
		if u := s.with[i]; u != v {
			pairs = append(pairs, [2]int32{v, u})
		}
	}
	slices.SortFunc(pairs, func(a, b [2]int32) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
	out := shared{name: s.name}
	for _, p := range slices.Compact(pairs) {
		out.of, out.with = append(out.of, p[0]), append(out.with, p[1])
	}
	return out
}

// sharedWidth returns the number of columns of what is shared.
func (c *comparison) sharedWidth() int { return 2 + c.labels + c.worst + len(c.measures) }

// share fills in the columns of what nodes share, of neighbours u of v and the others that have them:
//
//	log(1 + Σ_u others), log(1 + most others), Σ_u w_u ȳ_u / Σ_u w_u, of two classes max_u ȳ_u, means of numbers
//
// ȳ_u is the mean label of the training nodes that have u, without the fold of v; see labelSums. Things that more
// labels are known of count more: w = n/(n + evenLabels).
func (t *Task) share(c *comparison, s shared, to func(v int) []float32) {
	n := t.Data.Graph.NumNodes()
	start, have := make([]int32, n+1), make([]float64, n)
	for i, v := range s.of {
		start[v+1]++
		have[s.with[i]]++
	}
	for v := range n {
		start[v+1] += start[v]
	}
	things := func(v int) []int32 { return s.with[start[v]:start[v+1]] }
	labels, numbers := t.sumLabels(c.labels, n, things), c.measured(t)
	sums := numbers.byThing(s)
	for v := range n {
		row := to(v)
		for j := range row {
			row[j] = float32(math.NaN())
		}
		mine := things(v)
		if len(mine) == 0 {
			continue
		}
		all, most := 0.0, 0.0
		for _, u := range mine {
			all, most = all+have[u]-1, max(most, have[u]-1)
		}
		row[0], row[1] = float32(math.Log1p(all)), float32(math.Log1p(most))
		labels.among(row[2:2+c.labels+c.worst], mine, v)
		sums.others(row[len(row)-numbers.cols:], mine, numbers.x[v*numbers.cols:][:numbers.cols])
	}
}

// among writes the mean labels of those who have the same things as node v, and after them the largest if there is
// room.
func (l *labelSums) among(to []float32, things []int32, v int) {
	mean, sum, weight, worst := make([]float64, l.k), make([]float64, l.k), 0.0, math.NaN()
	for _, u := range things {
		known := l.mean(mean, u, v)
		if known == 0 {
			continue
		}
		w := known / (known + evenLabels)
		weight += w
		for k, y := range mean {
			sum[k] += w * y
		}
		if !(mean[0] <= worst) {
			worst = mean[0]
		}
	}
	for k, y := range sum {
		to[k] = float32(y / weight) // 0/0, a gap, without labels
	}
	if len(to) > l.k {
		to[l.k] = float32(worst)
	}
}

// grid is a row of numbers for every node, or of their sums and counts.
type grid struct {
	cols     int
	x, count []float64
}

// byThing returns the sums of the numbers of those who have a thing, and how many they are, for all things.
func (g grid) byThing(s shared) grid {
	m := g.cols
	out := grid{m, make([]float64, len(g.x)), make([]float64, len(g.x))}
	for i, v := range s.of {
		at := int(s.with[i]) * m
		for j, x := range g.x[int(v)*m:][:m] {
			if x == x {
				out.x[at+j] += x
				out.count[at+j]++
			}
		}
	}
	return out
}

// others writes the means of the numbers of those who have the same things as a node whose own are given.
func (g grid) others(to []float32, things []int32, own []float64) {
	for j, x := range own {
		sum, count := 0.0, 0.0
		for _, u := range things {
			at := int(u)*g.cols + j
			sum, count = sum+g.x[at], count+g.count[at]
			if x == x {
				sum, count = sum-x, count-1
			}
		}
		to[j] = float32(math.NaN())
		if count > 0 {
			to[j] = float32(sum / count)
		}
	}
}

// measured returns the measures of all nodes, a row each, NaN for what a node has not.
func (c *comparison) measured(t *Task) grid {
	m, x := len(c.measures), t.Data.Features[c.kind]
	out := grid{cols: m, x: slices.Repeat([]float64{math.NaN()}, t.Data.Graph.NumNodes()*m)}
	row := make([]float32, x.Cols)
	for i, v := range t.Data.Graph.NodesOfType(int32(c.kind)) {
		unfold(row, x, i)
		for j, f := range c.measures {
			out.x[int(v)*m+j] = f.value(row)
		}
	}
	return out
}

// eachShared yields the columns of what is shared with their names.
func (c *comparison) eachShared(s shared, labels []string, row []float32, yield func(name string, x float64)) {
	prefix := sharing + s.name
	yield(prefix, math.Round(math.Expm1(float64(row[0]))))
	yield(prefix+", at most", math.Round(math.Expm1(float64(row[1]))))
	for k, label := range labels {
		yield(prefix+", label "+label, float64(row[2+k]))
	}
	if c.worst > 0 {
		yield(prefix+", label "+labels[0]+" at most", float64(row[2+c.labels]))
	}
	for j, x := range row[len(row)-len(c.measures):] {
		yield(prefix+": "+c.measures[j].name, c.measures[j].mean(x))
	}
}

// mean returns a mean of values of a measure as people read it.
func (m measure) mean(x float32) float64 {
	switch {
	case m.log:
		return math.Exp(float64(x))
	case m.time:
		return float64(x)
	}
	return m.Value(float64(x))
}

// labelSums are sums of the labels of training nodes by groups, of every fold and of all.
type labelSums struct {
	k     int
	cells []float64 // rows of a count and k sums
	fold  []int8    // of every node, −1 if it does not train
}

// Chosen: a mean label counts as if evenLabels more nodes had the mean of all, and training nodes see the labels of
// other folds alone: the mean of all others of a group tells a node's own, as the mean of all is known.
const labelFolds, evenLabels = 10, 4

// sumLabels returns the sums of groups that nodes are in.
func (t *Task) sumLabels(k, groups int, of func(v int) []int32) *labelSums {
	n := t.Data.Graph.NumNodes()
	l := &labelSums{k, make([]float64, (groups*(labelFolds+1)+1)*(1+k)), slices.Repeat([]int8{-1}, n)}
	label, whole := make([]float64, k), int32(groups)
	add := func(group int32, fold int8) {
		cell := l.at(group, fold)
		cell[0]++
		for c, y := range label {
			cell[1+c] += y
		}
	}
	for i, v := range t.Split.Train {
		fold := int8(i % labelFolds)
		l.fold[v] = fold
		t.labelOf(label, v)
		add(whole, 0)
		for _, g := range of(int(v)) {
			add(g, fold)
			add(g, labelFolds)
		}
	}
	return l
}

// at returns the cell of a group and a fold, or of all folds; that of all groups is the first of a further one.
func (l *labelSums) at(group int32, fold int8) []float64 {
	return l.cells[(int(group)*(labelFolds+1)+int(fold))*(1+l.k):][:1+l.k]
}

// mean writes the mean labels of a group without the fold of node v, and returns how many they are.
func (l *labelSums) mean(to []float64, group int32, v int) (n float64) {
	whole, all := l.at(group, labelFolds), l.cells[len(l.cells)-1-l.k:]
	less := make([]float64, 1+l.k)
	if l.fold[v] >= 0 {
		less = l.at(group, l.fold[v])
	}
	n = whole[0] - less[0]
	for c := range to {
		usual := all[1+c] / max(1, all[0])
		to[c] = (whole[1+c] - less[1+c] + evenLabels*usual) / (n + evenLabels)
	}
	return n
}
