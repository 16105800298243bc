package fact

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/train"
)

// folderOf writes files of facts, whose columns are between spaces here, and returns their folder.
func folderOf(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "facts")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.ReplaceAll(text, " ", "\t")),
			0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestOddData: what is odd about the data is told, and counted facts are ranked nonetheless.
func TestOddData(t *testing.T) {
	const plain = "a r b\nb r c\nc s a\nd r a\n"
	for _, x := range []struct {
		name  string
		files map[string]string
		want  []string // of the warnings
		facts int      // ranked
	}{
		{"unseen entity", map[string]string{"train.txt": plain, "valid.txt": "a s c\n", "test.txt": "a r new\nb s a\n"},
			[]string{"1 of 2 test triples have an entity that is in no training triple",
				"1 of 2 test facts name an entity that no known fact is about; they are ranked"}, 2},
		{"relation without facts", map[string]string{"train.txt": plain, "valid.txt": "a s c\n",
			"test.txt": "a idle b\n"},
			[]string{"1 of 3 relations have no training facts, so nothing is learnt about them: idle"}, 1},
		{"repeated facts", map[string]string{"train.txt": plain + "a r b\n", "valid.txt": "a r b\n",
			"test.txt": "c s a\n"},
			[]string{"1 train triples repeat", "1 of 1 valid triples are in train too",
				"1 of 1 test triples are in train too"}, 1},
		{"no test facts", map[string]string{"train.txt": plain, "valid.txt": "a s c\n"},
			[]string{"no test facts", "There is no test.txt"}, 0},
	} {
		for _, recipe := range []string{"distmult", "transe-bilevel", "path", "refactor"} {
			set := []string{"train.epochs=2", "model.hidden=4"}
			c, d := opened(t, recipe, folderOf(t, x.files), set...)
			r, err := Run(context.Background(), c, d,
				Options{Options: train.Options{Dir: filepath.Join(t.TempDir(), "run")}})
			if err != nil {
				t.Fatalf("%s, %s: %v", x.name, recipe, err)
			}
			all := strings.Join(slices.Concat(r.Warnings, r.Notes), "\n")
			for _, want := range x.want {
				if !strings.Contains(all, want) {
					t.Errorf("%s, %s: no %q in\n%s", x.name, recipe, want, all)
				}
			}
			if r.Ranking.Facts != x.facts {
				t.Errorf("%s, %s: %d facts ranked, want %d", x.name, recipe, r.Ranking.Facts, x.facts)
			}
		}
	}
}

// TestBadData: what cannot be trained on is turned down with a reason.
func TestBadData(t *testing.T) {
	for _, x := range []struct {
		name, recipe string
		data         string
		set          []string
		want         string
	}{
		{"one entity", "distmult", folderOf(t, map[string]string{"train.txt": "a r a\n", "test.txt": "a r a\n"}), nil,
			"it has only one entity"},
		{"classes of nodes", "distmult", "karate", nil,
			"it has no facts to predict, and distmult is for knowledge graphs"},
		{"a recipe for nodes", "base", kin, nil, `recipe: "base": want a recipe for knowledge graphs`},
		{"an odd width", "complex", kin, []string{"model.hidden=7"}, `model.hidden: "7": want an even number: complex`},
		{"an odd width of paths", "path", kin, []string{"model.hidden=7", "link.message=rotate"},
			`model.hidden: "7": want an even number`},
		{"an energy", "distmult", kin, []string{"energy.f.term=laplace"}, "energy.f.term"},
	} {
		c, d := opened(t, x.recipe, x.data, x.set...)
		_, err := Run(context.Background(), c, d, Options{})
		var data *train.BadData
		var setting *train.BadSetting
		if !errors.As(err, &data) && !errors.As(err, &setting) || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want %q", x.name, err, x.want)
		}
	}
}

// TestAsk: names are found in the graph that has them, known facts are marked and left out on demand.
func TestAsk(t *testing.T) {
	c, d := opened(t, "path", kin, "train.epochs=2", "model.hidden=8", "model.layers=3")
	r, err := Run(context.Background(), c, d, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, on := range []*dataset.Dataset{d, d.Twin} {
		f := on.Graph.Edge(0)
		head, relation, tail := on.IDs.At(f.U), on.Relations[f.R], on.IDs.At(f.V)
		for _, q := range []Question{{Head: head, Relation: relation}, {Relation: relation, Tail: tail}} {
			all, err := Of(r).Ask(q, on.Graph.NumNodes(), false)
			if err != nil || len(all) != on.Graph.NumNodes() {
				t.Fatalf("%v: %d answers, error %v", q, len(all), err)
			}
			known, ways := 0, 0
			for _, a := range all {
				if a.Known {
					known++
				}
				ways += len(a.Paths)
			}
			fresh, err := Of(r).Ask(q, on.Graph.NumNodes(), true)
			if err != nil || known == 0 || ways == 0 || len(fresh) != len(all)-known {
				t.Errorf("%v: %d of %d known, %d without them, %d paths, error %v", q, known, len(all), len(fresh),
					ways, err)
			}
		}
	}
	var unknown *keys.Unknown
	if _, err := Of(r).Ask(Question{Head: "nobody at all", Relation: "parent_of"}, 3, false); !errors.As(err,
		&unknown) || unknown.Kind != "entity" {
		t.Errorf("%v", err)
	}
	if _, err := Of(r).Ask(Question{Head: "nobody", Relation: "parent"}, 3, false); !errors.As(err,
		&unknown) || unknown.Kind != "relation" || unknown.Near[0] != "parent_of" {
		t.Errorf("%v", err)
	}
	if _, _, err := Of(r).Add(nil, Settle{}); err == nil ||
		!strings.Contains(err.Error(), "learns relations but no entities") {
		t.Errorf("%v", err)
	}
}

// TestAdd: new entities stand where their facts put them, old ones stay, and the saved model knows them.
func TestAdd(t *testing.T) {
	c, d := opened(t, "distmult", kin, "train.epochs=8")
	r, err := Run(context.Background(), c, d, Options{})
	if err != nil {
		t.Fatal(err)
	}
	before := Of(r).model.(embedding).H.Value().Slice()
	parent := d.IDs.At(d.Graph.Edge(0).U)
	now, added, err := Of(r).Add([]Fact{{Head: parent, Relation: "parent_of", Tail: "Zoe"},
		{Head: "Zoe", Relation: "sibling_of", Tail: "Zac"}}, Settle{L: 20})
	if err != nil || len(added.Newcomers) != 2 || added.Newcomers[0].Facts != 2 ||
		!(added.Newcomers[0].Rank < 10) {
		t.Fatalf("%+v, error %v", added, err)
	}
	after := now.model.(embedding).H.Value().Slice()
	if !reflect.DeepEqual(before, after[:len(before)]) {
		t.Error("an old entity has moved")
	}
	dir := filepath.Join(t.TempDir(), "more")
	if err := now.Save(dir, added); err != nil {
		t.Fatal(err)
	}
	again, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	q := Question{Head: "Zoe", Relation: "sibling_of"}
	want, err1 := now.Ask(q, 5, false)
	got, err2 := again.Ask(q, 5, false)
	if err1 != nil || err2 != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the saved model answers %v (%v), the one in memory %v (%v)", got, err2, want, err1)
	}
	var unknown *keys.Unknown
	if _, _, err := now.Add([]Fact{{Head: "Zoe", Relation: "siblingof", Tail: "Zed"}},
		Settle{}); !errors.As(err, &unknown) || unknown.Near[0] != "sibling_of" {
		t.Errorf("%v", err)
	}
}
