package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

func contents(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// names are the files of a folder.
func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// TestReplace: the new bytes with the old mode, or after any error the old bytes and nothing else.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	if err := Replace(path, WriteOptions{}, text("old")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	bad := errors.New("bad")
	for want, write := range map[string]func(io.Writer) error{
		"bad": func(w io.Writer) error { return errors.Join(text("half")(w), bad) },
		"the disk may be failing": func(w io.Writer) error { // what is written is not what the disk gets
			err := os.WriteFile(filepath.Join(dir, ".x"+Temporary), []byte("spoilt bytes"), 0o666)
			return errors.Join(err, text("new")(w))
		},
	} {
		err := Replace(path, WriteOptions{ReadBack: true, Previous: path + "-before"}, write)
		if err == nil || !strings.Contains(err.Error(), want) || contents(t, path) != "old" || len(names(t, dir)) != 1 {
			t.Errorf("error %v, want %s; the folder has %v, the file %q", err, want, names(t, dir), contents(t, path))
		}
	}
	if err := Replace(path, WriteOptions{ReadBack: true, Previous: path + "-before"}, text("new")); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, path+"-before"); got != "old" {
		t.Errorf("the file before is %q", got)
	}
	info, err := os.Stat(path)
	if err != nil || contents(t, path) != "new" || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("%q with the mode %v, %v", contents(t, path), info.Mode(), err)
	}
}

// TestErrorNamesTheFile: not the temporary one.
func TestErrorNamesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	f, err := Create(path, WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	full := &fs.PathError{Op: "write", Path: f.Name(), Err: syscall.ENOSPC}
	if err := f.named(full); !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), Temporary) {
		t.Errorf("error %v", err)
	}
	f.Discard()
	if err := f.Commit(); err != nil || len(names(t, filepath.Dir(path))) != 0 {
		t.Errorf("after Discard there is %v, %v", names(t, filepath.Dir(path)), err)
	}
}

// TestLeftovers: a temporary file that nobody holds goes, one that is being written stays.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".x" + Temporary, "sub/.y.3" + Temporary, "x" + Temporary, ".z"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("half"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	alive, err := Create(filepath.Join(dir, "w"), WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := Sweep(dir); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(names(t, dir), " "); got != ".w.bloom-part .z sub x.bloom-part" {
		t.Errorf("left are %s", got)
	}
	if got := names(t, filepath.Join(dir, "sub")); len(got) != 0 {
		t.Errorf("left are %v", got)
	}
	if err := alive.Commit(); err != nil || contents(t, filepath.Join(dir, "w")) != "" {
		t.Error(err)
	}
}

// TestTwoWriters: both write a complete file, the later one stays, and a leftover of the name is in nobody's way.
func TestTwoWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), ".x"+Temporary), []byte("half"), 0o666); err != nil {
		t.Fatal(err)
	}
	a, errA := Create(path, WriteOptions{})
	b, errB := Create(path, WriteOptions{})
	if errA != nil || errB != nil || a.Name() == b.Name() {
		t.Fatal(errA, errB)
	}
	_, errA = a.WriteString("a")
	_, errB = b.WriteString("b")
	if err := errors.Join(errA, errB, b.Commit(), a.Commit()); err != nil || contents(t, path) != "a" {
		t.Errorf("%q, %v", contents(t, path), err)
	}
	if len(names(t, filepath.Dir(path))) != 1 {
		t.Errorf("the folder has %v", names(t, filepath.Dir(path)))
	}
}

// TestRefused: what must not be replaced is as it was.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	other, mine, link := filepath.Join(dir, "other"), filepath.Join(dir, "mine"), filepath.Join(dir, "link")
	for path, s := range map[string]string{other: "theirs", mine: "mine", filepath.Join(dir, "empty"): ""} {
		if err := os.WriteFile(path, []byte(s), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink(other, link), os.Symlink("nowhere", filepath.Join(dir, "dangling"))); err != nil {
		t.Skip(err)
	}
	ours := func(head []byte) bool { return string(head) == "mine" }
	for _, c := range []struct {
		path string
		o    WriteOptions
		want string // in the error
	}{
		{dir, WriteOptions{Force: true}, "is a folder"},
		{other, WriteOptions{Ours: ours}, "nothing in it says that bloom wrote it"},
		{link, WriteOptions{Ours: ours}, "nothing in it says that bloom wrote it"},
		{mine, WriteOptions{Force: true, Inputs: []string{"https://x/y", mine}}, "is an input"},
		{link, WriteOptions{Force: true, Inputs: []string{other}}, "is an input"},
		{filepath.Join(dir, "dangling"), WriteOptions{}, "is a link to nothing"},
		{mine, WriteOptions{Ours: ours}, ""},
		{filepath.Join(dir, "empty"), WriteOptions{Ours: ours}, ""},
		{filepath.Join(dir, "new"), WriteOptions{Ours: ours}, ""},
		{link, WriteOptions{Ours: ours, Force: true}, ""},
	} {
		before, _ := os.ReadFile(c.path)
		allowed := c.o.Allow(c.path)
		err := Replace(c.path, c.o, text("written"))
		if (allowed == nil) != (err == nil) || (err == nil) != (c.want == "") ||
			err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v and before %v, want %q", c.path, err, allowed, c.want)
		}
		if after, _ := os.ReadFile(c.path); err != nil && string(after) != string(before) {
			t.Errorf("%s: %q became %q", c.path, before, after)
		}
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 || contents(t, other) != "written" {
		t.Errorf("the link is %v, what it leads to %q", info.Mode(), contents(t, other))
	}
}

// TestDevices: /dev/null and a pipe are written to, and stay what they are.
func TestDevices(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it has no such files")
	}
	before, err := os.Stat("/dev/null")
	if err != nil {
		t.Fatal(err)
	}
	if err := Replace("/dev/null", WriteOptions{Ours: func([]byte) bool { return false }}, text("x")); err != nil {
		t.Error(err)
	}
	if after, err := os.Stat("/dev/null"); err != nil || after.Mode() != before.Mode() || !os.SameFile(before, after) {
		t.Errorf("/dev/null is %v, was %v", after.Mode(), before.Mode())
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	was := os.Stdout
	os.Stdout = w
	err = Replace("/dev/fd/"+strconv.Itoa(int(w.Fd())), WriteOptions{}, text("through the pipe"))
	os.Stdout = was
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(r); err != nil || string(b) != "through the pipe" {
		t.Errorf("read %q, %v", b, err)
	}
}

// TestRedirected: the file that standard output goes to is written by that stream, at its end.
func TestRedirected(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	was := os.Stdout
	os.Stdout = f
	_, err = f.WriteString("before ")
	err = errors.Join(err, Replace(f.Name(), WriteOptions{}, text("table")))
	os.Stdout = was
	if err := errors.Join(err, f.Close()); err != nil || contents(t, f.Name()) != "before table" {
		t.Errorf("%q, %v", contents(t, f.Name()), err)
	}
}
