package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// dirty are tables as people have them: nodes, edges and further arguments of bloom data import.
var dirty = []struct {
	name, nodes, edges, args string
}{
	{"a clean table", clean, ring, ""},
	{"a row with too few fields", clean + "x1,3\n", ring, ""},
	{"a row with too many fields", clean + "x1,3,Rome,no,more\n", ring, ""},
	{"the same, strictly", clean + "x1,3\n", ring, "--strict"},
	{"a ragged edge", clean, ring + "u1\n", ""},
	{"an edge to nobody", clean, ring + "u1,ghost\n", ""},
	{"the same, strictly", clean, ring + "u1,ghost\n", "--strict"},
	{"an edge without an end", clean, ring + "u1,\n", ""},
	{"an id twice", clean + "u1,3,Rome,no\n", ring, ""},
	{"an id that is missing", clean + ",3,Rome,no\n", ring, ""},
	{"a number that is none", clean + "x1,?,Rome,no\n", ring, ""},
	{"zip codes", rows("id,zip,label", "%s,0%d,%s", func(i int) int { return 1000 + i%4 }), ring, ""},
	{"account numbers", rows("id,account_id,label", "%s,%d,%s", func(i int) int { return 7919 * (i + 1) }), ring, ""},
	{"names that are no ids", rows("key_of,name,label", "%s,n%d,%s", func(i int) int { return i }), ring, ""},
	{"no edge that can be used", clean, "source,target\na,b\n", ""},
	{"an empty table", "", ring, ""},
	{"a table of a header", "id,label\n", ring, ""},
	{"two columns of one name", strings.Replace(clean, "city", "age", 1), ring, ""},
	{"a label that is not there", strings.Replace(clean, "label", "lable", 1), ring, ""},
	{"a year that divides dates", dated, ring,
		"--split time=joined,valid=2021,test=2022"},
	{"a time after all rows", dated, ring,
		"--split time=joined,valid=2031,test=2032"},
	{"a delimiter of its own", strings.ReplaceAll(clean, ",", ";"), ring, ""},
	// kinds that columns of nodes become
	{"dates", rows("id,joined,label", "%s,2020-%02d-15,%s", func(i int) int { return 1 + i%12 }), ring, ""},
	{"dates, some of them none", rows("id,joined,label", "%s,2020-%02d-15,%s", func(i int) int { return 1 + i%12 }) +
		"x1,soon,no\n", ring, ""},
	{"embeddings", rows("id,emb,label", "%s,\"[0.5,%d]\",%s", func(i int) int { return i % 7 }), ring, ""},
	{"an embedding that is too short", rows("id,emb,label", "%s,\"[0.5,%d]\",%s", func(i int) int { return i % 7 }) +
		"x1,[1],no\n", ring, ""},
	{"free text", rows("id,note,label", "%s,order %d came late,%s", func(i int) int { return i }), ring, ""},
	{"free text that is to be none", rows("id,note,label", "%s,order %d came late,%s", func(i int) int { return i }),
		ring, "--kind note=skipped"},
	{"a kind that a column is not", clean, ring, "--kind city=time"},
	{"edges without a header", clean, strings.TrimPrefix(ring, "source,target\n"), ""},
	{"a kind that there is not", clean, ring, "--kind city=place"},
	{"letters that are no UTF-8", clean + "x1,3,Rom\xe9,no\n", ring, ""},
	{"the same, strictly", clean + "x1,3,Rom\xe9,no\n", ring, "--strict"},
	{"a line that is no JSON", objects + "{\"id\":\"x1\",\n", ring, ""},
	{"the same, strictly", objects + "{\"id\":\"x1\",\n", ring, "--strict"},
	{"a header that is no UTF-8", strings.Replace(clean, "city", "cit\xe9", 1), ring, ""},
}

// clean, dated, objects and ring are tables without a mistake.
var (
	objects = rows("", `{"id":%q,"age":%d,"label":%q}`, func(i int) int { return 20 + 7*i%31 })
	dated   = rows("id,joined,label", "%s,%d-05-01,%s", func(i int) int { return 2018 + i%5 })
	clean   = rows("id,age,city,label", "%s,%d,Oslo,%s", func(i int) int { return 20 + 7*i%31 })
	ring    = "source,target\n" + rowsOf(20, func(i int) string { return fmt.Sprintf("u%d,u%d\n", i, (i+1)%20) })
)

// rows are 20 nodes, each with its id, a number and a label.
func rows(header, format string, number func(i int) int) string {
	return header + "\n" + rowsOf(20, func(i int) string {
		return fmt.Sprintf(format+"\n", fmt.Sprintf("u%d", i), number(i), []string{"no", "yes"}[i/3%2])
	})
}

func rowsOf(n int, row func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(row(i))
	}
	return b.String()
}

// TestDirtyTables imports tables with mistakes: what is said, the exit code, and which files are there afterwards. An
// import that fails leaves none.
func TestDirtyTables(t *testing.T) {
	snapshots, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	var screen strings.Builder
	for _, x := range dirty {
		dir := t.TempDir()
		t.Chdir(dir)
		for name, text := range map[string]string{"nodes.csv": x.nodes, "edges.csv": x.edges} {
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		args := append(strings.Fields("data import --nodes nodes.csv --edges edges.csv --label label --out out.bloom"),
			strings.Fields(x.args)...)
		stdout, stderr, code := bloom(t, args...)
		files := filesOf(t, dir)
		if code != exitDone && len(files) > 0 {
			t.Errorf("%s: exit %d, and there are %q", x.name, code, files)
		}
		fmt.Fprintf(&screen, "# %s\n%s%s-- exit %d, files %q\n", x.name, stderr, stdout, code, files)
		for _, name := range files {
			if text, err := os.ReadFile(name); err == nil && strings.HasSuffix(name, ".csv") {
				fmt.Fprintf(&screen, "%s", text)
			}
		}
		screen.WriteString("\n")
	}
	t.Chdir(snapshots)
	snapshot(t, "dirty", screen.String())
}

// arriving are tables of new nodes and of their edges for a run on clean, and further arguments of bloom add.
var arriving = []struct {
	name, nodes, edges, args string
}{
	{"clean tables", "id,age,city\nx1,30,Oslo\n", "source,target\nx1,u3\n", ""},
	{"rows and edges that cannot be used", "id,age,city\nx1,30,Oslo\nu3,1,Oslo\nx1,2,Oslo\n,4,Oslo\nx2,5\nx3,?,Rome\n",
		"source,target\nx1,u3\nu3,x1\nx1,ghost\nu1,u2\nx3\nx3,u4\n", ""},
	{"the same, strictly", "id,age,city\nx1,30,Oslo\nu3,1,Oslo\n", ring, "--strict"},
	{"no node that is new", "id,age,city\nu3,1,Oslo\n", ring, ""},
	{"a column that is not there", "id,years\nx1,30\n", ring, ""},
	{"a table of a header", "id,age,city\n", ring, ""},
	{"kept with the run", "id,age,city\nx1,30,Oslo\n", "source,target\nx1,u3\n", "--save more"},
	{"kept in a run that is there", "id,age,city\nx1,30,Oslo\n", "source,target\nx1,u3\n", "--save run"},
}

// TestDirtyArrivals adds tables with mistakes to a run: what is said, the exit code, and which files are there
// afterwards.
func TestDirtyArrivals(t *testing.T) {
	snapshots, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	var screen strings.Builder
	for _, x := range arriving {
		dir := t.TempDir()
		t.Chdir(dir)
		write(t, "nodes.csv", []byte(clean))
		write(t, "edges.csv", []byte(ring))
		for _, line := range []string{"data import --nodes nodes.csv --edges edges.csv --label label --out t.bloom",
			"train --data t.bloom --recipe base --epochs 2 --out run"} {
			if _, stderr, code := bloom(t, strings.Fields(line)...); code != exitDone {
				t.Fatalf("%s: exit %d, %s", line, code, stderr)
			}
		}
		write(t, "nodes.csv", []byte(x.nodes))
		write(t, "edges.csv", []byte(x.edges))
		stdout, stderr, code := bloom(t, append(strings.Fields("add run --nodes nodes.csv --edges edges.csv"),
			strings.Fields(x.args)...)...)
		var ids []string // not the numbers, which another processor has others of
		for line := range strings.Lines(stdout) {
			id, _, _ := strings.Cut(line, ",")
			ids = append(ids, id)
		}
		fmt.Fprintf(&screen, "# %s\n%s-- rows %q, exit %d, files %q\n", x.name, stderr, ids, code, filesOf(t, dir))
		if text, err := os.ReadFile("nodes.rejects.csv"); err == nil {
			fmt.Fprintf(&screen, "%s", text)
		}
		screen.WriteString("\n")
	}
	t.Chdir(snapshots)
	snapshot(t, "dirty-add", screen.String())
}

// filesOf are the files that an import left next to its tables.
func filesOf(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, name := range names {
		if name = filepath.Base(name); name != "nodes.csv" && name != "edges.csv" {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}
