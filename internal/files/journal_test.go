package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// lines are the texts of the journal at path.
func lines(path string) (texts []string, err error) {
	j, err := OpenJournal(path, func(version int64, text []byte) error {
		texts = append(texts, string(text))
		return nil
	})
	if err == nil && len(texts) > 0 && j.Version() != j.first+int64(len(texts))-1 {
		err = fmt.Errorf("version %d after %d lines from %d", j.Version(), len(texts), j.first)
	}
	return texts, err
}

// journalOf is a journal with texts in it.
func journalOf(t testing.TB, texts ...string) (*Journal, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.journal")
	j, err := OpenJournal(path, nil)
	for _, text := range texts {
		err = errors.Join(err, j.Append([]byte(text)))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j, path
}

// TestJournal: what was appended is there again, before and after all of it became one line.
func TestJournal(t *testing.T) {
	j, path := journalOf(t, "begin", "one", "", "three 3")
	want := []string{"begin", "one", "", "three 3"}
	if got, err := lines(path); err != nil || !slices.Equal(got, want) || j.Version() != 3 {
		t.Fatalf("%q, version %d, %v", got, j.Version(), err)
	}
	if j.Grown(4) || !j.Grown(3) {
		t.Errorf("after 3 lines of %d bytes, and %d of the first", j.size, j.begin)
	}
	if err := errors.Join(j.Rewrite([]byte("all")), j.Append([]byte("four"), []byte("five"))); err != nil {
		t.Fatal(err)
	}
	if got, err := lines(path); err != nil || !slices.Equal(got, []string{"all", "four", "five"}) || j.Version() != 5 {
		t.Errorf("%q, version %d, %v", got, j.Version(), err)
	}
	if err := errors.Join(j.Close(), os.Rename(path+beforeSuffix, path), os.Remove(path+headSuffix)); err != nil {
		t.Fatal(err)
	}
	if got, err := lines(path); err != nil || !slices.Equal(got, want) {
		t.Errorf("the one before: %q, %v", got, err)
	}
	if err := Seal(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, filepath.Join(filepath.Dir(path), SumsFile)); got != "" {
		t.Errorf("%s has %s", SumsFile, got)
	}
}

// TestJournalFlips: whichever bit is another, and wherever a file ends too early, all that was acknowledged is there or
// the error names a version. So it is in a journal that a killed process left in the middle of a line.
func TestJournalFlips(t *testing.T) {
	j, path := journalOf(t, "begin", "one", "two")
	if err := errors.Join(j.Rewrite([]byte("all")), j.Append([]byte("three")), j.Append([]byte("four"))); err != nil {
		t.Fatal(err)
	}
	want := []string{"all", "three", "four"}
	for _, torn := range []string{"", "5 0123456789 half a li"} {
		if err := errors.Join(os.Truncate(path, j.size), put(path, j.size, torn)); err != nil {
			t.Fatal(err)
		}
		if got, err := lines(path); err != nil || !slices.Equal(got, want) {
			t.Fatalf("torn %q: %q, %v", torn, got, err)
		}
		for _, name := range []string{path, path + headSuffix} {
			before := contents(t, name)
			check := func(what string, err error) {
				t.Helper()
				got, refused := lines(path)
				if refused == nil && !slices.Equal(got, want) ||
					refused != nil && !strings.Contains(refused.Error(), "version") || err != nil {
					t.Errorf("%s of %s, torn %q: %q, %v, %v", what, filepath.Base(name), torn, got, refused, err)
				}
			}
			for bit := range 8 * len(before) {
				at := bit / 8
				check(fmt.Sprint("bit ", bit), put(name, int64(at), string([]byte{before[at] ^ 1<<(bit%8)})))
				check(fmt.Sprint("bit ", bit, " again"), put(name, int64(at), before[at:at+1]))
			}
			for n := len(before) - 1; n >= 0; n-- {
				check(fmt.Sprint(n, " bytes"), os.Truncate(name, int64(n)))
			}
			if err := put(name, 0, before); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// put writes text into a file, in place.
func put(path string, at int64, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte(text), at)
	return errors.Join(err, f.Close())
}

// TestJournalCrash ends the process, as far as files can tell, in the middle of everything that is written: what was
// acknowledged is there, nothing is half there, and writing goes on.
func TestJournalCrash(t *testing.T) {
	t.Cleanup(func() { writeAt = (*os.File).WriteAt })
	crashed := errors.New("crashed")
	for after, done := 0, false; !done; after += 13 {
		path, left, acknowledged := filepath.Join(t.TempDir(), "x.journal"), after, int64(-1)
		writeAt = func(f *os.File, b []byte, at int64) (int, error) {
			if left -= len(b); left < 0 {
				_, _ = f.WriteAt(b[:max(0, left+len(b))], at)
				left = -1 << 30
				return 0, crashed
			}
			return f.WriteAt(b, at)
		}
		j, err := OpenJournal(path, nil)
		for i := 0; err == nil && !done; i++ {
			if i == 2 {
				err = j.Rewrite([]byte("texts 0 to 1"))
			} else if err = j.Append(fmt.Appendf(nil, "text %d", i)); err == nil {
				acknowledged++
			}
			done = err == nil && i == 4
		}
		writeAt = (*os.File).WriteAt
		_ = j.Close()
		got, err := lines(path)
		if err == nil {
			j, err = OpenJournal(path, func(int64, []byte) error { return nil })
		}
		if err != nil || j.Version() < acknowledged || j.Version() > acknowledged+1 {
			t.Fatalf("after %d bytes: version %d was acknowledged, %d with %q is there: %v", after, acknowledged,
				j.Version(), got, err)
		}
		err = j.Append([]byte("next"))
		if again, err2 := lines(path); err != nil || err2 != nil || !slices.Equal(again, append(got, "next")) {
			t.Fatalf("after %d bytes: %q became %q: %v, %v", after, got, again, err, err2)
		}
		_ = j.Close()
	}
}

// TestJournalFull: what does not fit on the disk is not there, and all is well when there is room again.
func TestJournalFull(t *testing.T) {
	t.Cleanup(func() { writeAt = (*os.File).WriteAt })
	j, path := journalOf(t, "begin", "one")
	for _, at := range []string{path, path + headSuffix} {
		writeAt = func(f *os.File, b []byte, off int64) (int, error) {
			if f.Name() == at {
				n, _ := f.WriteAt(b[:len(b)/2], off)
				return n, syscall.ENOSPC
			}
			return f.WriteAt(b, off)
		}
		for range 2 {
			if err := j.Append([]byte("two")); !errors.Is(err, syscall.ENOSPC) {
				t.Fatalf("%s is full: %v", at, err)
			}
		}
		writeAt = (*os.File).WriteAt
		if err := j.Append([]byte("more")); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := lines(path); err != nil || !slices.Equal(got, []string{"begin", "one", "more", "more"}) {
		t.Errorf("%q, %v", got, err)
	}
}

// FuzzJournal opens what is no journal: an error, or lines that make the file up to what was torn.
func FuzzJournal(f *testing.F) {
	j, path := journalOf(f, "begin", "one")
	_ = j.Close()
	file, err := os.ReadFile(path)
	head, err2 := os.ReadFile(path + headSuffix)
	if err != nil || err2 != nil {
		f.Fatal(err, err2)
	}
	f.Add(file, head)
	f.Add(file[:len(file)-3], head)
	f.Add([]byte("9223372036854775807 x\n"), []byte("9223372036854775807 "))
	f.Fuzz(func(t *testing.T, file, head []byte) {
		path := filepath.Join(t.TempDir(), "x.journal")
		if err := errors.Join(os.WriteFile(path, file, 0o666), os.WriteFile(path+headSuffix, head, 0o666)); err != nil {
			t.Fatal(err)
		}
		var b []byte
		var chain [32]byte
		_, err := OpenJournal(path, func(version int64, text []byte) error {
			chain = follow(chain, version, text)
			b = appendLine(b, version, chain, text)
			return nil
		})
		if err == nil && !strings.HasPrefix(string(file), string(b)) {
			t.Errorf("%q was read as %q", file, b)
		}
	})
}
