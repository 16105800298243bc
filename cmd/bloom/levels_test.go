package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// explanation is what tests read of the JSON of bloom explain.
type explanation struct {
	Class, Label, Second string
	Probability          float64
	Value                *float64
	Total                float64 `json:"energy"`
	Level, Levels        int
	Columns              []struct {
		Name string
		Pull float64
	}
	Edges []struct{ Value *float64 }
}

// TestLevels: every level of a stack can be taken apart, the last one unasked, and says which nodes are farthest from
// their features: as JSON, for people and on the page.
func TestLevels(t *testing.T) {
	t.Chdir(t.TempDir())
	done(t, "train --data karate --recipe stack-bundle --set stack.levels=3 --set model.hidden=8 --set train.epochs=8 "+
		"--out stack")
	levels := map[string]explanation{}
	for _, flag := range []string{"", "--level 1", "--level 2", "--level 3"} {
		var e explanation
		if err := json.Unmarshal([]byte(done(t, "explain stack --node 9 --json "+flag)), &e); err != nil {
			t.Fatal(err)
		}
		levels[flag] = e
	}
	last := levels["--level 3"]
	for flag, e := range levels {
		if e.Levels != 3 || e.Class != last.Class || e.Probability != last.Probability ||
			(e.Total == last.Total) != (e.Level == 3) {
			t.Errorf("%q: %+v, the last is %+v", flag, e, last)
		}
	}
	text := done(t, "explain stack --node 9 --level 2")
	if !strings.Contains(text, "\n  level 2 of 3: energy ") {
		t.Errorf("it says %s", text)
	}
	var line struct {
		Evidence struct {
			Levels []struct {
				Farthest []struct {
					ID       string
					Residual float64
				}
			}
		}
	}
	if err := json.NewDecoder(strings.NewReader(done(t, "predict stack --json"))).Decode(&line); err != nil {
		t.Fatal(err)
	}
	e := line.Evidence.Levels
	if len(e) != 3 || len(e[0].Farthest) != 3 || e[0].Farthest[0].Residual < e[0].Farthest[1].Residual {
		t.Fatalf("evidence %+v", e)
	}
	done(t, "report stack")
	page, err := os.ReadFile("stack/report.html")
	want := "farthest from its features is " + e[1].Farthest[0].ID
	if err != nil || !strings.Contains(string(page), want) {
		t.Errorf("the page does not say %q, %v", want, err)
	}
}
