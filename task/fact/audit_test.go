package fact

import (
	"context"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// plant adds false facts to the training graph of d, a share of its number of facts: relations as frequent as they are,
// with any two entities. They are returned by names.
func plant(t testing.TB, d *dataset.Dataset, share float64, seed uint64) (*dataset.Dataset, map[string]bool) {
	t.Helper()
	facts := d.Graph.Triples()
	n, nodes, have := len(facts), uint64(d.Graph.NumNodes()), map[graph.Triple]bool{}
	for _, f := range slices.Concat(facts, d.Valid, d.Test) {
		have[f] = true
	}
	lies := map[string]bool{}
	for i := uint64(0); len(lies) < int(share*float64(n)); i++ {
		f := graph.Triple{U: int32(mat.Mix(seed, 3*i) % nodes), R: facts[mat.Mix(seed, 3*i+1)%uint64(n)].R,
			V: int32(mat.Mix(seed, 3*i+2) % nodes)}
		if f.U != f.V && !have[f] {
			have[f] = true
			facts = append(facts, f)
			lies[Suspect{Head: d.IDs.At(f.U), Relation: d.RelationName(f.R), Tail: d.IDs.At(f.V)}.String()] = true
		}
	}
	g, err := graph.Build(graph.Spec{Nodes: d.Graph.NumNodes(), Relations: d.Graph.NumRelations(), Triples: facts})
	if err != nil {
		t.Fatal(err)
	}
	spoilt := *d
	spoilt.Graph = g
	return &spoilt, lies
}

// precision is the share of planted facts among the first len(planted) of an audit.
func precision(a *Audit, planted map[string]bool) float64 {
	found := 0
	for _, f := range a.Facts[:len(planted)] {
		if planted[f.String()] {
			found++
		}
	}
	return float64(found) / float64(len(planted))
}

// calibrationError returns the calibration error of probabilities of training facts, where planted ones count as much
// as all others.
func calibrationError(a *Audit, planted map[string]bool) float64 {
	n := 0
	for _, f := range a.Facts {
		if f.Part == "train" {
			n++
		}
	}
	var p, yes [10]float64
	for _, f := range a.Facts {
		if f.Part != "train" {
			continue
		}
		bin, w, is := min(9, int(10*f.Probability)), 0.5/float64(n-len(planted)), 1.0
		if planted[f.String()] {
			w, is = 0.5/float64(len(planted)), 0
		}
		p[bin], yes[bin] = p[bin]+w*f.Probability, yes[bin]+w*is
	}
	sum := 0.0
	for i := range p {
		sum += math.Abs(p[i] - yes[i])
	}
	return sum
}

// TestAuditFinds: 5 % false facts are among the most suspicious ones much more often than chance would have them there.
func TestAuditFinds(t *testing.T) {
	for _, x := range []struct {
		recipe, data string
		set          []string
		least        float64 // about two thirds of what was measured; chance is 0.05
	}{
		{"complex", "family:families=4,twin=0", []string{"model.hidden=32", "train.epochs=25"}, 0.5},
		{"complex-bilevel", kin, []string{"model.hidden=8", "train.epochs=4"}, 0.3},
		{"path", kin, []string{"train.epochs=3", "model.hidden=8", "model.layers=3"}, 0.3},
		{"refactor", kin, []string{"model.hidden=8", "train.epochs=24"}, 0.1},
	} {
		t.Run(x.recipe+"-"+x.data, func(t *testing.T) {
			c, clean := opened(t, x.recipe, x.data, x.set...)
			d, planted := plant(t, clean, 0.05, 5)
			r, err := Run(context.Background(), c, d, Options{Untested: true})
			if err != nil {
				t.Fatal(err)
			}
			a, err := Of(r).Audit(context.Background(), AuditOptions{})
			if err != nil {
				t.Fatal(err)
			}
			got := precision(a, planted)
			off := calibrationError(a, planted)
			t.Logf("seed 5: of %d planted among %d facts %.1f %% are found, calibration error %.3f", len(planted),
				len(a.Facts), 100*got, off)
			if off > 0.25 { // 0.5 for probabilities that are all wrong
				t.Errorf("calibration error %.3f", off)
			}
			if got < x.least {
				t.Errorf("precision %.3f, want %.3f", got, x.least)
			}
			if len(a.Facts) != d.Graph.NumEdges()+len(d.Valid) {
				t.Errorf("%d facts of %d are judged", len(a.Facts), d.Graph.NumEdges()+len(d.Valid))
			}
		})
	}
}

// TestAuditSample: some facts of both parts are judged, each once, with ranks that are possible.
func TestAuditSample(t *testing.T) {
	c, d := opened(t, "distmult", kin, "train.epochs=2", "model.hidden=8")
	r, err := Run(context.Background(), c, d, Options{Untested: true})
	if err != nil {
		t.Fatal(err)
	}
	a, err := Of(r).Audit(context.Background(), AuditOptions{Sample: 40})
	if err != nil {
		t.Fatal(err)
	}
	seen, parts, sum := map[string]bool{}, map[string]int{}, 0
	for i, f := range a.Facts {
		seen[f.String()], parts[f.Part] = true, parts[f.Part]+1
		if f.Rank != i+1 || f.TailRank < 1 || f.HeadRank < 1 || f.TailRank > float64(d.Graph.NumNodes()) || i > 0 &&
			f.Suspicion > a.Facts[i-1].Suspicion {
			t.Errorf("%+v", f)
		}
	}
	for _, s := range a.Relations {
		sum += s.Flagged
		if s.Share != float64(s.Flagged)/float64(s.Facts) {
			t.Errorf("%+v", s)
		}
	}
	if len(seen) != 40 || parts["train"] < 30 || parts["valid"] < 1 || sum != a.Flagged || a.Flagged != 2 {
		t.Errorf("%d different facts, %v, %d flagged of %d", len(seen), parts, sum, a.Flagged)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := Of(r).Audit(ctx, AuditOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestSuspicions: the formula, by hand. Of one relation the mean is drawn to that of all by five facts.
func TestSuspicions(t *testing.T) {
	rank := func(n int) metric.Ranking { return metric.Ranking{Greater: n - 1, Negatives: 100} }
	list := suspicions([]metric.Ranked{{Fact: graph.Triple{R: 0}, Tail: rank(10), Head: rank(1)},
		{Fact: graph.Triple{R: 1}, Tail: rank(1), Head: rank(1)}}, 2)
	all := math.Log(10) / 2
	for i, want := range []float64{(math.Log(10) - (math.Log(10)+5*all)/6) / 2, (0 - 5*all/6) / 2} {
		if math.Abs(list[i]-want) > 1e-12 {
			t.Errorf("fact %d: %v, want %v", i, list[i], want)
		}
	}
}

// TestFolds: every fact is withheld once, together with its copies, and nothing else is.
func TestFolds(t *testing.T) {
	_, d := opened(t, "distmult", kin)
	facts := d.Graph.Triples()
	asked := facts[10:60]
	var all []graph.Triple
	err := inFolds(context.Background(), d, asked, 3, func(rest *dataset.Dataset, part []graph.Triple) error {
		all = append(all, part...)
		for _, f := range rest.Graph.Triples() {
			if slices.Contains(part, f) {
				t.Errorf("%v is withheld and there", f)
			}
		}
		if n := rest.Graph.NumEdges() + len(part); n != len(facts) || len(part) == 0 {
			t.Errorf("%d of %d facts", n, len(facts))
		}
		return nil
	})
	if err != nil || len(all) != len(asked) {
		t.Errorf("%d of %d facts are withheld, error %v", len(all), len(asked), err)
	}
}

// TestAuditFile: what is written is read again.
func TestAuditFile(t *testing.T) {
	a := &Audit{Facts: []Suspect{{Head: "ann", Relation: "parent_of", Tail: "Bob, the elder", Part: "train",
		TailRank: 3, HeadRank: 1.5, Suspicion: 0.25, Probability: 0.75},
		{Head: "cat", Relation: "spouse_of", Tail: "dan", Part: "valid", TailRank: 1, HeadRank: 1, Suspicion: -1}}}
	a.sort()
	var text strings.Builder
	if err := a.WriteCSV(&text); err != nil {
		t.Fatal(err)
	}
	b, err := ReadAudit("audit.csv", strings.NewReader(text.String()))
	if err != nil || !slices.Equal(a.Facts, b.Facts) || !slices.Equal(a.Relations, b.Relations) || b.Flagged != 1 {
		t.Errorf("%+v, error %v", b, err)
	}
	for _, bad := range []string{"", "rank,head\n", strings.Replace(text.String(), ",3,", ",0,", 1),
		strings.Replace(text.String(), "0.25", "NaN", 1), text.String() + "1,2\n"} {
		var place *files.Error
		if _, err := ReadAudit("audit.csv", strings.NewReader(bad)); !errors.As(err, &place) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func FuzzReadAudit(f *testing.F) {
	f.Add("rank,head,relation,tail,part,tail_rank,head_rank,suspicion,probability\n" +
		"1,ann,knows,bob,train,3,1.5,0.25,0.5\n")
	f.Add("rank,head\n")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ReadAudit("fuzz", strings.NewReader(text))
		if err != nil {
			return
		}
		var out strings.Builder
		if err := a.WriteCSV(&out); err != nil {
			t.Fatal(err)
		}
		if b, err := ReadAudit("fuzz", strings.NewReader(out.String())); err != nil || len(b.Facts) != len(a.Facts) {
			t.Errorf("what was read and written is not read again: %v", err)
		}
	})
}

// BenchmarkAudit measures an audit with the settings of complex, and what it finds of 5 % false facts, in per cent:
// found, and told for ranks of facts that the model was told about. Data that is not here is skipped.
func BenchmarkAudit(b *testing.B) {
	for _, data := range []string{"family:families=6", "fb237_v1", "WN18RR_v1"} {
		b.Run(data, func(b *testing.B) {
			if os.Getenv("BLOOM_DATA") == "" && !strings.HasPrefix(data, "family") {
				b.Skip("BLOOM_DATA is not set")
			}
			c, clean := opened(b, "complex", data)
			d, planted := plant(b, clean, 0.05, 5)
			r, err := Run(context.Background(), c, d, Options{Untested: true})
			if err != nil {
				b.Fatal(err)
			}
			var a *Audit
			for b.Loop() {
				if a, err = Of(r).Audit(context.Background(), AuditOptions{}); err != nil {
					b.Fatal(err)
				}
			}
			ranked, err := Of(r).model.rank(context.Background(), d, d.Graph.Triples(), metric.Full)
			if err != nil {
				b.Fatal(err)
			}
			told := &Audit{}
			told.add(d, "train", ranked, learned(examples(ranked, true), d.Graph.NumRelations()))
			told.sort()
			b.ReportMetric(100*precision(a, planted), "%found")
			b.ReportMetric(100*calibrationError(a, planted), "%ECE")
			b.ReportMetric(100*precision(told, planted), "%told")
		})
	}
}
