package serve

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/task/fact"
	"github.com/bloomgml/bloom/task/kinds"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/task/pair"
	"github.com/bloomgml/bloom/train"
)

// trainedOn is a run folder of any kind.
func trainedOn(t *testing.T, recipe, data, task string, set ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), recipe)
	c, err := config.Load(config.Options{Recipe: recipe, Data: data, Task: task, Set: set})
	if err != nil {
		t.Fatal(err)
	}
	c.Train.Epochs = min(c.Train.Epochs, 3)
	d, err := catalogue.Open(c.Data.Name)
	if err != nil {
		t.Fatal(err)
	}
	_, err = kinds.Of(c).Train(t.Context(), *c, d, train.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// inferred are the outputs of a question, by their names.
func (r running) inferred(model, body string) map[string]task.Tensor {
	r.Helper()
	var out struct{ Outputs []task.Tensor }
	r.ask("/v2/models/"+model+"/infer", body, 200, &out)
	by := map[string]task.Tensor{}
	for _, t := range out.Outputs {
		by[t.Name] = t
	}
	return by
}

func values[T any](t *testing.T, x task.Tensor) (list []T) {
	t.Helper()
	if err := json.Unmarshal(x.Data, &list); err != nil {
		t.Fatalf("%s: %v: %s", x.Name, err, x.Data)
	}
	n := int64(1)
	for _, k := range x.Shape {
		n *= k
	}
	if n != int64(len(list)) {
		t.Fatalf("%s: shape %v for %d values", x.Name, x.Shape, len(list))
	}
	return list
}

// TestFacts: a run on a knowledge graph answers questions as bloom predict does, and scores facts.
func TestFacts(t *testing.T) {
	dir := trainedOn(t, "distmult", "family:families=4,twin=0", "")
	run, err := fact.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	f := run.Data.Test[0]
	q := fact.Question{Head: run.Data.IDs.At(f.U), Relation: run.Data.RelationName(f.R)}
	want, err := run.Ask(q, 3, false)
	if err != nil {
		t.Fatal(err)
	}
	r := serving(t, Options{}, dir)
	const one = `{"name":%q,"shape":[1],"datatype":"BYTES","data":[%q]}`
	ask := func(inputs ...string) string {
		return `{"parameters":{"top":3},"inputs":[` + strings.Join(inputs, ",") + `]}`
	}
	head, relation := fmt.Sprintf(one, "head", q.Head), fmt.Sprintf(one, "relation", q.Relation)
	out := r.inferred("distmult", ask(head, relation))
	entities, scores := values[string](t, out["entity"]), values[float64](t, out["score"])
	for i, a := range want {
		if entities[i] != a.Entity || scores[i] != a.Score {
			t.Errorf("answer %d: %s %g, want %s %g", i, entities[i], scores[i], a.Entity, a.Score)
		}
	}
	out = r.inferred("distmult", ask(head, relation, fmt.Sprintf(one, "tail", want[2].Entity)))
	if got := values[float64](t, out["score"]); len(got) != 1 || got[0] != want[2].Score {
		t.Errorf("a fact scores %v, want %g", got, want[2].Score)
	}
	r.ask("/v2/models/distmult/infer", ask(relation), 400, nil)
	r.ask("/v2/models/distmult/infer", ask(fmt.Sprintf(one, "head", "nobody"), relation), 404, nil)
	r.ask("/v2/models/distmult/infer", ask(head, relation, fmt.Sprintf(one, "tail", "nobody")), 404, nil)
	r.ask("/v1/nodes/"+"x", "", 409, nil)
	r.ask("/v1/graph", `{"edits":[{"add_edge":["a","b"]}]}`, 409, nil)
}

// TestPairs: a run about links recommends as bloom predict does, and scores pairs.
func TestPairs(t *testing.T) {
	dir := trainedOn(t, "base", "karate", "links")
	run, err := pair.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	want, err := run.Recommend("9", 4)
	if err != nil {
		t.Fatal(err)
	}
	r := serving(t, Options{}, dir)
	out := r.inferred("base",
		`{"parameters":{"top":4},"inputs":[{"name":"id","shape":[1],"datatype":"BYTES","data":["9"]}]}`)
	targets, p := values[string](t, out["target"]), values[float64](t, out["probability"])
	for i, l := range want {
		if targets[i] != l.Target || p[i] != l.Probability {
			t.Errorf("link %d: %s %g, want %s %g", i, targets[i], p[i], l.Target, l.Probability)
		}
	}
	out = r.inferred("base", fmt.Sprintf(`{"inputs":[{"name":"source","shape":[1],"datatype":"BYTES","data":["9"]},`+
		`{"name":"target","shape":[1],"datatype":"BYTES","data":[%q]}]}`, want[1].Target))
	if got := values[float64](t, out["probability"]); math.Abs(got[0]-want[1].Probability) > 1e-6 {
		t.Errorf("a pair: %v, want %g", got, want[1].Probability)
	}
}

// TestAsTrained: runs of all kinds answer as bloom predict does; those that cannot follow a graph that changes say why
// they take no edits.
func TestAsTrained(t *testing.T) {
	for _, c := range []struct {
		recipe string
		fixed  bool
	}{{"gcn", false}, {"stack-laplace", false}, {"attention", false}, {"lp-trained", true}} {
		recipe := c.recipe
		dir := trainedOn(t, recipe, "csbm:nodes=80,features=3", "")
		r := serving(t, Options{}, dir)
		run, err := node.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		p, err := run.Predict()
		if err != nil {
			t.Fatal(err)
		}
		for want := range p.Only([]int32{5}).Each {
			var got Answer
			r.ask("/v1/nodes/n5", "", 200, &got)
			if got.Class != want.Class || got.Probability != want.Probability {
				t.Errorf("%s: %+v, want %+v", recipe, got.Prediction, want)
			}
		}
		r.ask("/v1/nodes/nobody", "", 404, nil)
		var x Explanation
		r.ask("/v1/explain?node=n5", "", 200, &x)
		if x.ID != "n5" || x.Class == "" || len(x.Edges) == 0 || x.Around.Nodes[1].ID != x.Edges[0].Other ||
			x.Breakdown == nil {
			t.Errorf("%s: %+v", recipe, x)
		}
		r.ask("/v1/explain?node=nobody", "", 404, nil)
		var list struct{ Nodes []Answer }
		r.ask("/v1/search?q=n5", "", 200, &list)
		var all struct{ Models []About }
		r.ask("/v1/models", "", 200, &all)
		if len(list.Nodes) != 11 || list.Nodes[0].ID != "n5" || len(all.Models) != 1 ||
			(all.Models[0].Fixed != "") != c.fixed {
			t.Errorf("%s: %+v, %+v", recipe, list.Nodes, all)
		}
		r.editable(recipe, c.fixed)
	}
}

// editable wants a run to take edits, as explanations foresee them, or to refuse them with its name.
func (r running) editable(recipe string, fixed bool) {
	r.Helper()
	status := 200
	if fixed {
		status = 409
	}
	const edits = `"edits":[{"add_node":{"id":"x","features":[1,2,3]}},{"add_edge":["x","n5"]}]`
	var x Explanation
	r.ask("/v1/explain", `{"node":"n5",`+edits+`}`, status, &x)
	var answer struct {
		Error string
		Nodes []Answer
	}
	r.ask("/v1/graph", `{"nodes":["n5"],`+edits+`}`, status, &answer)
	switch {
	case fixed && !strings.Contains(answer.Error, recipe):
		r.Errorf("%s: %q", recipe, answer.Error)
	case recipe == "stack-laplace" && !r.refuses(`{"nodes":["n5"],"edits":[{"set_features":{"id":"n5",`+
		`"features":[3e38,-3e38,3e38]}}]}`):
		r.Errorf("%s: an answer about numbers that are not finite", recipe)
	case !fixed && (answer.Nodes[0].Probability != x.Probability || x.Edges[0].Other == ""):
		r.Errorf("%s: %+v in an explanation, %+v then", recipe, x.Answer, answer.Nodes[0])
	}
}

// refuses reports whether a question is answered by 422.
func (r running) refuses(body string) bool {
	code, _ := r.try("/v1/what-if", body)
	return code == 422
}

// TestNewRows: new rows with their edges are answered as if they were there, and are not there then.
func TestNewRows(t *testing.T) {
	r := serving(t, Options{}, trained(t, "base"))
	out := r.inferred("small", `{"inputs":[{"name":"features","shape":[2,4],"datatype":"FP64","data":[[3,3,3,3],[0,0,-1,0]]},`+
		`{"name":"edge_row","shape":[2],"datatype":"INT64","data":[0,1]},`+
		`{"name":"edge_to","shape":[2],"datatype":"BYTES","data":["n3","n4"]}]}`)
	var if2 struct{ Nodes []Answer }
	r.ask("/v1/what-if", `{"edits":[{"add_node":{"id":"a","features":[3,3,3,3]}},{"add_node":{"id":"b","features":`+
		`[0,0,-1,0]}},{"add_edge":["a","n3"]},{"add_edge":["b","n4"]}],"nodes":["a","b"]}`, 200, &if2)
	for i, class := range values[string](t, out["class"]) {
		if class != if2.Nodes[i].Class {
			t.Errorf("row %d: %s, want %s", i, class, if2.Nodes[i].Class)
		}
	}
	var size struct{ Nodes, Version int }
	if r.ask("/v1/graph", "", 200, &size); size.Nodes != 120 || size.Version != 0 {
		t.Errorf("%+v", size)
	}
	for _, wrong := range []string{
		`{"inputs":[{"name":"features","shape":[1,2],"datatype":"FP64","data":[3,3]}]}`,
		`{"inputs":[{"name":"features","shape":[1,4],"datatype":"FP64","data":[3,3,3,3]},` +
			`{"name":"edge_row","shape":[1],"datatype":"INT64","data":[1]},` +
			`{"name":"edge_to","shape":[1],"datatype":"BYTES","data":["n3"]}]}`,
	} {
		resp, err := http.Post(r.URL+"/v2/models/small/infer", "application/json", strings.NewReader(wrong))
		if err != nil || resp.StatusCode/100 != 4 {
			t.Errorf("%s: %v %v", wrong, resp.StatusCode, err)
		}
	}
}

// TestReload: a run that was trained again takes the place of the old one while others ask and edit: no request fails,
// and no edit is lost.
func TestReload(t *testing.T) {
	dir := trained(t, "base")
	r := serving(t, Options{}, dir)
	var stop atomic.Bool
	var edits atomic.Int64
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			for k := 0; !stop.Load(); k++ {
				const edit = `{"edits":[{"add_node":{"id":"r%d-%d","features":[1,0,0,0]}}]}`
				r.ask("/v1/graph", fmt.Sprintf(edit, i, k), 200, nil)
				edits.Add(1)
				r.ask(fmt.Sprintf("/v1/nodes/r%d-%d", i, k), "", 200, nil)
			}
		})
	}
	var before, after Answer
	r.ask("/v1/nodes/n3", "", 200, &before)
	var done struct{ Replaced []string }
	r.ask("/v1/reload", "{}", 200, &done)
	if len(done.Replaced) != 0 {
		t.Errorf("replaced %v, and nothing was trained", done.Replaced)
	}
	trainAgain(t, dir)
	r.ask("/v1/reload", "{}", 200, &done)
	stop.Store(true)
	wait.Wait()
	r.ask("/v1/nodes/n3", "", 200, &after)
	if len(done.Replaced) != 1 || after.Probability == before.Probability {
		t.Errorf("replaced %v, probability %g before and %g after", done.Replaced, before.Probability,
			after.Probability)
	}
	var size struct{ Nodes, Version int64 }
	r.ask("/v1/graph", "", 200, &size)
	if size.Version != edits.Load() || size.Nodes != 120+edits.Load() {
		t.Errorf("%d edits made version %d with %d nodes", edits.Load(), size.Version, size.Nodes)
	}
}

// trainAgain puts another model of the same data into a run folder.
func trainAgain(t *testing.T, dir string) {
	t.Helper()
	c, d, err := train.Configured(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	c.Train.Epochs, c.Train.Seed = 20, 7
	other := filepath.Join(t.TempDir(), "other")
	if _, err := node.Run(t.Context(), *c, d, node.Options{Options: train.Options{Dir: other}}); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(other)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.IsDir() {
			continue // the checkpoint, which nobody reads
		}
		if err := os.Rename(filepath.Join(other, f.Name()), filepath.Join(dir, f.Name())); err != nil {
			t.Fatal(err)
		}
	}
}
