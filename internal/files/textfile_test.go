package files

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"

	"github.com/bloomgml/bloom/internal/host"
)

// packed is text as a gzip file.
func packed(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := io.WriteString(z, text)
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// textFile writes a file and returns its path.
func textFile(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// withDefaults fills the limits that are 0.
func withDefaults(l Limits) Limits {
	return Limits{cmp.Or(l.Bytes, Bounds.Bytes), cmp.Or(l.Ratio, Bounds.Ratio), cmp.Or(l.Line, Bounds.Line)}
}

// setLimits changes Limit for one test.
func setLimits(t *testing.T, l Limits) {
	old := Bounds
	Bounds = withDefaults(l)
	t.Cleanup(func() { Bounds = old })
}

// TestUnpackedLimit is the arithmetic of the limits: 64 MiB are always free, then 200 bytes for one.
func TestUnpackedLimit(t *testing.T) {
	for _, c := range []struct {
		limits     Limits
		size, want int64
	}{
		{Limits{}, 10, 64 << 20},
		{Limits{}, 1 << 20, 200 << 20},
		{Limits{}, 1 << 40, 64 << 30},
		{Limits{Ratio: 100}, 1 << 20, 100 << 20},
		{Limits{Bytes: 5}, 1 << 20, 5},
	} {
		if got := withDefaults(c.limits).Unpacked(c.size); got != c.want {
			t.Errorf("%+v: a file of %d bytes may become %d, want %d", c.limits, c.size, got, c.want)
		}
	}
}

// TestBadGzip is a packed file inside a packed one, a cut one, and one that is not gzip.
func TestBadGzip(t *testing.T) {
	text := packed(t, strings.Repeat("a\tr\tb\nb\tr\tc\n", 100))
	for name, c := range map[string]struct{ content, want string }{
		"nested":    {packed(t, text), "only one layer is unpacked"},
		"truncated": {text[:len(text)-9], "unexpected EOF"},
		"checksum":  {text[:len(text)-8] + "\x00\x00\x00\x00" + text[len(text)-4:], "checksum"},
		"header":    {"\x1f\x8b\x07", "train.txt.gz: "},
	} {
		t.Run(name, func(t *testing.T) {
			err := Scan(textFile(t, "train.txt.gz", c.content), nil, func(int, []byte) error { return nil })
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one about %q", err, c.want)
			}
		})
	}
}

// TestScanLines compares with bytes.Split on lines of every length around a block, read in pieces of
// odd sizes.
func TestScanLines(t *testing.T) {
	var text bytes.Buffer
	for i := range 3000 {
		fmt.Fprintf(&text, "%d%s\n", i, strings.Repeat("é", i%1500))
	}
	text.WriteString(strings.Repeat("x", 3*blockSize) + "\r\n\n\nlast")
	want := bytes.Split(text.Bytes(), []byte("\n"))
	for name, r := range map[string]io.Reader{"whole": bytes.NewReader(text.Bytes()),
		"halves": iotest.HalfReader(bytes.NewReader(text.Bytes()))} {
		n := 0
		err := scan(&LineBlocks{file: "f", r: r}, func(line int, got []byte) error {
			if line != n+1 || !bytes.Equal(got, bytes.TrimSuffix(want[n], []byte("\r"))) {
				return fmt.Errorf("line %d is number %d with %d bytes, want %d bytes", n+1, line, len(got),
					len(want[n]))
			}
			n++
			return nil
		})
		if err != nil || n != len(want) {
			t.Errorf("%s: %d lines of %d, %v", name, n, len(want), err)
		}
	}
}

// TestLongLine is a line that a limit forbids, after one that it allows.
func TestLongLine(t *testing.T) {
	setLimits(t, Limits{Line: 1000})
	err := scan(&LineBlocks{file: "f", r: strings.NewReader("short\n" + strings.Repeat("x", 4*blockSize))},
		func(int, []byte) error { return nil })
	if err == nil || err.Error() != "f:2: the line is longer than 1000 bytes" {
		t.Errorf("error %v", err)
	}
}

// TestByteOrderMark begins a file as Windows programs do.
func TestByteOrderMark(t *testing.T) {
	const text = "\ufeffa\r\nb"
	for name, content := range map[string]string{"plain": text, "packed": packed(t, text)} {
		var got []string
		err := Scan(textFile(t, name, content), nil, func(_ int, text []byte) error {
			got = append(got, string(text))
			return nil
		})
		if err != nil || fmt.Sprint(got) != "[a b]" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// TestEachPanics: the panic of one block comes to the caller when all others have been looked at.
func TestEachPanics(t *testing.T) {
	text := strings.Repeat("line\n", blockSize)
	defer func() {
		if p, ok := recover().(*host.Panic); !ok || p.Cause != "broken" {
			t.Errorf("recovered %v", p)
		}
	}()
	err := (&LineBlocks{file: "f", r: strings.NewReader(text)}).Each(func([]byte, int) error { panic("broken") })
	t.Errorf("no panic, but %v", err)
}

// FuzzScanLines wants the lines of any text: joined, they are the text again.
func FuzzScanLines(f *testing.F) {
	f.Add([]byte("a\r\nb\n\nc"))
	f.Add([]byte("\xff"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var got []byte
		err := scan(&LineBlocks{file: "f", r: bytes.NewReader(text)}, func(line int, text []byte) error {
			got = append(append(got, text...), '\n')
			return nil
		})
		want := text
		if len(want) > 0 && want[len(want)-1] != '\n' {
			want = append(bytes.Clone(want), '\n')
		}
		if want = bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n")); err == nil && !bytes.Equal(got, want) {
			t.Errorf("%q became %q", text, got)
		}
	})
}
