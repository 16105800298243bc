package ondisk

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/bloomgml/bloom/internal/testkit"
)

// asChild is set for the process that TestKilled kills.
const asChild = "BLOOM_TEST_SCRATCH"

// TestMain is also that process: it makes a folder with a file and waits to be killed.
func TestMain(m *testing.M) {
	if os.Getenv(asChild) == "" {
		testkit.OneThread()
		os.Exit(m.Run())
	}
	dir, _, err := Folder()
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "x"), []byte("x"), 0o666)
	}
	fmt.Println(err)
	time.Sleep(time.Minute)
	os.Exit(1)
}

// TestKilled: what a process that was killed leaves is swept; what a process works in is not, nor what is not ours.
func TestKilled(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	if os.TempDir() != os.Getenv("TMPDIR") {
		t.Skip("the temporary folder is elsewhere on this system")
	}
	left := func() (names []string) {
		list, err := os.ReadDir(os.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			names = append(names, e.Name())
		}
		return names
	}
	if err := os.Mkdir(filepath.Join(os.TempDir(), "bloom-other"), 0o777); err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command(program)
	child.Env = append(os.Environ(), asChild+"=1")
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if said, err := bufio.NewReader(out).ReadString('\n'); said != "<nil>\n" {
		t.Fatalf("the child process says %q, %v", said, err)
	}
	if Sweep(); len(left()) != 2 {
		t.Errorf("%v while a process works there", left())
	}
	_ = child.Process.Kill()
	_ = child.Wait()
	if Sweep(); len(left()) != 1 {
		t.Errorf("%v after it was killed", left())
	}
	dir, remove, err := Folder()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "x"), nil, 0o666); err != nil {
		t.Error(err)
	}
	if remove(); len(left()) != 1 {
		t.Errorf("%v after it was removed", left())
	}
}
