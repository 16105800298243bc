package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestNumbersAndSets: new nodes get a number or a set, and both are taken apart, a set by one of its classes.
func TestNumbersAndSets(t *testing.T) {
	t.Chdir(t.TempDir())
	id := func(i int) string { return fmt.Sprintf("%c%d", 'A'+i/10%6, i%10) }
	tables := map[string]string{"price": "id,a,b,price\n", "tags": "id,a,b,tags\n", "e": "source,target\n"}
	for i := range 60 {
		tables["price"] += id(i) + []string{",0.1,1,10\n", ",1,0.2,20\n"}[i%2]
		tables["tags"] += id(i) + []string{",0.1,1,red;big\n", ",1,0.2,blue\n"}[i%2]
		tables["e"] += id(i) + "," + id(i+2) + "\n"
	}
	for name, text := range tables {
		write(t, name+".csv", []byte(text))
	}
	write(t, "new.csv", []byte("id,a,b\nZ1,0.1,1\nZ2,1,0.2\n"))
	write(t, "more.csv", []byte("source,target\nZ1,A0\nZ2,A1\n"))
	for label, task := range map[string]string{"price": "regression", "tags": "multilabel"} {
		done(t, "data import --nodes "+label+".csv --edges e.csv --id id --label "+label+" --task "+task+" --out "+
			label+".bloom")
		done(t, "train --data "+label+".bloom --recipe base --set train.epochs=60 --out run-"+label)
		rows := done(t, "add run-"+label+" --nodes new.csv --edges more.csv")
		header := map[string]string{"price": "id,value,residual\nZ1,",
			"tags": "id,classes,residual,p:big,p:blue,p:red\nZ1,"}[label]
		if !strings.HasPrefix(rows, header) {
			t.Errorf("%s: %s", label, rows)
		}
	}
	var e explanation
	if err := json.Unmarshal([]byte(done(t, "explain run-price --node A0 --json")), &e); err != nil || e.Value == nil ||
		*e.Value < 5 || *e.Value > 25 || e.Class != "" || len(e.Edges) != 2 || e.Edges[0].Value == nil {
		t.Errorf("%+v, %v", e, err)
	}
	if text := done(t, "explain run-price --node A0"); !strings.HasPrefix(text, "A0 is 1") ||
		!strings.Contains(text, "\n  its own columns ") || !strings.Contains(text, "\n  together: price ") {
		t.Error(text)
	}
	if len(e.Columns) != 2 || e.Columns[0].Name != "a" && e.Columns[0].Name != "b" || e.Columns[0].Pull == 0 {
		t.Errorf("columns %+v", e.Columns)
	}
	var big, blue explanation
	for line, e := range map[string]*explanation{"": &big, " --label blue": &blue} {
		if err := json.Unmarshal([]byte(done(t, "explain run-tags --node A0 --json"+line)), e); err != nil {
			t.Fatal(err)
		}
	}
	if big.Class != "red;big" && big.Class != "big;red" || big.Label == "blue" || big.Label == "" || big.Second != "" ||
		big.Probability < 0.5 || blue.Label != "blue" || blue.Probability > 0.5 ||
		blue.Columns[0].Pull*big.Columns[0].Pull >= 0 {
		t.Errorf("the strongest: %+v; blue: %+v", big, blue)
	}
	if text := done(t, "explain run-tags --node A0 --label blue"); !strings.Contains(text, "; blue has the prob") ||
		!strings.Contains(text, "    a 0.1") || !strings.Contains(text, "together: log-odds of blue") {
		t.Error(text)
	}
	for _, line := range []string{"explain run-tags --node A0 --label bleu", "explain run-price --node A0 --label x",
		"explain run-price --fidelity 5"} {
		if _, stderr, code := bloom(t, strings.Fields(line)...); code == exitDone ||
			!strings.Contains(stderr, "class") {
			t.Errorf("%s: exit %d, %s", line, code, stderr)
		}
	}
}

// TestPredictCoverage: what --coverage promises is said of classes and of numbers in their own words, and is in the
// first JSON object; every set holds a class.
func TestPredictCoverage(t *testing.T) {
	t.Chdir(t.TempDir())
	for data, want := range map[string]string{
		"csbm:nodes=400,features=3": "Sets contain the true class, for every class, with probability 0.8",
		"smooth:nodes=400":          "Intervals contain the true number with probability 0.8",
	} {
		out := strings.TrimRight(data[:5], ":")
		done(t, "train --data "+data+" --recipe base --set train.epochs=5 --out "+out)
		rows, said, _ := bloom(t, "predict", out, "--coverage", "0.8", "--json")
		lines := strings.Split(strings.TrimSpace(rows), "\n")
		var first struct{ Conformal, Evidence map[string]any }
		if err := json.Unmarshal([]byte(lines[0]), &first); err != nil || !strings.HasPrefix(said, want) ||
			first.Conformal["coverage"] != 0.8 || first.Conformal["test"] == nil || len(first.Evidence) == 0 {
			t.Errorf("%s: %s\n%s", data, said, lines[0])
		}
		for _, line := range lines[1:] {
			var x struct {
				Class string
				Set   []string
			}
			if err := json.Unmarshal([]byte(line), &x); err != nil || (x.Class == "") != (len(x.Set) == 0) {
				t.Fatalf("%s: %s", data, line)
			}
		}
	}
}
