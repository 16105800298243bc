package run

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// file is what is written to; *os.File is one.
type file interface {
	io.WriteCloser
	Name() string
	Sync() error
}

// disk is where run folders are; tests put in one that fills up.
type disk struct {
	create func(dir, pattern string) (file, error) // as os.CreateTemp
	open   func(path string) (file, error)         // for appending
}

// realDisk is that of the machine.
var realDisk = disk{
	create: func(dir, pattern string) (file, error) { return os.CreateTemp(dir, pattern) },
	open: func(path string) (file, error) {
		return os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	},
}

// replace writes the file at path so that at every moment, whatever happens, there is the old one or the new one, complete: it
// writes another file beside it, forces that to the disk and then gives it the name.
func (d disk) replace(path string, write func(io.Writer) error) (err error) {
	f, err := d.create(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name()) // what is half written is of no use; the first error is the one to report
		}
	}()
	b := bufio.NewWriterSize(f, 1<<16)
	err = errors.Join(write(b), b.Flush(), f.Sync())
	if err = errors.Join(err, f.Close()); err != nil {
		return first(err)
	}
	if err := os.Chmod(f.Name(), 0o644); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	syncFolder(filepath.Dir(path))
	return nil
}

// first is the first of errors that were joined: the others follow from it.
func first(err error) error {
	for {
		j, ok := err.(interface{ Unwrap() []error })
		if !ok || len(j.Unwrap()) == 0 {
			return err
		}
		err = j.Unwrap()[0]
	}
}

// syncFolder makes the new name last too. Some systems cannot do that for folders; there the file itself is safe nonetheless.
func syncFolder(dir string) {
	if f, err := os.Open(dir); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}
