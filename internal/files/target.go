package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

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
	head, err := beginning(path)
	if err != nil {
		return Because(path, err)
	}
	if !o.Ours(head) {
		return Errorf(path, "exists, and nothing in it says that bloom wrote it: choose another name, or replace "+
			"it with --force")
	}
	return nil
}

// beginning returns the first 512 bytes of a file, or fewer.
func beginning(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := make([]byte, 512)
	n, err := io.ReadFull(f, b)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = nil
	}
	return b[:n], err
}
