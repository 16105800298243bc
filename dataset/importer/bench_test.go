package importer

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
)

var importEdges = flag.Int("import.edges", 1_000_000, "edges of the table that BenchmarkImport reads")

// writeEdges writes a table of n edges among n/10 nodes, half of the ends near the first node as in real graphs.
func writeEdges(tb testing.TB, n int, id func(int) string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "edges.csv")
	f, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	fmt.Fprintln(w, "source,target")
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	end := func() string {
		if rng.IntN(2) == 0 {
			return id(rng.IntN(n / 10))
		}
		x := rng.Float64()
		return id(int(x * x * x * x * float64(n/10)))
	}
	for range n {
		w.WriteString(end())
		w.WriteByte(',')
		w.WriteString(end())
		w.WriteByte('\n')
	}
	if err := w.Flush(); err != nil {
		tb.Fatal(err)
	}
	if err := f.Close(); err != nil {
		tb.Fatal(err)
	}
	return path
}

// BenchmarkImport reads a table of edges into a graph without duplicates. It reports edges per second and, on Linux,
// the most memory that the process had above what it had before, as a multiple of the graph: edge arrays and ids.
//
//	go test ./dataset -run '^$' -bench Import -benchtime 3x -import.edges 10000000
func BenchmarkImport(b *testing.B) {
	for _, c := range []struct {
		name string
		id   func(int) string
	}{
		{"numbers", strconv.Itoa},
		{"names", func(i int) string { return "user-" + strconv.Itoa(i*7919) + "@example.org" }},
	} {
		b.Run(c.name, func(b *testing.B) {
			path := writeEdges(b, *importEdges, c.id)
			cpu := cpuSeconds()
			var size, before int
			for b.Loop() {
				before = resetPeak() // the graph of the last run must not count; takes milliseconds
				d, report, err := Run(context.Background(), Spec{Edges: []Input{{Table: path}}})
				if err != nil || report.Rejected > 0 {
					b.Fatal(err, report)
				}
				g := d.Graph
				size = 12*g.NumEdges() + len(d.IDs.Bytes) + 8*len(d.IDs.Ends)
			}
			b.ReportMetric(float64(*importEdges)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Medges/s")
			b.ReportMetric((cpuSeconds()-cpu)/float64(b.N), "cpu-s/op")
			if peak := status("VmHWM:"); peak > 0 {
				b.ReportMetric(float64(peak-before)/float64(size), "peak/graph")
			}
		})
	}
}

// resetPeak forgets the most memory that the process had and returns what it has, where the system tells.
func resetPeak() int {
	debug.FreeOSMemory()
	if os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) != nil {
		return 0
	}
	return status("VmRSS:")
}

// cpuSeconds is the time that all cores spent on the process, where the system tells; on a machine that others use
// too it says more than the clock.
func cpuSeconds() float64 {
	text, _ := os.ReadFile("/proc/self/stat")
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	return (user + system) / 100
}

// status is a line of the status of the process in bytes, 0 where the system does not tell.
func status(key string) int {
	text, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, key); ok {
			n, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(rest), " kB"))
			return n << 10
		}
	}
	return 0
}
