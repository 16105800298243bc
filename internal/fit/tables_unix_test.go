//go:build unix

package fit

import (
	"encoding/binary"
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

var tables = flag.String("tables", "", "folder of tables that bench/trees/tables.py made with LightGBM's scores")

// TestTables: on tables that LightGBM has been trained on with the same settings, three draws of each, the mean score
// is within 1 % of its own, and the time within twice its own.
func TestTables(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(*tables, "*.0.json"))
	if *tables == "" || len(files) == 0 {
		t.Skip("no tables")
	}
	for _, first := range files {
		stem := strings.TrimSuffix(first, ".0.json")
		draws, _ := filepath.Glob(stem + ".*.json")
		var got, took, score, seconds float64
		lower := false
		for _, file := range draws {
			about := measure(t, strings.TrimSuffix(file, ".json"))
			lower = about.Loss != "logistic"
			n := float64(len(draws))
			got, took = got+about.got/n, took+about.took/n
			score, seconds = score+about.Score/n, seconds+about.Seconds/n
		}
		name := filepath.Base(stem)
		t.Logf("%-12s score %.4f, LightGBM %.4f; %.2f s, LightGBM %.2f s", name, got, score, took, seconds)
		if worse := score - got; worse > 0.01*score && !lower || -worse > 0.01*score && lower {
			t.Errorf("%s: score %.4f, LightGBM has %.4f", name, got, score)
		}
		if took > 2*seconds {
			t.Errorf("%s: %.2f s, LightGBM takes %.2f", name, took, seconds)
		}
	}
}

// measured is a table, how LightGBM does on it, and how our trees do.
type measured struct {
	Rows, Columns  int
	Loss           string
	Score, Seconds float64
	got, took      float64
}

// measure trains on a table.
func measure(t *testing.T, stem string) (m measured) {
	data, err := os.ReadFile(stem + ".json")
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	x, y := floats(t, stem+".x"), floats(t, stem+".y")
	mask, err := os.ReadFile(stem + ".train")
	if err != nil {
		t.Fatal(err)
	}
	start := processor()
	scores := boosted(x, y, mask, m.Columns, m.Loss == "logistic")
	m.took = processor() - start
	m.got = judge(scores, y, mask, m.Loss == "logistic")
	return m
}

// processor is how many seconds this process has used, on all threads.
func processor() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}

func floats(t *testing.T, file string) []float64 {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]float64, len(data)/8)
	for i := range out {
		out[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[i*8:]))
	}
	return out
}

// boosted are the scores of all rows after 150 rounds on those of the mask; x is columns×rows.
func boosted(x, y []float64, mask []byte, columns int, logistic bool) []float32 {
	n := len(y)
	b := NewBooster(NewTable(n, columns, func(to []float32, i int) {
		for j := range to {
			to[j] = float32(x[j*n+i])
		}
	}), 1, TreeOptions{})
	mean := 0.0
	for i, in := range mask {
		if in == 1 {
			b.Fitted = append(b.Fitted, int32(i))
			mean += y[i]
		}
	}
	if mean /= float64(len(b.Fitted)); logistic {
		mean = math.Log(mean / (1 - mean))
	}
	g, h := make([]float32, n), make([]float32, n)
	for round := range 150 {
		for i, s := range b.Scores() {
			if g[i], h[i] = float32(mean+float64(s)-y[i]), 1; logistic {
				p := 1 / (1 + math.Exp(-mean-float64(s)))
				g[i], h[i] = float32(p-y[i]), float32(p*(1-p))
			}
		}
		b.Round(round, g, h)
	}
	out := slices.Clone(b.Scores())
	for i := range out {
		out[i] += float32(mean)
	}
	return out
}

// judge is the area under the ROC curve, or the root of the mean square, of rows outside the mask.
func judge(scores []float32, y []float64, mask []byte, logistic bool) float64 {
	var in, out []float32
	square, rows := 0.0, 0.0
	for i, s := range scores {
		if mask[i] == 1 {
			continue
		}
		rows++
		square += (float64(s) - y[i]) * (float64(s) - y[i])
		if y[i] == 1 {
			in = append(in, s)
		} else {
			out = append(out, s)
		}
	}
	if !logistic {
		return math.Sqrt(square / rows)
	}
	slices.Sort(out)
	area := 0.0
	for _, v := range in {
		low, _ := slices.BinarySearch(out, v)
		high, _ := slices.BinarySearch(out, math.Nextafter32(v, math.MaxFloat32))
		area += float64(low+high) / 2
	}
	return area / float64(len(in)*len(out))
}
