package importer

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset"
)

// TestGuessTask: what a column of labels is taken for.
func TestGuessTask(t *testing.T) {
	numbers := func(n int, format string) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprintf(format, i))
		}
		return list
	}
	for _, x := range []struct {
		texts []string
		want  string
	}{
		{[]string{"a", "b", "", "a"}, classTask}, {numbers(40, "%d"), classTask}, {numbers(101, "%d"), dataset.Numbers},
		{slices.Repeat(numbers(21, "%d.5"), 2), dataset.Numbers},
		{slices.Repeat(numbers(20, "%d.5"), 2), classTask}, {[]string{"1.5", "", "2.25", "9"}, dataset.Numbers},
		{[]string{"0.5", "1", "0.5", "1"}, classTask},
		{append(numbers(200, "%d"), "TBD"), dataset.Numbers}, {[]string{"a;b", "a"}, dataset.Sets},
		{numbers(101, "%d days"), dataset.Numbers}, {slices.Concat(numbers(200, "%d"), numbers(199, "c%d")), classTask},
		{[]string{`["a"]`, "[]"}, dataset.Sets}, {nil, classTask},
		{[]string{"a, b", "b ,c", "a,c", "A,B,C", "a", "none"}, dataset.Sets},
		{[]string{"a|b", "a", "b", "b|a"}, dataset.Sets},
		{[]string{"Doe, Jo", "Roe, Al", "Poe, Ed"}, classTask}, {append(numbers(40, "c%d"), "c1,c2"), classTask},
		{numbers(200, "1,%03d"), dataset.Numbers},
	} {
		p := profile(&rawOf(x.texts).Values)
		if got, why := guessTask(&p, x.texts); got != x.want || why == "" {
			t.Errorf("%.60q is taken for %s (%s), want %s", x.texts, got, why, x.want)
		}
	}
}

// importLabels imports a column of labels, one a line.
func importLabels(t *testing.T, task string, labels ...string) (*dataset.Dataset, error) {
	t.Helper()
	dir := t.TempDir()
	nodes, edges := "id\ty\tx\n", "source,target\nn0,n1\n"
	for i, text := range labels {
		nodes += fmt.Sprintf("n%d\t%s\t%d\n", i, text, i)
	}
	for name, text := range map[string]string{"n.tsv": nodes, "e.csv": edges} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	d, _, err := Run(context.Background(), Spec{Nodes: []Input{{Table: filepath.Join(dir, "n.tsv")}},
		Edges: []Input{{Table: filepath.Join(dir, "e.csv")}}, Label: "y", Task: task, Split: Split{None: true}})
	return d, err
}

// TestSetsAndNumbers: a;b and JSON lists are sets, an empty list one without classes, an empty cell no label; a text
// among numbers is no label either.
func TestSetsAndNumbers(t *testing.T) {
	d, err := importLabels(t, dataset.Sets, "b; a", "", "c", "a;a")
	if err != nil {
		t.Fatal(err)
	}
	l := d.Labels
	if !slices.Equal(l.Names, []string{"a", "b", "c"}) || !slices.Equal(l.Class, []int32{0, -1, 0, 0}) ||
		!slices.Equal(l.Set(0), []string{"a", "b"}) || l.Set(1) != nil || !slices.Equal(l.Set(3), []string{"a"}) ||
		d.Metric != "micro_f1" {
		t.Errorf("%+v", l)
	}
	if got := setOf(`["x", 3]`, ";"); !slices.Equal(got, []string{"x", "3"}) || setOf("[]", ",") != nil {
		t.Errorf("%q", got)
	}
	d, err = importLabels(t, "", "Red , blue", "blue,Green", "red", "none", "red", "blue,red,green", "Green")
	if err != nil {
		t.Fatal(err)
	}
	if l := d.Labels; !slices.Equal(l.Names, []string{"Green", "blue", "red"}) || l.Class[3] != 0 || l.Set(3) != nil ||
		!slices.Equal(l.Set(0), []string{"blue", "red"}) {
		t.Errorf("%+v", l)
	}
	if d, err = importLabels(t, dataset.Numbers, "1.5", "", "many", "-2"); err != nil {
		t.Fatal(err)
	}
	if l := d.Labels; !slices.Equal(l.Class, []int32{0, -1, -1, 0}) || l.Values[0] != 1.5 || l.Values[3] != -2 ||
		d.Metric != "rmse" || !strings.Contains(strings.Join(d.Notes, " "), "1 labels are not numbers") {
		t.Errorf("%+v %q", l, d.Notes)
	}
	for task, want := range map[string]string{dataset.Numbers: "no numbers", "kind": "one of class"} {
		if _, err := importLabels(t, task, "a", "b"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", task, err)
		}
	}
}

// TestLabelsOfEitherType: sets and numbers belong to the right nodes whichever of two types of nodes comes first.
func TestLabelsOfEitherType(t *testing.T) {
	for task, labels := range map[string][3]string{dataset.Numbers: {"1.5", "", "-2"}, dataset.Sets: {"a;b", "", "b"}} {
		dir := tables(t, map[string]string{"owns.csv": "source,target\nx,c\ny,d\nz,e\n",
			"people.csv": "id,y\nx," + labels[0] + "\ny," + labels[1] + "\nz," + labels[2] + "\n",
			"cars.csv":   "id,age\nc,1\nd,2\ne,3\n"})
		people := Input{"person", filepath.Join(dir, "people.csv")}
		cars := Input{"car", filepath.Join(dir, "cars.csv")}
		for _, nodes := range [][]Input{{people, cars}, {cars, people}} {
			d, _, err := Run(t.Context(), Spec{Nodes: nodes, Label: "y", Task: task, Split: Split{None: true},
				Edges: []Input{{"person:owns:car", filepath.Join(dir, "owns.csv")}}})
			if err != nil {
				t.Fatal(err)
			}
			if n := d.Graph.NumNodes() * len(d.Labels.Names); len(d.Labels.Values) != n {
				t.Errorf("%s, %s first: %d values, want %d", task, nodes[0].Name, len(d.Labels.Values), n)
				continue
			}
			for id, want := range map[string]string{"x": labels[0], "y": "", "z": labels[2], "c": "", "e": ""} {
				v, err := d.Node(id)
				if err != nil {
					t.Fatal(err)
				}
				got := ""
				switch {
				case d.Labels.Class[v] < 0:
				case task == dataset.Sets:
					got = strings.Join(d.Labels.Set(v), ";")
				default:
					got = fmt.Sprint(d.Labels.Values[v])
				}
				if got != want {
					t.Errorf("%s, %s first: %s has the label %q, want %q", task, nodes[0].Name, id, got, want)
				}
			}
		}
	}
}

// TestRareLast: the rarer of two classes is the second, whatever the names, and finding it is what is measured; of two
// that are about as frequent the order of names and the accuracy stay.
func TestRareLast(t *testing.T) {
	for _, c := range []struct {
		names  string
		counts [2]int
		want   string
		metric string
	}{
		{"leaves stays", [2]int{2, 8}, "stays leaves", "average_precision"},
		{"leaves stays", [2]int{4, 6}, "leaves stays", "accuracy"},
		{"no yes", [2]int{9, 1}, "no yes", "average_precision"},
	} {
		l := dataset.Labels{Names: strings.Fields(c.names), Class: []int32{-1}}
		of := func(name string) (n int) {
			for _, k := range l.Class {
				if k >= 0 && l.Names[k] == name {
					n++
				}
			}
			return n
		}
		for k, n := range c.counts {
			l.Class = append(l.Class, slices.Repeat([]int32{int32(k)}, n)...)
		}
		first, second := l.Names[0], l.Names[1]
		rareLast(&l)
		if got := strings.Join(l.Names, " "); got != c.want || metricOf(l) != c.metric || l.Class[0] != -1 ||
			of(first) != c.counts[0] || of(second) != c.counts[1] {
			t.Errorf("%s %v: %s by %s, %v", c.names, c.counts, got, metricOf(l), l.Class)
		}
	}
}
