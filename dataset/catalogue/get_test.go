package catalogue

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bloomgml/bloom/internal/files"
)

// theFile is what test servers have under the name a.txt.
var theFile = []byte(strings.Repeat("0123456789", 5000))

func pin(path string, b []byte) setFile {
	sum := sha256.Sum256(b)
	return setFile{Path: path, Bytes: int64(len(b)), SHA256: hex.EncodeToString(sum[:])}
}

// oneFile is a set of the one file a.txt.
func oneFile(f setFile, at ...string) *Entry {
	return &Entry{Name: "Set", Folder: "some/set", Open: ".", Sources: []origin{{At: at, Files: []setFile{f}}}}
}

// newCache makes an empty cache the one that is used and returns its folder.
func newCache(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("BLOOM_CACHE", dir)
	t.Setenv("BLOOM_DATA", "")
	return dir
}

// inCache is the content of a file of the set.
func inCache(cache, file string) string {
	b, _ := os.ReadFile(filepath.Join(cache, "some/set", file))
	return string(b)
}

// untouched fails the test if the cache holds anything but its stage.
func untouched(t *testing.T, cache string) {
	t.Helper()
	list, err := os.ReadDir(cache)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		if f.Name() != ".staging" {
			t.Errorf("the cache has %s", f.Name())
		}
	}
}

// serve starts a server.
func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL + "/"
}

// ranges answers with theFile, also in part.
func ranges(w http.ResponseWriter, r *http.Request) {
	http.ServeContent(w, r, "a.txt", time.Time{}, bytes.NewReader(theFile))
}

func TestGet(t *testing.T) {
	cache := newCache(t)
	var asked atomic.Int32
	at := serve(t, func(w http.ResponseWriter, r *http.Request) { asked.Add(1); ranges(w, r) })
	var last [2]int64
	o := Options{Progress: func(_ string, done, total int64) { last = [2]int64{done, total} }}
	for range 2 {
		path, err := oneFile(pin("a.txt", theFile), at).get(t.Context(), o)
		if err != nil || path != filepath.Join(cache, "some", "set") {
			t.Fatal(path, err)
		}
	}
	if inCache(cache, "a.txt") != string(theFile) || asked.Load() != 1 || last != [2]int64{50000, 50000} {
		t.Errorf("asked %d times, progress %v", asked.Load(), last)
	}
	if _, err := os.Stat(filepath.Join(cache, ".staging", "set")); !errors.Is(err, os.ErrNotExist) {
		t.Error("the stage is still there")
	}
}

// TestGetResumes cuts connections: in one call, and between two.
func TestGetResumes(t *testing.T) {
	cache := newCache(t)
	var mu sync.Mutex
	var asked []string
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.Header.Get("Range"))
		mu.Unlock()
		start, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(r.Header.Get("Range"), "bytes="), "-"))
		end := min(start+10000, len(theFile))
		w.Header().Set("Content-Length", strconv.Itoa(len(theFile)-start))
		if start > 0 {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", start, len(theFile)-1, len(theFile)))
			w.WriteHeader(http.StatusPartialContent)
		}
		_, _ = w.Write(theFile[start:end])
		if end < len(theFile) {
			panic(http.ErrAbortHandler)
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	o := Options{Progress: func(_ string, done, _ int64) {
		if done >= 20000 {
			cancel()
		}
	}}
	e := oneFile(pin("a.txt", theFile), at)
	if _, err := e.get(ctx, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	untouched(t, cache)
	if _, err := e.get(t.Context(), Options{}); err != nil {
		t.Fatal(err)
	}
	if inCache(cache, "a.txt") != string(theFile) {
		t.Error("the file is wrong")
	}
	mu.Lock()
	defer mu.Unlock()
	if len(asked) < 4 || asked[0] != "" || asked[1] == "" || asked[2] == "" {
		t.Errorf("asked for %q", asked)
	}
}

// TestGetWithoutRange: a server that always sends everything is asked again and sends everything again.
func TestGetWithoutRange(t *testing.T) {
	cache := newCache(t)
	var asked atomic.Int32
	at := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		again := asked.Add(1) > 1
		w.Header().Set("Content-Length", strconv.Itoa(len(theFile)))
		_, _ = w.Write(theFile[:20000])
		if !again {
			panic(http.ErrAbortHandler)
		}
		_, _ = w.Write(theFile[20000:])
	})
	if _, err := oneFile(pin("a.txt", theFile), at).get(t.Context(), Options{}); err != nil {
		t.Fatal(err)
	}
	if inCache(cache, "a.txt") != string(theFile) || asked.Load() != 2 {
		t.Errorf("asked %d times", asked.Load())
	}
}

// TestGetOldPart: a part that belongs to something else is noticed by the checksum and dropped.
func TestGetOldPart(t *testing.T) {
	cache := newCache(t)
	part := filepath.Join(cache, ".staging", "set", "a.txt.part")
	if err := createFile(part, func(w io.Writer) error {
		_, err := w.Write([]byte("something else"))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := oneFile(pin("a.txt", theFile), serve(t, ranges)).get(t.Context(), Options{}); err != nil {
		t.Fatal(err)
	}
	if inCache(cache, "a.txt") != string(theFile) {
		t.Error("the file is wrong")
	}
}

// TestGetWrong: what is not as pinned leaves the cache as it was.
func TestGetWrong(t *testing.T) {
	for want, f := range map[string]setFile{
		"has the sha256":            {Path: "a.txt", Bytes: int64(len(theFile)), SHA256: strings.Repeat("0", 64)},
		"has 50000 bytes, want 600": {Path: "a.txt", Bytes: 60000, SHA256: pin("", theFile).SHA256},
		"has more than 100 bytes":   {Path: "a.txt", Bytes: 100, SHA256: pin("", theFile).SHA256},
	} {
		cache := newCache(t)
		if _, err := oneFile(f, serve(t, ranges)).get(t.Context(), Options{}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		untouched(t, cache)
		if left, _ := filepath.Glob(filepath.Join(cache, ".staging/set/*")); len(left) != 0 {
			t.Errorf("left are %v", left)
		}
	}
}

// TestGetAllOrNothing: the second of two files is wrong, so the first does not come either.
func TestGetAllOrNothing(t *testing.T) {
	cache := newCache(t)
	e := oneFile(pin("a.txt", theFile), serve(t, ranges))
	e.Sources[0].Files = append(e.Sources[0].Files, pin("b.txt", []byte("other")))
	if _, err := e.get(t.Context(), Options{}); err == nil {
		t.Error("no error")
	}
	untouched(t, cache)
}

// TestGetMirror: an address that has no file, then one that redirects to one that has.
func TestGetMirror(t *testing.T) {
	cache := newCache(t)
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/none/"):
			http.NotFound(w, r)
		case strings.HasPrefix(r.URL.Path, "/moved/"):
			http.Redirect(w, r, "/here/a.txt", http.StatusFound)
		default:
			ranges(w, r)
		}
	})
	e := oneFile(pin("a.txt", theFile), at+"none/", at+"moved/")
	if _, err := e.get(t.Context(), Options{}); err != nil || inCache(cache, "a.txt") != string(theFile) {
		t.Error(err)
	}
	newCache(t)
	e = oneFile(pin("a.txt", theFile), at+"none/", at+"none/twice/")
	_, err := e.get(t.Context(), Options{})
	if err == nil || strings.Count(err.Error(), "the server answers 404 Not Found") != 2 {
		t.Error(err)
	}
	cache = newCache(t)
	if _, err := e.get(t.Context(), Options{From: at}); err != nil || inCache(cache, "a.txt") != string(theFile) {
		t.Error(err) // the address …/some/set/a.txt
	}
}

// TestGetRecords: a file without a pinned checksum is compared with its first download.
func TestGetRecords(t *testing.T) {
	cache := newCache(t)
	var content atomic.Value
	content.Store("first")
	at := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, content.Load()) })
	e := oneFile(setFile{Path: "a.txt"}, at)
	if _, err := e.get(t.Context(), Options{}); err != nil {
		t.Fatal(err)
	}
	record, err := os.ReadFile(filepath.Join(cache, "checksums.json"))
	if err != nil || !strings.Contains(string(record), pin("", []byte("first")).SHA256) ||
		!strings.Contains(string(record), `"some/set/a.txt"`) {
		t.Errorf("%s %v", record, err)
	}
	content.Store("other")
	if err := os.Remove(filepath.Join(cache, "some/set/a.txt")); err != nil {
		t.Fatal(err)
	}
	if _, err := e.get(t.Context(), Options{}); err == nil || !strings.Contains(err.Error(), "has the sha256") {
		t.Error(err)
	}
	if inCache(cache, "a.txt") != "" {
		t.Error("the changed file is in the cache")
	}
	content.Store("first")
	if _, err := e.get(t.Context(), Options{}); err != nil {
		t.Error(err)
	}
}

// TestGetFromFolder: files laid out as in the cache, or directly; optional ones may be missing.
func TestGetFromFolder(t *testing.T) {
	for _, inner := range []string{"some/set", ""} {
		cache, from := newCache(t), t.TempDir()
		file := filepath.Join(from, filepath.FromSlash(inner), "a.txt")
		if err := createFile(file, func(w io.Writer) error { _, err := w.Write(theFile); return err }); err != nil {
			t.Fatal(err)
		}
		e := oneFile(pin("a.txt", theFile), "http://nowhere.invalid/")
		e.Sources = append(e.Sources, origin{Optional: true, Files: []setFile{pin("b.txt", nil)}})
		if _, err := e.get(t.Context(), Options{From: from}); err != nil || inCache(cache, "a.txt") != string(theFile) {
			t.Error(err)
		}
		e.Sources[0].Files[0].SHA256 = strings.Repeat("1", 64)
		if _, err := e.get(t.Context(), Options{From: from}); err == nil ||
			!strings.Contains(err.Error(), "has the sha256") {
			t.Error(err)
		}
		if inCache(cache, "a.txt") != string(theFile) {
			t.Error("the cache changed")
		}
	}
}

// member is a member of an archive to be made.
type member struct {
	name, text, link string
}

func zipOf(members ...member) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, m := range members {
		h := &zip.FileHeader{Name: m.name, Method: zip.Deflate}
		if m.link != "" {
			h.SetMode(os.ModeSymlink | 0o777)
			m.text = m.link
		}
		w, _ := z.CreateHeader(h)
		_, _ = w.Write([]byte(m.text))
	}
	_ = z.Close()
	return b.Bytes()
}

func tarOf(members ...member) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	t := tar.NewWriter(z)
	for _, m := range members {
		h := &tar.Header{Name: m.name, Size: int64(len(m.text)), Mode: 0o644}
		if m.link != "" {
			h.Typeflag, h.Linkname = tar.TypeSymlink, m.link
		}
		_ = t.WriteHeader(h)
		_, _ = t.Write([]byte(m.text))
	}
	_, _ = t.Close(), z.Close()
	return b.Bytes()
}

// TestGetArchive takes files out of archives, and refuses archives that try to do harm.
func TestGetArchive(t *testing.T) {
	bomb := strings.Repeat("\x00", int(files.Bounds.Unpacked(0))+1)
	right := pin("raw/a.txt", []byte("right"))
	loose := setFile{Path: "raw/a.txt"}
	for _, c := range []struct {
		name    string
		file    setFile
		members []member
		want    string // an error, or nothing
	}{
		{"plain", right, []member{{name: "README"}, {name: "top/raw/a.txt", text: "right"}}, ""},
		{"no folder", right, []member{{name: "raw/a.txt", text: "right"}}, ""},
		{"by checksum", right, []member{{name: "x/raw/a.txt", text: "wrong"}, {name: "y/raw/a.txt", text: "right"}},
			""},
		{"not pinned", loose, []member{{name: "x/raw/a.txt", text: "right"}}, ""},
		{"ambiguous", loose, []member{{name: "x/raw/a.txt", text: "1"}, {name: "y/raw/a.txt", text: "2"}},
			"has several members raw/a.txt"},
		{"missing", right, []member{{name: "x/xraw/a.txt", text: "right"}}, "has no valid member raw/a.txt"},
		{"wrong", right, []member{{name: "x/raw/a.txt", text: "wrong"}},
			`the member "x/raw/a.txt" is not the expected file`},
		{"longer", right, []member{{name: "x/raw/a.txt", text: "right and more"}}, "has more than 5 bytes"},
		{"escape", right, []member{{name: "raw/a.txt", text: "right"}, {name: "../../evil", text: "x"}},
			"leaves the archive"},
		{"absolute", right, []member{{name: "/raw/a.txt", text: "right"}}, "leaves the archive"},
		{"backslash", right, []member{{name: `..\raw/a.txt`, text: "right"}}, "leaves the archive"},
		{"link", right, []member{{name: "raw/a.txt", link: "/etc/passwd"}}, "is a link"},
		{"bomb", loose, []member{{name: "raw/a.txt", text: bomb}}, "more than"},
	} {
		for ending, pack := range map[string]func(...member) []byte{"set.zip": zipOf, "set.tar.gz": tarOf,
			"set.tgz": tarOf} {
			if testing.Short() && c.name == "bomb" || c.name == "bomb" && ending == "set.tgz" {
				continue
			}
			t.Run(c.name+"/"+ending, func(t *testing.T) {
				cache, content := newCache(t), pack(c.members...)
				at := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(content) })
				e := oneFile(c.file, at+ending)
				e.Sources[0].Archive = true
				_, err := e.get(t.Context(), Options{})
				if c.want == "" {
					if err != nil || inCache(cache, "raw/a.txt") != "right" {
						t.Errorf("%q, %v", inCache(cache, "raw/a.txt"), err)
					}
					return
				}
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %v, want %s", err, c.want)
				}
				untouched(t, cache)
			})
		}
	}
}

// TestGetArchiveFromFolder: the archive itself was carried here.
func TestGetArchiveFromFolder(t *testing.T) {
	cache, from := newCache(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(from, "set.zip"), zipOf(member{name: "raw/a.txt", text: "right"}),
		0o666); err != nil {
		t.Fatal(err)
	}
	e := oneFile(pin("raw/a.txt", []byte("right")), "http://nowhere.invalid/set.zip?dl=1")
	e.Sources[0].Archive = true
	if _, err := e.get(t.Context(), Options{From: from}); err != nil || inCache(cache, "raw/a.txt") != "right" {
		t.Error(err)
	}
	if !isFile(filepath.Join(from, "set.zip")) {
		t.Error("the archive is gone")
	}
}

func TestGetUnknown(t *testing.T) {
	_, err := Get(t.Context(), "coraa", Options{})
	var unknown *RefError
	if !errors.As(err, &unknown) || !strings.Contains(err.Error(), `did you mean "cora"?`) {
		t.Error(err)
	}
}
