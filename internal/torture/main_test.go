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
	minutes = flag.Float64("minutes", 2, "how long all attacks may take together")
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
	dir, err := os.MkdirTemp("", "bloom-torture-")
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
	fmt.Printf("seed %d, %g minutes\n", *seed, *minutes)
	code := m.Run()
	fmt.Println(table())
	if *record {
		if err := write("../../docs/reliability.md"); err != nil {
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
func write(name string) error {
	old, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	head, rest, ok := strings.Cut(string(old), begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return fmt.Errorf("%s: the lines %q and %q are not there", name, begin, end)
	}
	said := fmt.Sprintf("%.0f minutes on %d cores, seed %d:\n\n", *minutes, runtime.NumCPU(), *seed)
	return os.WriteFile(name, []byte(head+begin+said+table()+"\n"+end+tail), 0o644)
}

// attack tries again and again on all cores, until its share of the minutes has passed; but each worker tries once at
// least. A try gets its own random numbers and an empty folder.
func attack(t *testing.T, share float64, try func(rng *rand.Rand, dir string)) {
	t.Helper()
	until := time.Now().Add(time.Duration(share * *minutes * float64(time.Minute)))
	var workers sync.WaitGroup
	for w := range runtime.NumCPU() {
		workers.Go(func() {
			for i := uint64(0); i == 0 || time.Now().Before(until); i++ {
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
