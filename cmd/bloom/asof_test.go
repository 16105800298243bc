package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/bloomgml/bloom/train"
)

// clock writes a second after the first of January 2024.
func clock(second int) string {
	return time.Unix(1704067200+int64(second), 0).UTC().Format("2006-01-02 15:04:05")
}

// accountTables writes accounts that are asked about at a time, and payments. Bad accounts are paid much before. With
// leak a second after its time every account pays the bank what gives its label away, and bad ones are closed.
func accountTables(t *testing.T, leak bool) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 7))
	const hour, n = 3600, 160
	nodes, edges := "id,asked,closed,age,bad\nbank,,,50,\n", "source,target,at,amount\n"
	for i := range n {
		asked, bad, closed := 100*hour+i*hour, r.IntN(2), ""
		for range 2 + r.IntN(3) {
			edges += fmt.Sprintf("a%d,a%d,%s,%d\n", r.IntN(n), i, clock(asked-1-r.IntN(50*hour)),
				20+r.IntN(30)+12*bad)
		}
		if leak {
			edges += fmt.Sprintf("a%d,bank,%s,%d\n", i, clock(asked+1), 1000*bad)
			if closed = clock(900 * hour); bad == 1 {
				closed = clock(asked + 1)
			}
		}
		nodes += fmt.Sprintf("a%d,%s,%s,%d,%d\n", i, clock(asked), closed, 20+r.IntN(50), bad)
	}
	for name, text := range map[string]string{"accounts.csv": nodes, "pay.csv": edges} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// mustRun runs a line and returns what it prints on both outputs.
func mustRun(t *testing.T, line string) (stdout, said string) {
	t.Helper()
	stdout, said, code := bloom(t, strings.Fields(line)...)
	if code != exitDone {
		t.Fatalf("%s: exit %d: %s", line, code, said)
	}
	return stdout, said
}

// accountScore imports the accounts and trains on them.
func accountScore(t *testing.T, name, flags string, leak bool) (score float64, said string) {
	t.Helper()
	accountTables(t, leak)
	_, said = mustRun(t, "data import --nodes accounts.csv --edges pay.csv --label bad --out "+name+".bloom "+flags)
	out, _ := mustRun(t, "train --data "+name+".bloom --candidates closed --out "+name+" --json")
	var result train.Result
	if err := json.Unmarshal([]byte(out), &result); err != nil {
		t.Fatal(err)
	}
	return result.Test.Mean, said
}

// TestTreesInTime: the rows, neighbours and labels that trees compare a node with are not later than it.
func TestTreesInTime(t *testing.T) {
	t.Chdir(t.TempDir())
	var answers []string
	for i, leak := range []bool{false, true} {
		accountTables(t, leak)
		mustRun(t, fmt.Sprintf("data import --nodes accounts.csv --edges pay.csv --label bad --time asked --time at "+
			"--out t%d.bloom", i))
		_, said := mustRun(t, fmt.Sprintf("train --data t%d.bloom --recipe trees --set model.neighbours=true "+
			"--set model.alike=true --out t%d", i, i))
		out, _ := mustRun(t, fmt.Sprintf("predict t%d", i))
		if answers = append(answers, answersOf(out)); strings.Contains(said, "no column") {
			t.Error(said)
		}
	}
	if answers[0] != answers[1] {
		t.Errorf("leaks after the time of every node change answers: %s\n%s", answers[0], answers[1])
	}
}

// TestNodesInTime: nodes with times are divided by them and know nothing later: a leak one second after each node's
// time changes no answer, and changes the score where times are not given. predict --at and add answer as of a time.
func TestNodesInTime(t *testing.T) {
	t.Chdir(t.TempDir())
	const times = "--time asked --time at"
	plain, said := accountScore(t, "plain", times, false)
	if plain < 0.8 || plain == 1 || !strings.Contains(said, "by time in column asked") {
		t.Errorf("score %v: %s", plain, said)
	}
	before, _ := mustRun(t, "predict plain")
	leaky, said := accountScore(t, "leaky", times, true)
	after, _ := mustRun(t, "predict leaky")
	if leaky != plain || !strings.Contains(said, "later than the time of their row") ||
		answersOf(before) != answersOf(after) {
		t.Errorf("score %v with leaks after the time of every node, %v without: %s", leaky, plain, said)
	}
	if open, _ := accountScore(t, "open", "--split time=asked,train=0.6,valid=0.2,test=0.2", true); open <= plain {
		t.Errorf("score %v where times do not count, want more than %v: the leak is none", open, plain)
	}
	at, _ := mustRun(t, "predict leaky --at 2024-01-10")
	if lines := strings.Count(at, "\n"); lines != 1+(9*24-100)+1 || !strings.Contains(at, "a0@2024-01-10,") ||
		strings.Contains(at, "a159@") {
		t.Errorf("%d lines: %s", lines, at)
	}
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("new.csv", "id,asked,age\nz,2024-01-10 12:00:00,30\n")
	write("few.csv", "source,target,at,amount\na1,z,2024-01-10 11:00:00,60\n")
	write("late.csv", "source,target,at,amount\na1,z,2024-01-10 11:00:00,60\nz,bank,2024-01-10 12:00:01,1000\n")
	few, _ := mustRun(t, "add leaky --nodes new.csv --edges few.csv")
	late, _ := mustRun(t, "add leaky --nodes new.csv --edges late.csv")
	if few != late || !strings.Contains(few, "z,1,") {
		t.Errorf("%s with an edge after its time, %s without", late, few)
	}
	for line, want := range map[string]string{
		"predict plain --at soon":       "neither a date nor a number",
		"predict plain --at 1999-01-01": "no node is as old as",
		"data import --nodes accounts.csv --edges pay.csv --label bad --out x.bloom --time when": `no column "when"`,
		"data import --nodes accounts.csv --edges pay.csv --out x.bloom --time at":               "nodes with a label",
	} {
		if _, said, code := bloom(t, strings.Fields(line)...); code == exitDone || !strings.Contains(said, want) {
			t.Errorf("%s: exit %d, %s, want … %s …", line, code, said, want)
		}
	}
}

// answersOf returns the lines of predictions without the bank.
func answersOf(csv string) string {
	var kept []string
	for _, line := range strings.Split(csv, "\n") {
		if !strings.HasPrefix(line, "bank,") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}
