package files

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Draft is an output being written. Its bytes go to a temporary file next to it, which Commit renames; a device or a
// pipe is written directly.
type Draft struct {
	*os.File
	target
	options WriteOptions
	sum     hash.Hash // of what Replace wrote, to verify it; nil for no verification
	done    bool
}

// Create starts writing path, as o allows. Either Commit or Discard ends it.
func Create(path string, o WriteOptions) (*Draft, error) {
	to, err := o.resolve(path)
	if err != nil {
		return nil, err
	}
	out := &Draft{target: to, options: o}
	switch {
	case to.stream != nil:
		out.File = to.stream
	case to.device:
		out.File, err = os.OpenFile(path, os.O_WRONLY, 0)
	default:
		out.File, err = temporary(to.path)
	}
	var at *fs.PathError
	if errors.As(err, &at) {
		at.Path = path // not the path of the temporary file
	}
	if err != nil {
		return nil, err
	}
	if to.exists && !to.direct() {
		if err := out.Chmod(to.mode); err != nil {
			out.Discard()
			return nil, err
		}
	}
	return out, nil
}

// Commit syncs what was written to disk, unless it is Passing, and renames it. After an error the old file is
// unchanged.
func (f *Draft) Commit() error {
	if f.done {
		return nil
	}
	if f.direct() {
		f.done = true
		if f.stream != nil {
			return nil
		}
		return f.Close()
	}
	if err := f.commit(); err != nil {
		f.Discard()
		return f.named(err)
	}
	return nil
}

// Sync syncs what was written so far to disk; it does nothing for a device or a pipe.
func (f *Draft) Sync() error {
	if f.direct() {
		return nil
	}
	return f.File.Sync()
}

func (f *Draft) commit() error {
	if !f.options.Passing {
		if err := f.Sync(); err != nil {
			return err
		}
	}
	if err := f.readBack(); err != nil {
		return err
	}
	to, err := f.options.resolve(f.asked) // it may have changed since Create
	if err != nil {
		return err
	}
	if f.options.Previous != "" && to.exists {
		if err := os.Rename(to.path, f.options.Previous); err != nil {
			return err
		}
	}
	if !renamesOpen {
		if err := f.Close(); err != nil {
			return err
		}
	}
	if err := os.Rename(f.Name(), f.path); err != nil {
		return err
	}
	f.done = true
	if !f.options.Passing {
		syncFolder(filepath.Dir(f.path))
	}
	if renamesOpen {
		return f.Close()
	}
	return nil
}

// readBack compares the contents of the file with what was written.
func (f *Draft) readBack() error {
	if f.sum == nil {
		return nil
	}
	got, _, err := Sum(f.Name())
	if want := hex.EncodeToString(f.sum.Sum(nil)); err == nil && got != want {
		err = fmt.Errorf("%s: what was written reads back with the SHA-256 %s, want %s: the disk may be failing",
			f.asked, got, want)
	}
	return err
}

// Discard removes what was written, unless Commit has renamed it already.
func (f *Draft) Discard() {
	if f.done {
		return
	}
	f.done = true
	if f.stream == nil {
		_ = f.Close()
	}
	if !f.direct() {
		_ = os.Remove(f.Name())
	}
}

// named returns err with the requested file instead of the temporary one.
func (f *Draft) named(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) && at.Path == f.Name() {
		at.Path = f.asked
	}
	return err
}

// Replace writes the file at path through a buffer: at every moment, whatever happens, either the old or the new file
// is there, complete.
func Replace(path string, o WriteOptions, write func(io.Writer) error) error {
	f, err := Create(path, o)
	if err != nil {
		return err
	}
	defer f.Discard()
	var to io.Writer = f
	if o.ReadBack && !f.direct() {
		f.sum = sha256.New()
		to = io.MultiWriter(f, f.sum)
	}
	b := bufio.NewWriterSize(to, 1<<16)
	if err := write(b); err != nil {
		return f.named(err)
	}
	if err := b.Flush(); err != nil {
		return f.named(err)
	}
	return f.Commit()
}

// Temporary ends the names of temporary files, which begin with a dot.
const Temporary = ".bloom-part"

// temporary creates a locked file for the future path: .NAME.bloom-part, or with a number if somebody is writing that
// one.
func temporary(path string) (*os.File, error) {
	dir, name := filepath.Split(path)
	name = strings.ToValidUTF8(name[:min(len(name), 200)], "")
	for n := range 100 {
		part := dir + "." + name
		if n > 0 {
			part += fmt.Sprintf(".%d", n)
		}
		f, err := exclusive(part + Temporary)
		if err == nil || !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return nil, fmt.Errorf("%s: 100 processes are writing it", path)
}

// exclusive creates and locks a file. It replaces a file that a killed process left.
func exclusive(path string) (*os.File, error) {
	for range 10 {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) && abandoned(path) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := lockFile(f, true); err != nil && !errors.Is(err, errNoLocks) {
			return nil, errors.Join(err, f.Close(), os.Remove(path))
		}
		if isAt(f, path) { // otherwise it was removed as abandoned before it was locked
			return f, nil
		}
		_ = f.Close()
	}
	return nil, &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
}

// abandoned removes a temporary file that no process holds, and reports whether it did.
func abandoned(path string) bool {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	if err := lockFile(f, false); err != nil && !errors.Is(err, errNoLocks) || !isAt(f, path) {
		return false
	}
	if !renamesOpen {
		_ = f.Close()
	}
	return os.Remove(path) == nil
}

// isAt reports whether f is the file that path names.
func isAt(f *os.File, path string) bool {
	a, err := f.Stat()
	b, err2 := os.Lstat(path)
	return err == nil && err2 == nil && os.SameFile(a, b)
}

// syncFolder makes a new name durable. Some systems cannot do that for folders; there the file itself is safe
// nonetheless.
func syncFolder(dir string) {
	if f, err := os.Open(dir); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}

// Sweep removes temporary files that killed processes left in dir and below. Files being written stay.
func Sweep(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.Type().IsRegular() && strings.HasPrefix(name, ".") && strings.HasSuffix(name, Temporary) {
			abandoned(path)
		}
		return nil
	})
}

// WriteOptions say what an output may replace. The zero value replaces any regular file. Folders are always refused;
// devices and pipes are written to and never replaced.
type WriteOptions struct {
	// Ours reports whether this program wrote the file that begins with head, up to 512 bytes. Other files are not
	// replaced, unless they are empty; nil allows replacing any file.
	Ours     func(head []byte) bool
	Force    bool     // also replace what others wrote
	Inputs   []string // input files are never replaced; names that are not files are ignored
	Previous string   // the new name of the old file; empty removes it
	Passing  bool     // do not wait for the disk: after a loss of power the file may be damaged
	ReadBack bool     // Replace and Write compare the disk with what was written, before renaming
}

// Allow returns the error that Create would return because of what is at path, for commands that work for a long time
// before they write. It is a *files.Error.
func (o WriteOptions) Allow(path string) error {
	_, err := o.resolve(path)
	return err
}

// target is where an output goes.
type target struct {
	asked  string      // as the caller named it
	path   string      // the file itself, behind links
	exists bool        // there is a file
	mode   fs.FileMode // its permissions
	device bool        // neither a file nor a folder
	stream *os.File    // the standard stream that it is, if any
}

// direct reports whether the target is written without a temporary file.
func (t target) direct() bool { return t.device || t.stream != nil }

// resolve determines what path is, and whether it may be written.
func (o WriteOptions) resolve(path string) (target, error) {
	t := target{asked: path, path: path}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(path); err == nil {
			return t, Errorf(path, "is a link to nothing: remove it, or name the file itself")
		}
		return t, nil
	}
	if err != nil {
		return t, Because(path, err)
	}
	t.mode, t.exists, t.device = info.Mode().Perm(), true, !info.Mode().IsRegular()
	if info.IsDir() {
		return t, Errorf(path, "is a folder, want a file to write")
	}
	for _, s := range []*os.File{os.Stdout, os.Stderr} {
		if at, err := s.Stat(); err == nil && os.SameFile(at, info) {
			t.stream = s
			return t, nil
		}
	}
	if t.device {
		return t, nil
	}
	if t.path, err = filepath.EvalSymlinks(path); err != nil {
		return t, Because(path, err)
	}
	return t, o.replaceable(path, info)
}

// replaceable returns an error if a regular file must not be replaced.
func (o WriteOptions) replaceable(path string, info fs.FileInfo) error {
	for _, name := range o.Inputs {
		if in, err := os.Stat(name); err == nil && os.SameFile(in, info) {
			return Errorf(path, "is an input, so it cannot be the output: choose another name")
		}
	}
	if o.Ours == nil || o.Force || info.Size() == 0 {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return Because(path, err)
	}
	defer f.Close()
	head := make([]byte, 512)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return Because(path, err)
	}
	if !o.Ours(head[:n]) {
		return Errorf(path, "exists, and nothing in it says that bloom wrote it: choose another name, or replace "+
			"it with --force")
	}
	return nil
}
