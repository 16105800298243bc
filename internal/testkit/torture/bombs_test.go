//go:build torture && linux

package torture

import (
	"archive/zip"
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// bomb is a file that is small and claims, or unpacks to, much.
type bomb struct {
	name  string
	write func(dir string) error
	args  []string
}

// file writes one file by a function of a buffered writer.
func file(name string, content func(w io.Writer) error) func(string) error {
	return func(dir string) error {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		defer f.Close()
		w := bufio.NewWriter(f)
		if err := content(w); err != nil {
			return err
		}
		return w.Flush()
	}
}

// both writes two things.
func both(a, b func(string) error) func(string) error {
	return func(dir string) error {
		if err := a(dir); err != nil {
			return err
		}
		return b(dir)
	}
}

// repeated writes text n times.
func repeated(text string, n int) func(io.Writer) error {
	return func(w io.Writer) error {
		block := strings.Repeat(text, 1000)
		for range n / 1000 {
			if _, err := io.WriteString(w, block); err != nil {
				return err
			}
		}
		_, err := io.WriteString(w, strings.Repeat(text, n%1000))
		return err
	}
}

// zipped packs what is written.
func zipped(content func(io.Writer) error) func(io.Writer) error {
	return func(w io.Writer) error {
		z := gzip.NewWriter(w)
		if err := content(z); err != nil {
			return err
		}
		return z.Close()
	}
}

// after writes a first text and then the rest.
func after(first string, rest func(io.Writer) error) func(io.Writer) error {
	return func(w io.Writer) error {
		if _, err := io.WriteString(w, first); err != nil {
			return err
		}
		return rest(w)
	}
}

// edges is the table of edges that goes with a hostile table of nodes.
var edges = writes(map[string]string{"f.csv": followsCSV})

// nodes imports a hostile table of nodes.
func nodes(name string) []string {
	return []string{"data", "import", "--nodes", name, "--edges", "f.csv", "--out", "out.bloom"}
}

// info reads a data set.
func info(path string) []string { return []string{"data", "info", path} }

// bombs are all of them.
func bombs() []bomb {
	return slices.Concat(tableBombs(), formatBombs(), pickleBombs(), yamlBombs(), greedy())
}

func tableBombs() []bomb {
	table := func(name string, content func(io.Writer) error) func(string) error {
		return both(edges, file(name, content))
	}
	return []bomb{
		{"packed CSV of 400 MB", table("p.csv.gz", zipped(after("id,a\n", repeated("x,1\n", 100_000_000)))),
			nodes("p.csv.gz")},
		{"packed CSV of one line", table("p.csv.gz", zipped(repeated("a", 400_000_000))), nodes("p.csv.gz")},
		{"packed edges", file("f.csv.gz", zipped(after("source,target\n", repeated("a,b\n", 50_000_000)))),
			[]string{"data", "import", "--edges", "f.csv.gz", "--out", "out.bloom"}},
		{"CSV of 100,000 columns", table("p.csv", wideCSV(100_000, 3)), nodes("p.csv")},
		{"CSV of 2,000 columns of categories", table("p.csv", wideCSV(2_000, 60)), nodes("p.csv")},
		{"CSV of one quote", table("p.csv", after("id,a\n\"", repeated("a,\n", 1_000_000))), nodes("p.csv")},
		{"JSON lines of 16,000 keys", table("p.jsonl", manyKeys(16_000)), nodes("p.jsonl")},
		{"JSON lines, deep", table("p.jsonl", after(`{"id":"a","b":`, repeated("[", 1_000_000))), nodes("p.jsonl")},
		{"Parquet of 10 million equal rows", table("p.parquet", equalRows(10_000_000)), nodes("p.parquet")},
		{"SQLite view without end", both(edges, sqliteView), nodes("team.db:endless")},
	}
}

func formatBombs() []bomb {
	return []bomb{
		{"node-link JSON, deep", file("g.json", after(`{"nodes":`, repeated("[", 2_000_000))), info("g.json")},
		{"npz that unpacks to 2 GB", file("toy.npz", npzZeros("(20000,25000)", 2_000_000_000)), info("toy.npz")},
		{"npz of a huge shape", file("toy.npz", npzZeros("(1000000000,1000000)", 100)), info("toy.npz")},
		{"npz of a shape that overflows", file("toy.npz", npzZeros("(4294967296,4294967296)", 100)), info("toy.npz")},
		{"npz of a negative shape", file("toy.npz", npzZeros("(-1,3)", 100)), info("toy.npz")},
		{"OGB of far edges", ogbOf("4294967295\n", "0,4294967294\n"), info(".")},
		{"OGB of many nodes", ogbOf("2000000000\n", "0,1\n"), info(".")},
		{"OGB of packed edges", both(ogbOf("10\n", ""),
			file("raw/edge.csv.gz", zipped(repeated("0,1\n", 100_000_000)))),
			info(".")},
		{"triples of one long line", file("t.tsv", repeated("a", 50_000_000)), info("t.tsv")},
	}
}

func pickleBombs() []bomb {
	deep := "\x80\x02" + strings.Repeat("]", 1_000_000) + strings.Repeat("a", 999_999) + "."
	return []bomb{
		{"pickle of a huge length", planetoid("\x80\x02\x8b\xff\xff\xff\x7f"), info("ind.toy.graph")},
		{"pickle of huge bytes", planetoid("\x80\x04\x8e\xff\xff\xff\xff\xff\xff\xff\x7f"), info("ind.toy.graph")},
		{"pickle of lists of lists", planetoid(nestedPickle(60)), info("ind.toy.graph")},
		{"pickle, deep", planetoid(deep), info("ind.toy.graph")},
	}
}

func yamlBombs() []bomb {
	check := []string{"config", "check", "c.yaml"}
	return []bomb{
		{"YAML of a billion laughs", file("c.yaml", laughs), check},
		{"YAML, deep", file("c.yaml", repeated("[", 200_000)), check},
		{"YAML of a huge number", file("c.yaml", after("recipe: base\nmodel: {hidden: ", repeated("9", 100_000))),
			check},
	}
}

// greedy are settings that ask for more than there is.
func greedy() []bomb {
	var all []bomb
	for _, ask := range [][2]string{{"base", "model.hidden=65536"}, {"base", "model.hidden=2000000000"},
		{"base", "energy.steps=100000000"}, {"heterophily", "energy.steps=10000"}, {"gcn", "model.layers=1000000"},
		{"gcn", "model.layers=1024"}} {
		all = append(all, bomb{"estimate with " + ask[1], func(string) error { return nil },
			[]string{"estimate", "--data", "karate", "--recipe", ask[0], "--set", ask[1]}})
	}
	return all
}

// wideCSV has many columns of short words.
func wideCSV(columns, rows int) func(io.Writer) error {
	return func(w io.Writer) error {
		for c := range columns {
			fmt.Fprintf(w, "c%d,", c)
		}
		fmt.Fprintln(w, "id")
		for r := range rows {
			for c := range columns {
				fmt.Fprintf(w, "w%d,", (r*31+c)%97)
			}
			fmt.Fprintf(w, "p%d\n", r)
		}
		return nil
	}
}

// manyKeys has new keys in every line.
func manyKeys(n int) func(io.Writer) error {
	return func(w io.Writer) error {
		for i := range n {
			fmt.Fprintf(w, "{\"k%d\":%d}\n", i, i)
		}
		return nil
	}
}

// npzZeros is a zip with one array of zeros.
func npzZeros(shape string, bytes int) func(io.Writer) error {
	return func(w io.Writer) error {
		z, bytes := zip.NewWriter(w), bytes
		for _, name := range []string{"node_features.npy", "node_labels.npy", "edges.npy", "train_masks.npy",
			"val_masks.npy", "test_masks.npy"} {
			f, err := z.Create(name)
			if err != nil {
				return err
			}
			header := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': %s, }", shape)
			header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
			if _, err := io.WriteString(f, "\x93NUMPY\x01\x00"); err != nil {
				return err
			}
			if err := binary.Write(f, binary.LittleEndian, uint16(len(header))); err != nil {
				return err
			}
			if err := after(header, repeated("\x00", bytes))(f); err != nil {
				return err
			}
			bytes = min(bytes, 100) // the other arrays are short
		}
		return z.Close()
	}
}

// equalRows are many, and little in the file.
func equalRows(n int) func(io.Writer) error {
	return func(w io.Writer) error {
		p := parquet.NewGenericWriter[person](w, parquet.Compression(&parquet.Zstd))
		rows := make([]person, 10_000)
		for i := range rows {
			rows[i] = person{"same", 1, "dept"}
		}
		for range n / len(rows) {
			if _, err := p.Write(rows); err != nil {
				return err
			}
		}
		return p.Close()
	}
}

// sqliteView writes a view that never comes to an end.
func sqliteView(dir string) error {
	return writeSQLite(filepath.Join(dir, "team.db"), `CREATE VIEW endless AS
WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id, hex(zeroblob(500)) || id AS word FROM n;`)
}

// ogbOf is a folder that claims count nodes.
func ogbOf(count, edge string) func(string) error {
	return writes(map[string]string{
		"raw/num-node-list.csv": count, "raw/num-edge-list.csv": "1\n",
		"raw/edge.csv": edge, "raw/node-feat.csv": "1,2\n", "raw/node-label.csv": "0\n",
		"split/time/train.csv": "0\n", "split/time/valid.csv": "0\n", "split/time/test.csv": "0\n",
	})
}

// planetoid has the same pickle in every file.
func planetoid(pickle string) func(string) error {
	files := map[string]string{"ind.toy.test.index": "1\n"}
	for _, part := range []string{"x", "tx", "allx", "y", "ty", "ally", "graph"} {
		files["ind.toy."+part] = pickle
	}
	return writes(files)
}

// nestedPickle is a list of two times the same list, and so on: 2^depth ends for whoever walks through it.
func nestedPickle(depth int) string {
	p := "\x80\x02]q\x00"
	for i := range depth {
		p += fmt.Sprintf("]q%c(h%ch%ce", i+1, i, i)
	}
	return p + "."
}

// laughs are aliases of aliases.
func laughs(w io.Writer) error {
	fmt.Fprintln(w, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]")
	for i := 1; i < 12; i++ {
		ten := strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10)
		fmt.Fprintf(w, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(ten, ", "))
	}
	_, err := fmt.Fprintln(w, "recipe: *a11")
	return err
}
