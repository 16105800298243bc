package importer

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestWarnings: more than a twentieth of rows, edges or values lost, labels of one class, copies of the label and parts
// without a class are said; what is well is not.
func TestWarnings(t *testing.T) {
	table := func(row func(i int) string) string {
		text := "id,x,y\n"
		for i := range 40 {
			text += fmt.Sprintf("n%d,%s\n", i, row(i))
		}
		return text
	}
	good := table(func(i int) string { return fmt.Sprintf("%d,%c", i%11, 'p'+i%2) })
	edges := "source,target\n"
	for i := range 39 {
		edges += fmt.Sprintf("n%d,n%d\n", i, i+1)
	}
	for _, x := range []struct{ name, nodes, edges, want string }{
		{"nothing", good, edges, ""},
		{"edges", good, edges + strings.Repeat("n1,nobody\n", 3),
			`3 of 42 rows could not be used, such as line 41: the target "nobody"`},
		{"rows", good + strings.Repeat("n1,1,p\n", 5), edges,
			`5 of 45 rows could not be used, such as line 42: the id "n1"`},
		{"values", table(func(i int) string {
			return fmt.Sprintf("%d%s,%c", i%11, strings.Repeat("?x1", i/37),
				'p'+i%2)
		}), edges,
			`3 of 40 values of column "x" are not a number and count as missing, such as "4?x1"`},
		{"one class", table(func(i int) string { return fmt.Sprintf("%d,p", i%11) }), edges, `all labels are "p"`},
		{"copy", table(func(i int) string { return fmt.Sprintf("%d,%c", i%2, 'p'+i%2) }), edges,
			`column "x" is a copy of the label "y"`},
		{"no class", table(func(i int) string { return fmt.Sprintf("%d,%c", i%11, 'p'+min(1, i/39)) }), edges,
			`has the class "q"`},
	} {
		dir := tables(t, map[string]string{"n.csv": x.nodes, "e.csv": x.edges})
		d, _, err := Run(t.Context(), Spec{Nodes: []Input{{Table: filepath.Join(dir, "n.csv")}}, Label: "y",
			Edges: []Input{{Table: filepath.Join(dir, "e.csv")}}})
		if err != nil {
			t.Errorf("%s: %v", x.name, err)
			continue
		}
		notes := strings.Join(d.Notes, "\n")
		if warned := strings.Contains(notes, Warning); warned != (x.want != "") || !strings.Contains(notes, x.want) {
			t.Errorf("%s: %q, want %q", x.name, notes, x.want)
		}
	}
}

// TestWarnsOfLittle: what a user must know before a score of three rows, or of rows without values, is believed.
func TestWarnsOfLittle(t *testing.T) {
	nodes := "id,x,y\n"
	for i := range 50 {
		nodes += fmt.Sprintf("n%d,,%s\n", i, map[int]string{3: "1.5", 20: "2.25", 41: "9.1"}[i])
	}
	d, _ := importTexts(t, Spec{Label: "y"}, nodes, "u,v\nn1,n2\nn3,n20\n")
	notes := strings.Join(d.Notes, "\n")
	for _, want := range []string{"only 3 rows have a label", "all values of its columns are missing"} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes %q, want … %s …", notes, want)
		}
	}
}

// TestLikelyLabel: the column with by far the most gaps is offered as the label if none was named.
func TestLikelyLabel(t *testing.T) {
	for _, x := range []struct {
		name, label string
		row         func(i int) string
		want        string
	}{
		{"classes", "", func(i int) string { return []string{"p", "q", ""}[i%3] + "," }, `column "y" is known for 34 of 50`},
		{"numbers", "", func(i int) string { return "," + []string{fmt.Sprint(i * i), ""}[i%2] },
			`column "z" is known for 25 of 50`},
		{"both", "", func(i int) string { return []string{"p,1", "q,", fmt.Sprint(",", i*i)}[i%3] }, ""},
		{"one more", "", func(i int) string { return []string{"p,1", "q,", "p,", ",7"}[i%4] }, `--label z;`},
		{"a little less", "", func(i int) string {
			return []string{"p", "q", "p", "q", "", "p"}[i%6] + "," + []string{"", "7", "8", "9", "5"}[i%5]
		}, ""},
		{"no gaps", "", func(i int) string { return fmt.Sprint([]string{"p", "q"}[i%2], ",", i) }, ""},
		{"named", "y", func(i int) string { return []string{"p", "q", ""}[i%3] + "," }, ""},
	} {
		nodes := "id,y,z\n"
		for i := range 50 {
			nodes += fmt.Sprintf("n%d,%s\n", i, x.row(i))
		}
		d, _ := importTexts(t, Spec{Label: x.label}, nodes, "u,v\nn1,n2\nn3,n20\n")
		notes := strings.Join(d.Notes, "\n")
		if !strings.Contains(notes, x.want) || x.want == "" && strings.Contains(notes, "what to predict") {
			t.Errorf("%s: notes %q, want %q", x.name, notes, x.want)
		}
	}
}
