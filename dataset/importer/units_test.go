package importer

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset"
)

// TestUnits: numbers with several units of one quantity are converted to the most frequent one; those of several
// quantities are not read as numbers.
func TestUnits(t *testing.T) {
	for _, x := range []struct {
		texts []string
		want  []float64 // nil if they are not read
		unit  string
	}{
		{[]string{"1 kg", "500 g", "2 kg", "0,5 t", "7"}, []float64{1, 0.5, 2, 500, 7}, "kg"},
		{[]string{"2 years", "18 months", "1 year", "36 months", "6 months"}, []float64{24, 18, 12, 36, 6}, "month"},
		{[]string{"90 min", "1:30:00", "2 h", "30 min", "1h 20m", "5 min"}, []float64{90, 90, 120, 30, 80, 5}, "min"},
		{[]string{"512", "1 KB", "2 kb", "1,5 MB"}, []float64{512, 1000, 2000, 1.5e6}, "byte"},
		{[]string{"3 days ago", "1 week ago", "12 days ago"}, []float64{3, 7, 12}, "day"},
		{[]string{"3 km", "2 kg", "5 km", "7 kg"}, nil, ""},
	} {
		c, err := fitColumn(rawOf(x.texts), wish{})
		if err != nil || c.Kind == dataset.Number != (x.want != nil) || c.Unit != x.unit {
			t.Errorf("%q: %s with the unit %q (%s), %v", x.texts, c.Kind, c.Unit, c.Why, err)
			continue
		}
		for i, want := range x.want {
			if got, ok := Number(&c, x.texts[i]); !ok || math.Abs(got-want) > 1e-9*want {
				t.Errorf("%q is %g %s, %v; want %g", x.texts[i], got, c.Unit, ok, want)
			}
		}
	}
}

// TestCodesWithZeros: codes from which a spreadsheet took the zeros are the same levels.
func TestCodesWithZeros(t *testing.T) {
	var texts []string
	for i := range 60 {
		texts = append(texts, []string{"0117", "117", "0020", "20", "1500"}[i%5])
	}
	c, err := fitColumn(rawOf(texts), wish{})
	if err != nil || fmt.Sprint(c.Levels) != "[0020 0117 1500]" || c.Same["117"] != "0117" {
		t.Errorf("levels %q, the same %q, %v", c.Levels, c.Same, err)
	}
}

// TestOwnNames: names of columns are found in other case; phones and account numbers name the same nodes however they
// are grouped; and the label is no column of edges that stand in the table of nodes.
func TestOwnNames(t *testing.T) {
	var nodes, edges strings.Builder
	nodes.WriteString("Phone,Friend,Fee,Left\n")
	edges.WriteString("From,To\n")
	for i := range 40 {
		fmt.Fprintf(&nodes, "+49171%04d,+49171%04d,%d.5,%d\n", i, i/2, i, i%2)
		fmt.Fprintf(&edges, "0049 171 %04d,+49 (171) %04d\n", i, (i+7)%40)
	}
	d, report := importTexts(t, Spec{Label: "left", Connect: []string{"friend"}}, nodes.String(), edges.String())
	if d.Graph.NumEdges() < 40 || report.Rejected > 0 || d.Schema.Types[0].Label != "Left" {
		t.Errorf("%d edges, %d rejected, the label is %q", d.Graph.NumEdges(), report.Rejected, d.Schema.Types[0].Label)
	}
	dir := tables(t, map[string]string{"nodes.csv": nodes.String()})
	table := Input{Table: dir + "/nodes.csv"}
	d, _, err := Run(t.Context(), Spec{Nodes: []Input{table}, Edges: []Input{table}, Source: "phone", Target: "friend",
		Label: "left"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range d.Schema.Types[0].Columns {
		if strings.Contains(c.Name, "Left") {
			t.Errorf("the label became column %q", c.Name)
		}
	}
	_, _, err = Run(t.Context(), Spec{Nodes: []Input{table}, Connect: []string{"frend"}, Label: "left"})
	if err == nil || !strings.Contains(err.Error(), "Friend") {
		t.Errorf("a misspelt column: %v", err)
	}
}
