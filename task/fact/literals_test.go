package fact

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/train"
)

// decided writes facts that literals alone decide: people know who is of the same age within a year, and read the one
// book that is about their craft. Facts are drawn at random, so neither vectors nor paths tell who else is meant.
func decided(t *testing.T) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 7))
	const people, crafts = 140, 7
	var facts [3]strings.Builder
	var numbers, texts strings.Builder
	age, craft := make([]int, people), make([]int, people)
	for i := range people {
		age[i], craft[i] = i/4+1900, rng.IntN(crafts)
		fmt.Fprintf(&numbers, "p%d\tborn\t\"%d-01-01\"^^<date>\n", i, age[i])
		fmt.Fprintf(&texts, "p%d\tperson number %d who works as craft%d\n", i, i, craft[i])
	}
	for i := range 4 * crafts {
		fmt.Fprintf(&texts, "b%d\ta book for every craft%d volume%d\n", i, i%crafts, i)
	}
	for i := range people {
		for j := range people {
			if i != j && max(age[i]-age[j], age[j]-age[i]) <= 1 && rng.IntN(2) == 0 {
				fmt.Fprintf(&facts[rng.IntN(8)/6], "p%d\tknows\tp%d\n", i, j)
			}
		}
		fmt.Fprintf(&facts[rng.IntN(8)/6], "p%d\treads\tb%d\n", i, craft[i]+crafts*rng.IntN(4))
	}
	held := strings.SplitAfter(facts[1].String(), "\n")
	rng.Shuffle(len(held)-1, func(i, j int) { held[i], held[j] = held[j], held[i] })
	dir := filepath.Join(t.TempDir(), "decided")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	half := len(held) / 2
	for name, text := range map[string]string{"train.txt": facts[0].String(),
		"valid.txt": strings.Join(held[:half], ""), "test.txt": strings.Join(held[half:], ""),
		"literals.tsv": numbers.String(), "entity2text.txt": texts.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestLiterals: where numbers and texts decide, models of every family rank better with them than without, by what
// validation says, and a run that is opened again answers as before.
func TestLiterals(t *testing.T) {
	dir := decided(t)
	for recipe, set := range map[string][]string{
		"complex":          {"train.epochs=10", "model.hidden=16"},
		"distmult-bilevel": {"train.epochs=2", "model.hidden=16"},
		"path":             {"train.epochs=1", "model.hidden=8", "model.layers=2"},
		"zero":             {"train.epochs=1", "model.weights=none", "model.hidden=8", "model.layers=2"},
	} {
		t.Run(recipe, func(t *testing.T) {
			c, d := opened(t, recipe, dir, set...)
			if d.Literals != 1 || d.Features[0].Rows != d.Graph.NumNodes() || d.Features[0].Cols < 7 {
				t.Fatalf("%d numbers, features %d×%d", d.Literals, d.Features[0].Rows, d.Features[0].Cols)
			}
			out := filepath.Join(t.TempDir(), "run")
			r, err := Run(context.Background(), c, d, Options{Options: train.Options{Dir: out}})
			if err != nil {
				t.Fatal(err)
			}
			plain := *d
			plain.Features = nil
			without, err := Run(context.Background(), c, &plain, Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("MRR %.3f with, %.3f without literals; %+v", r.Ranking.MRR, without.Ranking.MRR, *r.Literals)
			if r.Literals.Factor == 0 || r.Ranking.MRR < without.Ranking.MRR+0.02 || without.Literals != nil {
				t.Errorf("MRR %.3f with, %.3f without", r.Ranking.MRR, without.Ranking.MRR)
			}
			again, err := Open(out)
			if err != nil {
				t.Fatal(err)
			}
			ask := Question{Head: "p60", Relation: "reads"}
			a, err := Of(r).Ask(ask, 3, false)
			if err != nil {
				t.Fatal(err)
			}
			b, err := again.Ask(ask, 3, false)
			if err != nil || len(b) != 3 || a[0].Entity != b[0].Entity || a[0].Score != b[0].Score {
				t.Errorf("%+v, opened again %+v, error %v", a, b, err)
			}
			e, err := again.Explain(Fact{Head: "p60", Relation: "reads", Tail: b[0].Entity}, 3)
			if err != nil || e.Literals == 0 {
				t.Errorf("%+v, error %v", e, err)
			}
		})
	}
}

// TestOddLiterals: what cannot be read as a number is an error with its place, and what is about nothing is counted.
func TestOddLiterals(t *testing.T) {
	const facts = "a r b\nb r c\nc r a\n"
	dir := folderOf(t, map[string]string{"train.txt": facts, "literals.tsv": "a age 30\na size much\n"})
	if _, err := catalogue.Open(dir); err == nil || !strings.Contains(err.Error(), "literals.tsv:2") {
		t.Errorf("%v", err)
	}
	dir = folderOf(t, map[string]string{"train.txt": facts, "literals.tsv": "a age 30\nzoe age 40\nb age 10\n"})
	d, err := catalogue.Open(dir)
	if err != nil || !strings.Contains(strings.Join(d.Notes, " "), "1 numbers and texts are about entities that no") {
		t.Fatalf("%v, %v", d, err)
	}
	x := d.Features[0]
	if a, _ := numberOf(x, 0, 0); x.Cols != 1 || len(x.Idx) != 2 || a != 1 {
		t.Errorf("%+v", x)
	}
}
