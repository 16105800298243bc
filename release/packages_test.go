package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// made packs a program that is a text, and returns the files of the release.
func made(t *testing.T) map[string][]byte {
	t.Helper()
	t.Chdir("..")
	dir, out := t.TempDir(), t.TempDir()
	path := filepath.Join(dir, "bloom")
	if err := os.WriteFile(path, []byte("the program"), 0o600); err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(out, "bloom-v1.2.3-rc.1-darwin-arm64.tar.gz")
	if err := os.WriteFile(archive, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := release{"v1.2.3-rc.1", "abc", out, []program{{"linux", "amd64", path}, {"linux", "arm64", path},
		{"darwin", "arm64", path}}}
	if err := r.pack(); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	names, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range names {
		if files[f.Name()], err = os.ReadFile(filepath.Join(out, f.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// TestPackagesSameBytes: what is packed twice has the same bytes.
func TestPackagesSameBytes(t *testing.T) {
	first := made(t)
	if len(first) != 8 {
		t.Fatalf("%d files", len(first))
	}
	t.Chdir("release")
	for name, data := range made(t) {
		if !bytes.Equal(first[name], data) {
			t.Errorf("%s has other bytes the second time", name)
		}
	}
}

// TestImage follows the layout from its index to the program, through every digest.
func TestImage(t *testing.T) {
	blobs := unpacked(t, made(t)["bloom-v1.2.3-rc.1-image.tar"])
	blob := func(d descriptor) []byte {
		data := blobs["blobs/sha256/"+strings.TrimPrefix(d.Digest, "sha256:")]
		if sum := fmt.Sprintf("sha256:%x", sha256.Sum256(data)); sum != d.Digest || len(data) != d.Size {
			t.Fatalf("%s has %d bytes with the hash %s, want %d", d.Digest, len(data), sum, d.Size)
		}
		return data
	}
	var index struct{ Manifests []descriptor }
	read(t, blobs["index.json"], &index)
	read(t, blob(index.Manifests[0]), &index)
	if len(index.Manifests) != 2 || index.Manifests[1].Platform.Architecture != "arm64" {
		t.Fatalf("%v", index)
	}
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	read(t, blob(index.Manifests[0]), &manifest)
	var config struct {
		Config struct {
			User       string
			Entrypoint []string
		}
		RootFS struct {
			DiffIDs []string `json:"diff_ids"`
		} `json:"rootfs"`
	}
	read(t, blob(manifest.Config), &config)
	z, err := gzip.NewReader(bytes.NewReader(blob(manifest.Layers[0])))
	if err != nil {
		t.Fatal(err)
	}
	layer, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if sum := fmt.Sprintf("sha256:%x", sha256.Sum256(layer)); sum != config.RootFS.DiffIDs[0] {
		t.Errorf("the layer is %s, want %s", sum, config.RootFS.DiffIDs[0])
	}
	if got := string(unpacked(t, layer)["bloom"]); got != "the program" || config.Config.User != "65532:65532" ||
		config.Config.Entrypoint[0] != "/bloom" {
		t.Errorf("%q with %v", got, config)
	}
}

// TestFormula: the formula has the archives that there are.
func TestFormula(t *testing.T) {
	got := string(made(t)["bloom.rb"])
	want := fmt.Sprintf("  version \"1.2.3-rc.1\"\n  license \"Apache-2.0\"\n\n  on_macos do\n    on_arm do\n"+
		"      url \"%s/releases/download/v1.2.3-rc.1/bloom-v1.2.3-rc.1-darwin-arm64.tar.gz\"\n"+
		"      sha256 \"%x\"\n    end\n  end\n\n"+
		"  def install", home,
		sha256.Sum256([]byte("x")))
	if !strings.Contains(got, want) {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestVersions: what is not a version is refused, and a candidate comes before its release.
func TestVersions(t *testing.T) {
	for _, version := range []string{"", "latest", "v1.2", "v1.2.3-a b"} {
		if err := (release{version: version}).pack(); err == nil {
			t.Errorf("%q is a version", version)
		}
	}
	if got := (release{version: "v1.2.3-rc.1"}).plain(); got != "1.2.3~rc.1" {
		t.Error(got)
	}
}

// unpacked returns the files of a tar archive.
func unpacked(t *testing.T, data []byte) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	r := tar.NewReader(bytes.NewReader(data))
	for {
		h, err := r.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

// read decodes JSON.
func read(t *testing.T, data []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%q: %v", data, err)
	}
}
