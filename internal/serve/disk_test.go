//go:build linux

package serve

import (
	"bytes"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFullDisk: a run on a disk that is full, or that cannot be written, is served, whether it was served before or
// not; edits are refused, which is said at the start, and on a disk that has room again they are made.
func TestFullDisk(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("none", disk, "tmpfs", 0, "size=8m"); err != nil {
		t.Skip("no disk can be mounted here: ", err)
	}
	defer syscall.Unmount(disk, syscall.MNT_DETACH)
	dir, filler := filepath.Join(disk, "small"), filepath.Join(disk, "filler")
	if err := os.CopyFS(dir, os.DirFS(trained(t, "base"))); err != nil {
		t.Fatal(err)
	}
	const edit = `{"edits":[{"set_features":{"id":"n1","features":[1,2,3,4]}}]}`
	for version := range 2 {
		if err := fill(filler); err != nil {
			t.Fatal(err)
		}
		r, said := saying(t, dir)
		var size struct{ Version int }
		r.ask("/v1/graph", "", 200, &size)
		if !strings.Contains(said.String(), "read-only") || size.Version != version {
			t.Errorf("version %d, want %d; it said %s", size.Version, version, said)
		}
		r.ask("/v1/graph", `{"edits":[`+strings.Repeat(`{"set_label":{"id":"n1","class":"c1"}},`, 1000)+
			`{"confirm":{"row":"n1"}}]}`, 507, nil)
		r.ask("/v1/nodes/n3", "", 200, nil)
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
		r.ask("/v1/graph", edit, 200, nil)
		r.Close()
		r.s.Close()
	}
	if err := syscall.Mount("none", disk, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	r, said := saying(t, dir)
	r.ask("/v1/graph", edit, 507, nil)
	r.ask("/v1/nodes/n3", "", 200, nil)
	if !strings.Contains(said.String(), "read-only file system") {
		t.Errorf("it said %s", said)
	}
}

// saying is a server with its log.
func saying(t *testing.T, dir string) (running, *bytes.Buffer) {
	t.Helper()
	var said bytes.Buffer
	log := slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{Level: slog.LevelWarn}))
	s, err := New(t.Context(), Options{}, log, dir)
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s.Handler())
	t.Cleanup(func() { h.Close(); s.Close() })
	return running{t, h, s}, &said
}

// fill writes a file until its disk is full.
func fill(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	for {
		if _, err := f.Write(make([]byte, 4096)); err != nil {
			return nil
		}
	}
}
