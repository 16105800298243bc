package codec

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/internal/files"
)

// member is a file of an archive.
type member struct {
	name, data string
	method     uint16
}

// zipped is an archive.
func zipped(t testing.TB, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, m := range members {
		f, err := w.CreateHeader(&zip.FileHeader{Name: m.name, Method: m.method})
		if err == nil {
			_, err = f.Write([]byte(m.data))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func open(b []byte, budget *files.Budget) (*Archive, error) {
	return NewArchive("x.npz", bytes.NewReader(b), int64(len(b)), budget)
}

func TestArchive(t *testing.T) {
	b := zipped(t,
		member{"stored.npy", plain("|u1", "(3,)", "abc"), zip.Store},
		member{"deflated.npy", plain("|u1", "(1000,)", strings.Repeat("d", 1000)), zip.Deflate},
		member{"README", "hello", zip.Store})
	path := filepath.Join(t.TempDir(), "x.npz")
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	z, err := OpenNPZ(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if !slices.Equal(z.Names(), []string{"stored", "deflated"}) || !z.Has("stored", "deflated") ||
		z.Has("stored", "README") {
		t.Errorf("names %q", z.Names())
	}
	for name, n := range map[string]int{"stored": 3, "deflated": 1000} {
		if a, err := z.Read(name); err != nil || a.Len() != n {
			t.Errorf("%s: %v, %v", name, a, err)
		}
	}
	if _, err := z.Read("absent"); err == nil || !strings.Contains(err.Error(),
		`no array "absent"; there are stored, deflated`) {
		t.Errorf("absent: %v", err)
	}
	if _, err := OpenNPZ(path+"x", nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent file: %v", err)
	}
}

// zip64 is an archive of one stored member whose sizes and places stand in the fields of zip64 only.
func zip64(name, data string) []byte {
	le := binary.LittleEndian
	sum := crc32.ChecksumIEEE([]byte(data))
	size := uint64(len(data))
	local := le.AppendUint32([]byte("PK\x03\x04\x2d\x00\x00\x00\x00\x00\x00\x00\x00\x00"), sum)
	local = append(local, "\xff\xff\xff\xff\xff\xff\xff\xff"...)
	local = le.AppendUint16(local, uint16(len(name)))
	local = append(local, "\x14\x00"+name+"\x01\x00\x10\x00"...)
	local = le.AppendUint64(le.AppendUint64(local, size), size)
	b := append(local, data...)

	start := uint64(len(b))
	b = le.AppendUint32(append(b, "PK\x01\x02\x2d\x00\x2d\x00\x00\x00\x00\x00\x00\x00\x00\x00"...), sum)
	b = append(b, "\xff\xff\xff\xff\xff\xff\xff\xff"...)
	b = le.AppendUint16(b, uint16(len(name)))
	b = append(b, "\x1c\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff"+name+"\x01\x00\x18\x00"...)
	b = le.AppendUint64(le.AppendUint64(le.AppendUint64(b, size), size), 0)

	end := uint64(len(b))
	b = append(b, "PK\x06\x06\x2c\x00\x00\x00\x00\x00\x00\x00\x2d\x00\x2d\x00\x00\x00\x00\x00\x00\x00\x00\x00"...)
	for _, n := range []uint64{1, 1, end - start, start} {
		b = le.AppendUint64(b, n)
	}
	b = le.AppendUint64(append(b, "PK\x06\x07\x00\x00\x00\x00"...), end)
	b = append(b, "\x01\x00\x00\x00"...)
	return append(b, "PK\x05\x06\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00"...)
}

func TestZip64(t *testing.T) {
	z, err := open(zip64("x.npy", plain("<i2", "(2,)", "\x01\x00\x02\x00")), nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := z.Read("x")
	if err != nil {
		t.Fatal(err)
	}
	if v, err := a.Ints(); err != nil || !slices.Equal(v, []int64{1, 2}) {
		t.Errorf("%v, %v", v, err)
	}
}

// patched replaces the first, or for n = 2 the second, occurrence of old.
func patched(b []byte, old, with string, n int) []byte {
	at := 0
	for ; n > 0; n-- {
		at += bytes.Index(b[at+1:], []byte(old)) + 1
	}
	b = bytes.Clone(b)
	copy(b[at:], with)
	return b
}

// raw is an archive of one member whose directory claims what it likes.
func raw(t testing.TB, h zip.FileHeader, data string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.CreateRaw(&h)
	if err == nil {
		_, err = f.Write([]byte(data))
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func badArchives(t testing.TB) []struct {
	name string
	data []byte
	want string
} {
	good := plain("|u1", "(3,)", "abc")
	one := zipped(t, member{"a.npy", good, zip.Store})
	size := uint64(len(good))
	sum := crc32.ChecksumIEEE([]byte(good))
	header := func(method uint16, compressed, uncompressed uint64) zip.FileHeader {
		return zip.FileHeader{Name: "a.npy", Method: method, CRC32: sum, CompressedSize64: compressed,
			UncompressedSize64: uncompressed}
	}
	return []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "not a readable zip archive"},
		{"text", []byte("not an archive at all, however long it may be"), "not a readable zip archive"},
		{"cut", one[:len(one)-5], "not a readable zip archive"},
		{"escape", zipped(t, member{"../a.npy", good, zip.Store}), "leads out of the archive"},
		{"absolute", zipped(t, member{"/etc/a.npy", good, zip.Store}), "leads out of the archive"},
		{"windows", zipped(t, member{`..\a.npy`, good, zip.Store}), "leads out of the archive"},
		{"drive", zipped(t, member{`C:a.npy`, good, zip.Store}), "leads out of the archive"},
		{"twice", zipped(t, member{"a.npy", good, zip.Store}, member{"a.npy", good, zip.Store}), "there twice"},
		{"method", raw(t, header(12, size, size), good), "compression method 12"},
		{"encrypted", raw(t, zip.FileHeader{Name: "a.npy", Flags: 1, CompressedSize64: size, UncompressedSize64: size},
			good), "encrypted"},
		{"bomb by claim", raw(t, header(zip.Deflate, size, 1<<40), good), "cannot be the content"},
		{"2⁶³ bytes", raw(t, header(zip.Deflate, size, 1<<63), good), "cannot be the content"},
		{"stored longer", raw(t, header(zip.Store, size, 2*size), good), "are stored as"},
		{"overlap", raw(t, header(zip.Store, 1<<40, 1<<40), good), "all members together"},
		{"wrong sum", patched(one, "abc", "abd", 1), "checksum"},
		{"bad deflate", raw(t, header(zip.Deflate, 4, size), "\xff\xff\xff\xff"), "flate"},
		{"object", zipped(t, member{"a.npy", plain("|O", "(1,)", "abc"), zip.Store}), "x.npz:a.npy: byte 10: "},
		{"short array", zipped(t, member{"a.npy", plain("<f8", "(1000000000,)", "abc"), zip.Deflate}),
			"takes 8000000000 bytes, the file has 3"},
		{"cut header", zipped(t, member{"a.npy", "\x93NUM", zip.Deflate}), "ends inside the header"},
		{"content longer than claimed", longer(t), "x.npz:a.npy: "},
		{"content shorter than claimed", shorter(t), "x.npz:a.npy: "},
	}
}

// longer deflates four bytes of elements and claims three.
func longer(t testing.TB) []byte { return claims(t, "abcd", 3) }

// shorter deflates three bytes of elements and claims four.
func shorter(t testing.TB) []byte { return claims(t, "abc", 4) }

// claims deflates elements under a header, and in a directory, that count n of them.
func claims(t testing.TB, elements string, n int) []byte {
	head := plain("|u1", map[int]string{3: "(3,)", 4: "(4,)"}[n], "")
	b := zipped(t, member{"a.npy", head + elements, zip.Deflate})
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	h := z.File[0].FileHeader
	at, _ := z.File[0].DataOffset()
	h.UncompressedSize64 = uint64(len(head) + n)
	h.Flags = 0
	return raw(t, h, string(b[at:at+int64(h.CompressedSize64)]))
}

func TestBadArchives(t *testing.T) {
	for _, c := range badArchives(t) {
		t.Run(c.name, func(t *testing.T) {
			z, err := open(c.data, nil)
			if err == nil {
				_, err = z.Read("a")
			}
			var e *files.Error
			if !errors.As(err, &e) || !strings.HasPrefix(e.File, "x.npz") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v; want %q", err, c.want)
			}
		})
	}
}

// TestBomb reads an archive that is honest about its many zeros: only the limit can stop it, for one
// array and for several.
func TestBomb(t *testing.T) {
	zeros := plain("|u1", "(1000000,)", strings.Repeat("\x00", 1000000))
	b := zipped(t, member{"a.npy", zeros, zip.Deflate}, member{"b.npy", zeros, zip.Deflate})
	z, err := open(b, files.BudgetOf(1500000))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Read("a"); err != nil {
		t.Error(err)
	}
	if _, err := z.Read("b"); err == nil || !strings.Contains(err.Error(),
		"would take 976.6KiB, with 976.6KiB taken; the memory for reading it is 1.4MiB") {
		t.Errorf("%v", err)
	}
}

// FuzzNpz reads anything as an archive, and all arrays in it.
func FuzzNpz(f *testing.F) {
	f.Add(zipped(f, member{"a.npy", plain("|u1", "(3,)", "abc"), zip.Deflate}))
	f.Add(zip64("x.npy", plain("<i2", "(2,)", "\x01\x00\x02\x00")))
	for _, c := range badArchives(f) {
		f.Add(c.data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		z, err := open(data, files.BudgetOf(1<<20))
		if err != nil {
			return
		}
		for _, name := range z.Names() {
			if a, err := z.Read(name); err == nil {
				use(t, a)
			}
		}
	})
}
