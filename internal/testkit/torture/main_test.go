//go:build torture && linux

package torture

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	minutes = flag.Float64("minutes", 0, "how long all attacks may take together; 0 for as long as their tries take")
	part    = flag.Float64("part", 1, "the part of the tries that is made, but for threads and files made to harm")
	seed    = flag.Uint64("seed", uint64(time.Now().UnixNano()), "seed of everything random")
	program = flag.String("program", "", "the program to attack; built first where this is empty")
	record  = flag.Bool("record", false, "write the table of docs/reliability.md anew")
)

// bloom is the program under attack.
var bloom string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(all(m))
}

func all(m *testing.M) int {
	dir, err := os.MkdirTemp("/dev/shm", "bloom-torture-") // what is forced to the disk there takes no time
	if err != nil {
		dir, err = os.MkdirTemp("", "bloom-torture-")
	}
	if err == nil {
		err = os.Setenv("TMPDIR", dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if bloom = *program; bloom == "" {
		bloom = filepath.Join(dir, "bloom")
		build := exec.Command("go", "build", "-o", bloom, "github.com/bloomgml/bloom/cmd/bloom")
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
			return 1
		}
	}
	fmt.Printf("seed %d\n", *seed)
	began := time.Now()
	code := m.Run()
	took := time.Since(began)
	fmt.Println(table())
	if *record {
		if err := write("../../docs/reliability.md", took); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return code
}

// table is what the attacks counted, in Markdown.
func table() string {
	lines := []string{
		"| attack | tries | lost | silent | panics | too much memory or time | largest memory |",
		"|---|---|---|---|---|---|---|",
	}
	for _, s := range scores {
		lines = append(lines, s.row())
	}
	return strings.Join(lines, "\n")
}

// The table in docs/reliability.md stands between these lines.
const (
	begin = "<!-- torture: begin -->\n"
	end   = "<!-- torture: end -->\n"
)

// write puts the table into its place in a file.
func write(name string, took time.Duration) error {
	old, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	head, rest, ok := strings.Cut(string(old), begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return fmt.Errorf("%s: the lines %q and %q are not there", name, begin, end)
	}
	said := fmt.Sprintf("%.0f minutes on %d cores, seed %d:\n\n", took.Minutes(), runtime.NumCPU(), *seed)
	return os.WriteFile(name, []byte(head+begin+said+table()+"\n"+end+tail), 0o644)
}

// some is the part of n tries that is made.
func some(n int) int { return max(1, int(*part*float64(n))) }

// attack tries on all cores until s has counted as many tries as are asked for, or its share of the minutes has passed;
// but each worker tries once at least. A try gets its own random numbers and an empty folder.
func attack(t *testing.T, s *score, asked int, share float64, try func(rng *rand.Rand, dir string)) {
	t.Helper()
	s.asked = asked
	late := func() bool { return false }
	if *minutes > 0 {
		until := time.Now().Add(time.Duration(share * *minutes * float64(time.Minute)))
		late = func() bool { return time.Now().After(until) }
	}
	var workers sync.WaitGroup
	for w := range runtime.NumCPU() {
		workers.Go(func() {
			for i := uint64(0); i == 0 || !s.enough() && !late(); i++ {
				dir, err := os.MkdirTemp(t.TempDir(), "try-")
				if err != nil {
					t.Error(err)
					return
				}
				try(rand.New(rand.NewPCG(*seed, uint64(w)<<32|i)), dir)
				os.RemoveAll(dir)
			}
		})
	}
	workers.Wait()
}
