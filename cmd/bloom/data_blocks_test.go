package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/native"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/mat"
)

// TestDataBlocks types the examples of bloom data blocks, with tables of its own for the last of them, and reads what
// they leave.
func TestDataBlocks(t *testing.T) {
	t.Chdir(t.TempDir())
	people := rowsOf(12, func(i int) string { return fmt.Sprintf("u%d,%d,%s\n", i, 20+i, []string{"ops", "dev"}[i%2]) })
	follows := func(by int) string {
		return "source,target\n" + rowsOf(12, func(i int) string { return fmt.Sprintf("u%d,u%d\n", i, (i+by)%12) })
	}
	for name, text := range map[string]string{"people.csv": "id,age,dept\n" + people, "follows-1.csv": follows(1),
		"follows-2.csv": follows(5)} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range strings.Split(newDataBlocks().Example, "\n") {
		args := strings.Fields(strings.ReplaceAll(line, "'", ""))
		if _, text, code := bloom(t, args[1:]...); code != exitDone {
			t.Fatalf("%s: exit %d, %s", line, code, text)
		}
	}
	for _, c := range []struct{ set, want string }{{"big.bloom", "2,000"}, {"karate.bloom", "34"},
		{"team.bloom", "12"}} {
		if out, text, code := bloom(t, "data", "info", c.set); code != exitDone || !strings.Contains(out, c.want) {
			t.Errorf("%s: exit %d, %s%s, want %s nodes", c.set, code, out, text, c.want)
		}
	}
}

// TestTypedBlocks writes a graph with types and relations in blocks, trains on it in memory, and hears that it cannot
// stay on the disk.
func TestTypedBlocks(t *testing.T) {
	t.Chdir(t.TempDir())
	spec := graph.Spec{Nodes: 60, Relations: 2, Types: 2}
	d := &dataset.Dataset{Name: "typed", Types: []string{"paper", "author"}, Relations: []string{"by", "cites"},
		Features: []dataset.Matrix{{Cols: 2}, {}}, Splits: make([]dataset.Split, 1),
		Labels: dataset.Labels{Names: []string{"a", "b"}}}
	for v := range int32(60) {
		kind, class := v/30, int32(-1)
		if kind == 0 {
			class = v % 2
			d.Features[0].AppendRow([]mat.Real{mat.Real(class), 1})
			ondisk.Part(1+v/10).AddTo(&d.Splits[0], v)
		}
		spec.NodeTypes, d.Labels.Class = append(spec.NodeTypes, kind), append(d.Labels.Class, class)
		spec.Triples = append(spec.Triples, graph.Triple{U: v % 30, R: v / 30, V: (v*7 + 31*(1-v/30)) % 60})
	}
	var err error
	if d.Graph, err = graph.Build(spec); err != nil {
		t.Fatal(err)
	}
	if err := native.Write("typed.bloom", d); err != nil {
		t.Fatal(err)
	}
	out, text, code := bloom(t, "data", "blocks", "typed.bloom", "x.bloom")
	if code != exitDone || !strings.Contains(out, "--recipe halo") {
		t.Fatal(code, out, text)
	}
	if out, text, code = bloom(t, "train", "--data", "x.bloom", "--recipe", "halo", "--epochs", "2", "--out",
		"run"); code != exitDone {
		t.Errorf("train: exit %d, %s%s", code, out, text)
	}
	if _, text, code = bloom(t, "train", "--data", "x.bloom", "--recipe", "halo", "--memory", "10KiB", "--out",
		"none"); code != exitData || !strings.Contains(text, "only be trained in memory") {
		t.Errorf("little memory: exit %d, %s", code, text)
	}
	if _, text, code = bloom(t, "data", "blocks", "typed.bloom", "y.bloom", "--order", "ldg"); code != exitDone {
		t.Errorf("order: exit %d, %s", code, text)
	}
}
