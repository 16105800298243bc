package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// hostile are names that would steer a terminal: colours, a title, a bell, a cleared screen by an escape and by a
// single letter, text that runs backwards, a line of their own, and one that is erased.
var hostile = []string{"\x1b[31mred", "\x1b]0;title\a", "\x1b[2Jclear", "\u009b2Jclear", "left\u202eright\u2066",
	"two\nbloom: all is well", "gone\rback", "\x7f\b\b\b", "plain", "zero\u200bwidth", "$(id)", "it's; rm -rf x"}

// hostileWorld fills the working directory with data and runs whose every name is hostile.
func hostileWorld(t *testing.T) {
	t.Helper()
	nodes, edges, facts := "id,age,\x1b[7mdept\n", "source,target\n", ""
	for i, id := range hostile {
		next := hostile[(i+1)%len(hostile)]
		nodes += fmt.Sprintf("%s,%d,%s\n", csvCell(id), 20+i, csvCell("\x1b[5mclass"+fmt.Sprint(i%2)))
		edges += csvCell(id) + "," + csvCell(next) + "\n"
		flat := strings.NewReplacer("\n", " ", "\r", " ")
		facts += fmt.Sprintf("%s\t\x1b[5mknows\u202e%d\t%s\n", flat.Replace(id), i%2, flat.Replace(next))
	}
	write(t, "no\x1b[2Jdes.csv", []byte(nodes))
	write(t, "edges.csv", []byte(edges))
	write(t, "k\x1b[2Jg/train.txt", []byte(facts))
	for _, name := range []string{"valid", "test"} {
		write(t, "k\x1b[2Jg/"+name+".txt", []byte(facts[:strings.Index(facts, "\n")+1]))
	}
	write(t, "new.csv", []byte("id,age\n\"new\x1b[31m\",33\n"))
	write(t, "edits.json", []byte(`{"add_node": {"id": "new\u001b[31m", "columns": {"age": 33}}}`))
	write(t, "newedges.csv", []byte("source,target\n\"new\x1b[31m\",\"\x1b[31mred\"\n"))
	write(t, "new.tsv", []byte("new\x1b[31m\t\x1b[5mknows\u202e0\tplain\n"))
	write(t, "rate.yaml", []byte("train.rate: {float: [0.001, 0.1]}\n"))
	write(t, "bad\x1b[2J.yaml", []byte("recipe: \"\\e[31m\"\n"))
}

// A data set, the folders of two runs and a relation.
const teamFile, runDir, kinDir, knowsEach = "te\x1b[2Jam.bloom", "r\x1b[2Jun", "k\u202ein", "\x1b[5mknows\u202e0"

// hostileLines are command lines over the hostile world, with what they end with.
var hostileLines = []struct {
	code  int
	table bool // on standard output, for programs
	args  []string
}{
	{exitDone, false, []string{"data", "import", "--nodes", "no\x1b[2Jdes.csv", "--edges", "edges.csv", "--label",
		"\x1b[7mdept", "--split", "train=0.5,valid=0.2,test=0.3", "--out", teamFile}},
	{exitDone, false, []string{"data", "info", teamFile}},
	{exitDone, false, []string{"data", "info", teamFile, "--json"}},
	{exitDone, false, []string{"data", "export", teamFile, "ta\x1b[2Jbles"}},
	{exitDone, false, []string{"data", "generate", "company:accounts=100,payments=200", "com\x1b[2Jpany"}},
	{exitDone, false, []string{"train", "--data", teamFile, "--recipe", "base", "--out", runDir, "--set",
		"train.epochs=3"}},
	{exitDone, false, []string{"estimate", "--data", teamFile, "--recipe", "base"}},
	{exitDone, true, []string{"predict", runDir}},
	{exitDone, false, []string{"predict", runDir, "--json"}},
	{exitDone, true, []string{"predict", runDir, "--node", "\x1b[31mred"}},
	{exitUsage, false, []string{"predict", runDir, "--node", "\x1b[31mrod"}},
	{exitDone, true, []string{"embed", runDir}},
	{exitDone, false, []string{"embed", runDir, "--json"}},
	{exitDone, false, []string{"explain", runDir, "--node", "two\nbloom: all is well", "--node",
		"left\u202eright\u2066"}},
	{exitDone, false, []string{"explain", runDir, "--node", "\x1b[31mred", "--json"}},
	{exitDone, false, []string{"certify", runDir, "--node", "\x1b[31mred", "--edges", "all"}},
	{exitDone, false, []string{"certify", runDir, "--json"}},
	{exitDone, false, []string{"explain", runDir, "--node", "\x1b[31mred", "--influence"}},
	{exitDone, false, []string{"audit", runDir, "--top", "0"}},
	{exitDone, false, []string{"audit", runDir, "--json"}},
	{exitDone, true, []string{"add", runDir, "--nodes", "new.csv", "--edges", "newedges.csv"}},
	{exitDone, false, []string{"add", runDir, "--nodes", "new.csv", "--edges", "newedges.csv", "--json"}},
	{exitData, false, []string{"forget", runDir, "--nodes", "new.csv", "--out", "n\x1b[2Jew"}},
	{exitDone, false, []string{"what-if", runDir, "--edits", "edits.json"}},
	{exitDone, false, []string{"what-if", runDir, "--edits", "edits.json", "--json"}},
	{exitDone, false, []string{"report", runDir, "--out", "pa\x1b[2Jge.html"}},
	{exitUsage, false, []string{"report", runDir, "--node", "\x1b[31mrod"}},
	{exitDone, false, []string{"tune", "--data", teamFile, "--recipe", "base", "--set", "train.epochs=2", "--space",
		"rate.yaml", "--trials", "1", "--out", "st\x1b[2Judy"}},
	{exitDone, false, []string{"train", "--data", "k\x1b[2Jg", "--recipe", "distmult", "--out", kinDir, "--set",
		"train.epochs=2"}},
	{exitDone, true, []string{"predict", kinDir, "--head", "\x1b[31mred", "--relation", knowsEach}},
	{exitDone, false, []string{"predict", kinDir, "--head", "\x1b[31mred", "--relation", knowsEach, "--json"}},
	{exitDone, true, []string{"predict", kinDir}},
	{exitUsage, false, []string{"predict", kinDir, "--head", "\x1b[31mrod", "--relation", knowsEach}},
	{exitUsage, false, []string{"predict", kinDir, "--head", "\x1b[31mred", "--relation", "\x1b[5mknows"}},
	{exitDone, false, []string{"explain", kinDir, "--head", "\x1b[31mred", "--relation", knowsEach, "--tail", "plain"}},
	{exitDone, false, []string{"audit", kinDir}},
	{exitDone, false, []string{"audit", kinDir, "--json"}},
	{exitDone, true, []string{"embed", kinDir}},
	{exitDone, true, []string{"add", kinDir, "--triples", "new.tsv", "--save", "ki\x1b[2Jn+"}},
	{exitDone, false, []string{"report", kinDir}},
	{exitUsage, false, []string{"tr\x1b[2Jain"}},
	{exitUsage, false, []string{"train", "--data", "a\x1b[2Jb\nc"}},
	{exitUsage, false, []string{"train", "--recipe", "b\x1b[2Jase"}},
	{exitUsage, false, []string{"train", "--set", "train.ep\x1b[2Jochs=3"}},
	{exitUsage, false, []string{"train", "--\x1b[2J"}},
	{exitData, false, []string{"train", "ab\x1b[2Jsent.yaml"}},
	{exitData, false, []string{"config", "check", "bad\x1b[2J.yaml"}},
	{exitUsage, false, []string{"energy", "ba\x1b[2Jse"}},
	{exitData, false, []string{"predict", "ab\x1b[2Jsent"}},
	{exitData, false, []string{"data", "info", "ab\x1b[2Jsent.bloom"}},
	{exitUsage, false, []string{"paper", "run", "no\x1b[2Jise"}},
	{exitUsage, false, []string{"bench", "--only", "co\x1b[2Jra"}},
	{exitUsage, false, []string{"completion", "ba\x1b[2Jsh"}},
	{exitDone, false, []string{"man", "m\x1b[2Jan"}},
}

// csvCell is a cell in quotes.
func csvCell(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }

// TestHostileNames: whatever ids, classes, relations, columns, files and folders are called, no command sends what
// would steer a terminal, or puts names into a line of their own. Tables for programs keep them as they are.
func TestHostileNames(t *testing.T) {
	t.Chdir(t.TempDir())
	hostileWorld(t)
	for _, c := range hostileLines {
		stdout, stderr, code := bloom(t, c.args...)
		if code != c.code {
			t.Errorf("bloom %q: exit %d, want %d, %s", c.args, code, c.code, stderr)
		}
		if c.table {
			if !strings.Contains(stdout, "\x1b[31m") {
				t.Errorf("bloom %q: a name in the table is not as it is: %q", c.args, stdout)
			}
			stdout = ""
		}
		if sent := steering(stdout + stderr); sent != "" {
			t.Errorf("bloom %q sends %q: %q", c.args, sent, stdout+stderr)
		}
		if strings.Contains("\n"+stdout+stderr, "\nbloom: all is well") {
			t.Errorf("bloom %q: a name has a line of its own", c.args)
		}
	}
	if _, err := os.Stat("id"); err == nil {
		t.Error("a command in a name has run")
	}
}

// steering is the first letter of a text that a terminal would obey, empty if no letter is.
func steering(text string) string {
	for i, r := range text {
		if r == utf8.RuneError || r != '\n' && r != '\t' && !unicode.IsGraphic(r) {
			return text[i:min(len(text), i+8)]
		}
	}
	return ""
}
