package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/task/kinds"
	"github.com/bloomgml/bloom/train"
	"github.com/bloomgml/bloom/upper"
)

// withGraphs makes the test binary the program with a fourth task, which this line adds.
const withGraphs = "graphs"

func addGraphs() { kinds.Add(graphs{}) }

// graphs is a task that only this test has: classes of whole graphs, the components of a data set, by the mean of the
// rows (1, degree, degree²) of their nodes.
type graphs struct{}

var _ task.Kind = graphs{}

func (graphs) Name() string              { return "graph" }
func (graphs) Task() string              { return "graphs" }
func (graphs) Has(c *config.Config) bool { return c.Task == "graphs" }
func (graphs) About() string             { return "classes of graphs" }
func (graphs) Takes(string) bool         { return false }

// wholes is the job and the open run: graph g has the class of its first node, and z = pool·rows·w, n×k.
type wholes struct {
	*train.Pass
	data  *dataset.Dataset
	first []int32 // the first node of every graph
	class []int32
	w     *ad.Param
	z     ad.Var
}

func newWholes(d *dataset.Dataset) (*wholes, error) {
	g := d.Graph
	n := g.NumNodes()
	of, degree := make([]int32, n), make([]mat.Real, n)
	for v := range of {
		of[v] = int32(v)
	}
	for range n { // the smallest node of a component spreads
		for e := range g.NumEdges() {
			t := g.Edge(int32(e))
			of[t.U], of[t.V] = min(of[t.U], of[t.V]), min(of[t.U], of[t.V])
		}
	}
	for e := range g.NumEdges() {
		degree[g.Edge(int32(e)).U]++
	}
	x := &wholes{data: d, first: slices.Compact(slices.Sorted(slices.Values(of)))}
	rows, pool := make([]mat.Real, 3*n), make([]mat.Real, n*len(x.first))
	for v, u := range of {
		i, _ := slices.BinarySearch(x.first, u)
		copy(rows[3*v:], []mat.Real{1, degree[v], degree[v] * degree[v] / 10})
		pool[i*n+v] = 1
	}
	for i, v := range x.first {
		size := mat.Real(0)
		for _, p := range pool[i*n : (i+1)*n] {
			size += p
		}
		for u := range n {
			pool[i*n+u] /= size
		}
		x.class = append(x.class, d.Labels.Class[v])
	}
	k := len(d.Labels.Names)
	x.w = ad.NewParam("w", mat.New(3, k))
	pooled := ad.Const(mat.FromSlice(len(x.first), n, pool)).MatMul(ad.Const(mat.FromSlice(n, 3, rows)))
	x.z = pooled.MatMul(x.w.Var)
	class, err := mat.NewIndex(x.class, k)
	if err != nil {
		return nil, err
	}
	pick, err := mat.NewIndex(x.part(0), len(x.first))
	if err != nil {
		return nil, err
	}
	x.Pass, err = train.NewPass(nil, 1, x.Params(), func(input.Context) (ad.Var, error) {
		return upper.CrossEntropy.Of(x.z, upper.Target{Class: class, Pick: pick}), nil
	})
	return x, err
}

// part are the graphs that train (0, 1), validate (2) or test (3).
func (x *wholes) part(k int) (list []int32) {
	for i := range x.first {
		if i%4 == k || k == 0 && i%4 == 1 {
			list = append(list, int32(i))
		}
	}
	return list
}

func (x *wholes) Params() []*ad.Param      { return []*ad.Param{x.w} }
func (x *wholes) State() []*ad.Param       { return nil }
func (x *wholes) Batches() int             { return 1 }
func (x *wholes) Batch(epoch, _ int) error { return x.Run(epoch, uint64(epoch)) }
func (x *wholes) Metric() string           { return "accuracy" }

// answers are the classes of all graphs, with their probabilities.
func (x *wholes) answers() (class []int32, p []float64) {
	for row := range slices.Chunk(ad.Eval(x.z.Softmax()).Slice(), len(x.data.Labels.Names)) {
		best := slices.Max(row)
		class, p = append(class, int32(slices.Index(row, best))), append(p, float64(best))
	}
	return class, p
}

func (x *wholes) Measure(context.Context) (train.Scores, error) {
	class, _ := x.answers()
	accuracy := func(part []int32) float64 {
		right := 0
		for _, i := range part {
			if class[i] == x.class[i] {
				right++
			}
		}
		return float64(right) / float64(len(part))
	}
	return train.Scores{Train: accuracy(x.part(0)), Valid: accuracy(x.part(2)), Test: accuracy(x.part(3)),
		Start: math.NaN(), End: math.NaN()}, nil
}

func (x *wholes) Finish(ctx context.Context, best train.Record) (valid, test float64, err error) {
	s, err := x.Measure(ctx)
	return best.Valid, s.Test, err
}

func (x *wholes) Write(w io.Writer, _ int) error { return train.WriteWeights(w, nil, x.Params()) }
func (x *wholes) WritePredictions(w io.Writer) error {
	return x.Predict(&task.Request{Write: func(f func(io.Writer) error) error { return f(w) }})
}
func (x *wholes) Describe(r *train.Result)      { r.Data = x.data.Name }
func (x *wholes) Card(*train.Result) train.Card { return train.Card{Task: "graph-classification"} }
func (x *wholes) Embed(q *task.Request) error   { return q.Embeddings(x.w.Value(), x.data.NodeName) }
func (x *wholes) Explain(*task.Request) error   { return task.Usage("graphs are not explained") }
func (x *wholes) Audit(*task.Request) error     { return task.Usage("graphs are not audited") }
func (x *wholes) Add(*task.Request) error       { return task.Usage("no graphs are added") }
func (x *wholes) Predict(q *task.Request) error {
	class, p := x.answers()
	return task.Rows(q, []string{"graph", "class", "probability"}, slices.Values(x.first), func(v int32) []string {
		i, _ := slices.BinarySearch(x.first, v)
		return []string{x.data.NodeName(v), x.data.Labels.Names[class[i]], task.Decimal(p[i])}
	})
}

// Over HTTP, a graph is named by its first node.
func (x *wholes) Inputs() []task.Tensor {
	return []task.Tensor{{Name: "graph", Shape: []int64{-1}, Datatype: "BYTES"}}
}

func (x *wholes) Outputs() []task.Tensor {
	return []task.Tensor{{Name: "class", Shape: []int64{-1}, Datatype: "BYTES"}}
}

func (x *wholes) Infer(_ context.Context, q task.Question) ([]task.Tensor, error) {
	ids, err := q.Strings("graph")
	if err != nil {
		return nil, err
	}
	class, _ := x.answers()
	var names []string
	for _, id := range ids {
		i := slices.IndexFunc(x.first, func(v int32) bool { return x.data.NodeName(v) == id })
		if i < 0 {
			return nil, &task.Missing{Err: fmt.Errorf("there is no graph %q", id)}
		}
		names = append(names, x.data.Labels.Names[class[i]])
	}
	return task.Filled(task.Column{Name: "class", Datatype: "BYTES", Shape: []int64{int64(len(ids))}, Data: names})
}

func (graphs) Train(ctx context.Context, c config.Config, d *dataset.Dataset, o train.Options) (*train.Result, error) {
	o.Data = d
	build := func(train.Trial) (train.Job, error) { return newWholes(d) }
	return train.Run(ctx, c, []train.Trial{{Seed: c.Train.Seed}}, build, o)
}

func (k graphs) Try(ctx context.Context, c config.Config, d *dataset.Dataset, told func(train.Event)) (float64, error) {
	r, err := k.Train(ctx, c, d, train.Options{Progress: told})
	if err != nil {
		return 0, err
	}
	return r.Valid.Mean, nil
}

func (graphs) Check(config.Config, *dataset.Dataset) (string, error) { return "accuracy", nil }

func (graphs) Estimate(ctx context.Context, c config.Config, d *dataset.Dataset, _ task.Ended) (*train.Estimate, int,
	error) {
	e, err := train.NewEstimate(ctx, c, func() (train.Job, error) { return newWholes(d) }, time.Millisecond)
	return e, int(host.Peak()), err
}

func (k graphs) Epoch(ctx context.Context, c config.Config, d *dataset.Dataset, _ time.Duration) (float64, error) {
	e, _, err := k.Estimate(ctx, c, d, nil)
	if err != nil {
		return 0, err
	}
	return e.Epoch, nil
}

func (graphs) Open(dir string, _ config.Config, d *dataset.Dataset) (task.Run, error) {
	x, err := newWholes(d)
	if err != nil {
		return nil, err
	}
	w, err := train.ReadWeights(dir)
	if err != nil {
		return nil, err
	}
	return x, w.Set(x.Params())
}

func (graphs) Size(_ *config.Config, d *dataset.Dataset) []string {
	x, err := newWholes(d)
	if err != nil {
		return nil
	}
	return []string{fmt.Sprintf("%d graphs", len(x.first))}
}

func (graphs) Note(e train.Event) string { return task.LossAndValid(e) }
func (graphs) Meaning(r *train.Result, good func(string) string) string {
	return good("Graphs are told apart.")
}
func (graphs) Details(*train.Result) string                  { return "" }
func (graphs) Evidence(*train.Result) string                 { return "" }
func (graphs) Headline(r *train.Result) string               { return task.Headline(r, "graphs", "") }
func (graphs) Next(_ *config.Config, r *train.Result) string { return "bloom predict " + r.Run }

// ringsAndStars writes tables of 40 graphs of 4 to 8 nodes: rings and stars.
func ringsAndStars(t *testing.T) {
	t.Helper()
	nodes, edges := "id,x,shape\n", "source,target\n"
	for g := range 40 {
		n, shape := 4+g%5, []string{"ring", "star"}[g/4%2]
		for v := range n {
			nodes += fmt.Sprintf("g%dn%d,%d,%s\n", g, v, v%3, shape)
			to := (v + 1) % n
			if shape == "star" {
				to = 0
			}
			if to != v {
				edges += fmt.Sprintf("g%dn%d,g%dn%d\n", g, v, g, to)
			}
		}
	}
	for name, text := range map[string]string{"nodes.csv": nodes, "edges.csv": edges} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// fourth runs the program that has the fourth task.
func fourth(t *testing.T, line string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], strings.Fields(line)...)
	cmd.Env = append(os.Environ(), asProgram+"="+withGraphs)
	var text strings.Builder
	cmd.Stderr = &text
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("bloom %s: %v: %s", line, err, &text)
	}
	return string(out) + text.String()
}

// TestFourthTask: a task of one package and one line, that of addGraphs, is estimated, trained, goes on, is predicted,
// embedded, served and has its page, by the commands as they are. Without the line its word is refused.
func TestFourthTask(t *testing.T) {
	t.Chdir(t.TempDir())
	ringsAndStars(t)
	done(t, "data import --nodes nodes.csv --edges edges.csv --label shape --out shapes.bloom")
	const what = " --data shapes.bloom --task graphs --recipe base --set train.rate=0.1 --set train.epochs=60"
	if _, text, code := bloom(t, strings.Fields("train"+what)...); code == exitDone || !strings.Contains(text,
		"graphs") {
		t.Errorf("without the line: exit %d, %s", code, text)
	}
	for line, want := range map[string]string{
		"estimate" + what: "params   6\n", "train" + what + " --out run": "test accuracy 1.0000",
	} {
		if got := fourth(t, line); !strings.Contains(got, want) || !strings.Contains(got, "40 graphs") {
			t.Errorf("%s: %s", line, got)
		}
	}
	for line, want := range map[string]string{
		"train --resume run --epochs +1": "Graphs are told apart.", "predict run": "\ng4n0,star,",
		"embed run": "id,h0,h1\n", "report run": "run/report.html",
	} {
		if got := fourth(t, line); !strings.Contains(got, want) {
			t.Errorf("%s: %s", line, got)
		}
	}
	page, err := os.ReadFile("run/report.html")
	for _, want := range []string{"base on shapes", "Validation accuracy", "Training loss", "task: graphs"} {
		if err != nil || !strings.Contains(string(page), want) {
			t.Errorf("the page has no %q, %v", want, err)
		}
	}
	serveGraphs(t)
}

// serveGraphs asks the run over HTTP.
func serveGraphs(t *testing.T) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "serve", "run", "--addr", "127.0.0.1"+":0")
	cmd.Env = append(os.Environ(), asProgram+"="+withGraphs)
	var said notes
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	at := regexp.MustCompile(`run is at (\S+)`)
	for range 200 {
		if at.MatchString(said.String()) {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	found := at.FindStringSubmatch(said.String())
	if found == nil {
		t.Fatalf("no address: %s", &said)
	}
	for id, want := range map[string]string{"g4n0": `"data":["star"]`, "g0n0": `"data":["ring"]`,
		"g0n1": "there is no graph"} {
		body, _ := json.Marshal(map[string]any{"inputs": []task.Tensor{{Name: "graph", Shape: []int64{1},
			Datatype: "BYTES", Data: fmt.Appendf(nil, "[%q]", id)}}})
		resp, err := http.Post(found[1]+"/infer", "application/json", strings.NewReader(string(body)))
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if !strings.Contains(string(text), want) {
			t.Errorf("%s: %d %s", id, resp.StatusCode, text)
		}
	}
}
