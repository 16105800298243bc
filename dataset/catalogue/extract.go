package catalogue

import (
	"archive/tar"
	"context"
	"errors"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zip"

	"github.com/bloomgml/bloom/internal/files"
)

const maxMembers = 1 << 16 // of an archive

// archiveName returns the file name of the archive that a source is.
func archiveName(s origin) string {
	if u, err := url.Parse(s.At[0]); err == nil {
		return path.Base(u.Path)
	}
	return path.Base(s.At[0])
}

// fromArchive downloads an archive from the first address that has it and takes the wanted files out of it.
func (g *getter) fromArchive(ctx context.Context, s origin, want []setFile) error {
	name := archiveName(s)
	archive := filepath.Join(g.stage, name)
	if err := g.fetch(ctx, s.At, setFile{Path: name}, archive); err != nil {
		return err
	}
	err := g.extract(archive, want)
	if removed := os.Remove(archive); err == nil {
		err = removed
	}
	return err
}

// extract takes the wanted files out of an archive, to the stage.
func (g *getter) extract(archive string, want []setFile) error {
	info, err := os.Stat(archive)
	if err != nil {
		return err
	}
	x := &extraction{getter: g, archive: archive, want: want, found: map[string]bool{},
		unpack: files.Bounds.Unpacked(info.Size())}
	if strings.HasSuffix(archive, ".zip") {
		err = x.zip()
	} else {
		err = x.tar()
	}
	if err != nil {
		return err
	}
	for _, f := range want {
		if !x.found[f.Path] {
			return errors.Join(x.errorf("has no valid member %s", f.source()), x.wrong)
		}
	}
	g.ready = append(g.ready, want...)
	return nil
}

// extraction takes files out of an archive. Their places come from the catalogue, never from the
// archive: no member can be written anywhere else.
type extraction struct {
	*getter
	archive string
	want    []setFile
	found   map[string]bool // paths of the files on the stage, verified
	wrong   error           // why the last member with a wanted name was not extracted
	unpack  int64           // bytes that may still be unpacked
}

func (x *extraction) errorf(format string, args ...any) error {
	return files.Errorf(filepath.Base(x.archive), format, args...)
}

// zip walks through a zip file.
func (x *extraction) zip() error {
	z, err := zip.OpenReader(x.archive)
	if err != nil {
		return x.errorf("%v", err)
	}
	defer z.Close()
	if len(z.File) > maxMembers {
		return x.errorf("%d members, more than %d", len(z.File), maxMembers)
	}
	for _, m := range z.File {
		if err := x.member(m.Name, m.Mode().IsRegular(), m.Open); err != nil {
			return err
		}
	}
	return nil
}

// tar walks through a tar file that gzip has packed.
func (x *extraction) tar() error {
	f, err := os.Open(x.archive)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return x.errorf("%v", err)
	}
	t := tar.NewReader(files.NewUnpacker(filepath.Base(x.archive), z, x.unpack))
	for n := 0; ; n++ {
		m, err := t.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return x.errorf("%v", err)
		case n == maxMembers:
			return x.errorf("more than %d members", maxMembers)
		}
		open := func() (io.ReadCloser, error) { return io.NopCloser(t), nil }
		if err := x.member(m.Name, m.Typeflag == tar.TypeReg, open); err != nil {
			return err
		}
	}
}

// member looks at one member and extracts it if it is wanted. A path that leaves the archive is an error even if nobody
// wants it.
func (x *extraction) member(name string, regular bool, open func() (io.ReadCloser, error)) error {
	if !filepath.IsLocal(filepath.FromSlash(strings.TrimSuffix(name, "/"))) || strings.Contains(name, `\`) {
		return x.errorf("the member %q has a path that leaves the archive", name)
	}
	for _, f := range x.want {
		if name != f.source() && !strings.HasSuffix(name, "/"+f.source()) {
			continue
		}
		if !regular {
			return x.errorf("the member %q is a link or another entry that is not a file", name)
		}
		if err := x.extractFile(name, f, open); err != nil {
			return err
		}
	}
	return nil
}

// extractFile writes a member to the place of f and verifies it. If several members have its name the checksum decides;
// without a checksum that is an error.
func (x *extraction) extractFile(name string, f setFile, open func() (io.ReadCloser, error)) error {
	f = x.record.pinned(x.key(f), f)
	if x.found[f.Path] {
		if f.SHA256 == "" {
			return x.errorf("has several members %s, the second is %q", f.source(), name)
		}
		return nil
	}
	r, err := open()
	if err != nil {
		return x.errorf("%s: %v", name, err)
	}
	defer r.Close()
	limit := x.unpack
	if f.SHA256 != "" {
		limit = f.Bytes
	}
	var n int64
	err = createFile(x.staged(f), func(w io.Writer) error {
		var err error
		n, err = io.Copy(w, io.LimitReader(r, limit+1))
		return err
	})
	x.unpack -= n
	switch {
	case err != nil:
		return x.errorf("%s: %v", name, err)
	case n > limit:
		return errors.Join(x.errorf("%s has more than %d bytes", name, limit), os.Remove(x.staged(f)))
	}
	if err := verifyFile(x.staged(f), f); err != nil {
		x.wrong = x.errorf("the member %q is not the expected file: %v", name, err)
		return os.Remove(x.staged(f))
	}
	x.found[f.Path] = true
	return nil
}
