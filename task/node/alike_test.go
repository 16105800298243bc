package node

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/fit"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// claims are 60 nodes in ten garages with an amount and a debt, all positive, and 300 rows of payments.
func claims(t *testing.T) (d *dataset.Dataset, amount, debt []float64) {
	const n, rows = 60, 300
	rng := rand.New(rand.NewPCG(4, 1))
	garage, x := dataset.RawColumn{Name: "garage"}, dataset.Matrix{Rows: n, Cols: 2}
	d = &dataset.Dataset{Name: "claims", Splits: []dataset.Split{{}}, Labels: dataset.Labels{
		Names: []string{"no", "yes"}, Class: make([]int32, n)}}
	for v := range n {
		amount, debt = append(amount, math.Exp(rng.NormFloat64())), append(debt, math.Exp(rng.NormFloat64()))
		x.Values = append(x.Values, mat.Real((amount[v]-9)/4), mat.Real((debt[v]-9)/4))
		garage.Values.Append(fmt.Appendf(nil, [2]string{"Auto %d", " auto %d"}[v%2], v%10))
		d.Labels.Class[v] = int32(v / 10 % 2)
		if v < 40 {
			d.Splits[0].Train = append(d.Splits[0].Train, int32(v))
		} else {
			d.Splits[0].Valid = append(d.Splits[0].Valid, int32(v))
		}
	}
	r := &dataset.EdgeRows{Columns: []dataset.NumberColumn{{Name: "paid"}, {Name: "when"}}}
	spec := graph.Spec{Nodes: n, Undirected: true, DropDuplicates: true, Loops: graph.DropLoops}
	for range rows {
		u, v := int32(rng.IntN(n)), int32(rng.IntN(n))
		r.Src, r.Dst = append(r.Src, u), append(r.Dst, v)
		r.Columns[0].Values = append(r.Columns[0].Values, rng.Float64())
		r.Columns[1].Values = append(r.Columns[1].Values, 100*rng.Float64())
		spec.Triples = append(spec.Triples, graph.Triple{U: u, V: v})
	}
	g, err := graph.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	d.Graph, d.Features = g, []dataset.Matrix{x}
	d.Raw = &dataset.Raw{Nodes: [][]dataset.RawColumn{{garage}}, Rows: r}
	d.Schema = &dataset.Schema{Types: []dataset.TypeSchema{{Columns: []dataset.Column{
		{Name: "amount", Kind: dataset.Number, Mean: 9, SD: 4}, {Name: "debt", Kind: dataset.Number, Mean: 9, SD: 4},
		{Name: "garage", Kind: dataset.Skipped}}}},
		Stats: []dataset.EdgeStats{{Name: "pay", Relation: -1, Numbers: []dataset.Column{{Name: "paid"}},
			Time: dataset.Column{Name: "when"}, Begin: 0, End: 100}}}
	return d, amount, debt
}

// seen returns the columns of node v by their names.
func seen(f *forest, v int) map[string]float64 {
	f.fill(&f.table)
	row, out := make([]float32, f.table.columns), map[string]float64{}
	f.table.row(row, v)
	for _, c := range f.named(row) {
		if out[c.Name] = math.NaN(); c.Value != nil {
			out[c.Name] = *c.Value
		}
	}
	return out
}

// claimsTask builds the task of trees on claims.
func claimsTask(t *testing.T, d *dataset.Dataset) *Task {
	t.Helper()
	c, err := config.Load(config.Options{Recipe: "trees", Data: d.Name, Set: []string{"model.closed=false"}})
	if err != nil {
		t.Fatal(err)
	}
	task, err := Build(*c, d, train.Trial{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return task
}

// TestAlike compares what trees see of rows alike, of ratios and of the sides of rows with plain sums.
func TestAlike(t *testing.T) {
	d, amount, debt := claims(t)
	task := claimsTask(t, d)
	for v := range amount {
		want := map[string]float64{}
		want["amount / debt"] = amount[v] / debt[v]
		rows, logs, told, count := 0.0, 0.0, 0.0, 0.0
		for u := range amount {
			if u%10 != v%10 {
				continue
			}
			rows, logs = rows+1, logs+math.Log(amount[u])
			if u < 40 && (v >= 40 || u%labelFolds != v%labelFolds) { // trains, in another fold
				told, count = told+float64(d.Labels.Class[u]), count+1
			}
		}
		want["rows with the same garage"] = rows
		want["amount against the same garage"] = amount[v] / math.Exp(logs/rows)
		want["rows with the same garage, label yes"] = (told + evenLabels*0.5) / (count + evenLabels)
		r, over, sum, known, said, rows, evenings, weekends := d.Raw.Rows, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
		for i, u := range r.Dst {
			if int(r.Src[i]) != v || int(u) == v {
				continue
			}
			over, sum = over+r.Columns[0].Values[i], sum+r.Columns[0].Values[i]*amount[u]
			if w := math.Exp((r.Columns[1].Values[i] - 100) / 20); u < 40 {
				known, said = known+w, said+w*float64(d.Labels.Class[u])
			}
		}
		for i, x := range r.Columns[1].Values {
			if int(r.Src[i]) != v || int(r.Dst[i]) == v {
				continue
			}
			at := time.Unix(0, int64(x*24*float64(time.Hour))).UTC()
			if rows++; at.Hour() >= 18 {
				evenings++
			}
			if day := at.Weekday(); day == time.Saturday || day == time.Sunday {
				weekends++
			}
		}
		want["neighbours out, by when: rows from 18 to 24 h"] = evenings / rows
		want["neighbours out, by when: rows on Saturday or Sunday"] = weekends / rows
		want["neighbours out, by paid: amount"] = sum / over
		want["neighbours out, by when: label yes"] = said / known
		sharedByHand(d, v, want)
		got := seen(task.forest, v)
		for name, x := range want {
			// float32 in the table
			if y, ok := got[name]; !ok || !(math.Abs(x-y) <= 1e-4*max(1, math.Abs(x)) || x != x && y != y) {
				t.Errorf("node %d: %s is %g, want %g", v, name, y, x)
			}
		}
	}
}

// sharedByHand adds what node v shares with others, the nodes that rows lead to from them, to want.
func sharedByHand(d *dataset.Dataset, v int, want map[string]float64) {
	have := map[int32][]int{} // of every node those with rows that lead to it
	for i, u := range d.Raw.Rows.Dst {
		if from := int(d.Raw.Rows.Src[i]); from != int(u) && !slices.Contains(have[u], from) {
			have[u] = append(have[u], from)
		}
	}
	all, most, told, over, worst := 0.0, 0.0, 0.0, 0.0, math.NaN()
	for _, nodes := range have {
		if !slices.Contains(nodes, v) {
			continue
		}
		sum, count := evenLabels*0.5, 0.0
		for _, x := range nodes {
			if x < 40 && (v >= 40 || x%labelFolds != v%labelFolds) {
				sum, count = sum+float64(d.Labels.Class[x]), count+1
			}
		}
		all, most = all+float64(len(nodes)-1), max(most, float64(len(nodes)-1))
		if w := count / (count + evenLabels); count > 0 {
			told, over = told+w*sum/(count+evenLabels), over+w
			if !(worst >= sum/(count+evenLabels)) {
				worst = sum / (count + evenLabels)
			}
		}
	}
	name := sharing + "neighbours out"
	want[name], want[name+", at most"] = all, most
	want[name+", label yes"], want[name+", label yes at most"] = told/over, worst
}

// TestAlikeHidesOwn: no column of a training node depends on its own label, and none of any node on labels that do not
// train.
func TestAlikeHidesOwn(t *testing.T) {
	d, _, _ := claims(t)
	for _, v := range []int{3, 17, 45} {
		before := seen(claimsTask(t, d).forest, v)
		d.Labels.Class[v] ^= 1
		after := seen(claimsTask(t, d).forest, v)
		d.Labels.Class[v] ^= 1
		for name, x := range before {
			if y := after[name]; math.Abs(x-y) > 0.06 { // the mean of all labels moves by 1/40, and 4 of these count
				t.Errorf("node %d: %s goes from %g to %g with its own label", v, name, x, y)
			}
		}
	}
}

// otherClaims are claims with other garages, numbers and rows of payments, and all their nodes.
func otherClaims(t *testing.T) (*dataset.Dataset, []int32) {
	now, _, _ := claims(t)
	rng := rand.New(rand.NewPCG(5, 1))
	garage := dataset.RawColumn{Name: "garage"}
	for range now.Graph.NumNodes() {
		garage.Values.Append(fmt.Appendf(nil, "auto %d", rng.IntN(10)))
	}
	now.Raw.Nodes[0][0] = garage
	for i := range now.Features[0].Values {
		now.Features[0].Values[i] = mat.Real((math.Exp(rng.NormFloat64()) - 9) / 4)
	}
	r := now.Raw.Rows
	for i := range r.Src[:100] {
		r.Dst[i], r.Columns[0].Values[i] = r.Dst[299-i], rng.Float64()
	}
	var nodes []int32
	for v := range int32(now.Graph.NumNodes()) {
		nodes = append(nodes, v)
	}
	return now, nodes
}

// TestAlikeWithin: on data that has changed, trees see what trees built on it see.
func TestAlikeWithin(t *testing.T) {
	d, _, _ := claims(t)
	task := claimsTask(t, d)
	now, nodes := otherClaims(t)
	sub, err := task.Within(Subgraph{Graph: now.Graph, Node: nodes, Features: now.Features[0], Raw: now.Raw})
	if err != nil {
		t.Fatal(err)
	}
	anew, changed := claimsTask(t, now), 0
	for v := range nodes {
		before, want, got := seen(task.forest, v), seen(anew.forest, v), seen(sub.forest, v)
		for name, x := range want {
			if y, ok := got[name]; !ok || !(x == y || x != x && y != y) {
				t.Errorf("node %d: %s is %g, want %g", v, name, y, x)
			}
			if x != before[name] {
				changed++
			}
		}
	}
	if changed < 1000 {
		t.Errorf("%d numbers changed", changed)
	}
}

// TestClosedAlike: a closed form that sees rows alike finds labels that garages have and no column, says so in its
// parts, which add up, sees no label of its own row, has the answers of one that is solved for data as it has become,
// and is not certified.
func TestClosedAlike(t *testing.T) {
	byGarage := func(d *dataset.Dataset) *dataset.Dataset {
		for v := range d.Labels.Class {
			d.Labels.Class[v] = int32(v / 3 % 10 / 5)
		}
		d.Raw.Rows = nil // which only add noise
		return d
	}
	build := func(d *dataset.Dataset) *Task {
		c := must(config.Load(config.Options{Recipe: "closed", Data: d.Name, Set: []string{"model.alike=true"}}))
		return must(Build(*c, d, train.Trial{}, Options{}))
	}
	d, _, _ := claims(t)
	d.Raw.Nodes[0][0].Values = dataset.Texts{}
	for v := range d.Labels.Class {
		d.Raw.Nodes[0][0].Values.Append(fmt.Appendf(nil, "auto %d", v/3%10))
	}
	task := build(byGarage(d))
	p := must(task.Predict())
	z, right := p.Logits.Slice(), 0
	for _, v := range task.Split.Valid {
		if (z[2*v] < z[2*v+1]) == (d.Labels.Class[v] == 1) {
			right++
		}
		checkBreakdown(t, task, p, v)
	}
	b := must(task.breakdown(41, task.question(1, 0), p, 3))
	if right < 18 || !slices.ContainsFunc(b.Groups, func(g partGroup) bool { return g.Name == rowsAlike }) {
		t.Errorf("%d of 20 right, parts %+v", right, b.Groups)
	}
	f := task.network.(*closedForm)
	if _, _, err := must(f.asLinear()).Terms(); !errors.Is(err, fit.ErrUnfiltered) {
		t.Errorf("terms of rows alike: %v", err)
	}
	before, width := f.problem().Unfiltered, f.table.width
	d.Labels.Class[3] ^= 1
	for j, x := range build(d).network.(*closedForm).problem().Unfiltered.Values[3*width:][:width] {
		if y := before.Values[3*width+j]; math.Abs(float64(x-y)) > 0.06 { // as of trees, above
			t.Errorf("column %d beside goes from %g to %g with the own label", j, y, x)
		}
	}
	d.Labels.Class[3] ^= 1
	now, nodes := otherClaims(t)
	byGarage(now)
	sub := must(task.Within(Subgraph{Graph: now.Graph, Node: nodes, Features: now.Features[0], Raw: now.Raw}))
	want := must(build(now).Predict()).Logits.Slice()
	for i, x := range must(sub.Predict()).Logits.Slice() {
		if x != want[i] {
			t.Fatalf("logit %d is %g on data as it has become, and %g built on it", i, x, want[i])
		}
	}
}
