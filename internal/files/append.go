package files

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Grown reports whether there are at least many lines after the first, which together are at least as long as the
// first: then it is time to Rewrite.
func (j *Journal) Grown(many int64) bool { return j.last-j.first >= many && j.size >= 2*j.begin }

// Append writes the next versions, and returns when they are on disk. After an error none of them is there; the disk
// may be full, and the next Append tries again.
func (j *Journal) Append(texts ...[]byte) error {
	if err := j.ready(); err != nil {
		return err
	}
	var b []byte
	to := headLine{j.last, j.chain}
	for _, text := range texts {
		to.version++
		to.chain = follow(to.chain, to.version, text)
		b = appendLine(b, to.version, to.chain, text)
	}
	j.unsure = true
	_, err := writeAt(j.file, b, j.size)
	if err == nil {
		err = j.file.Sync()
	}
	if err == nil {
		err = j.mark(to)
	}
	if err != nil {
		_ = j.ready() // undoes what it can; otherwise the next Append does
		return err
	}
	if j.first < 0 {
		j.first, j.begin = to.version-int64(len(texts))+1, int64(bytes.IndexByte(b, '\n')+1)
	}
	j.last, j.chain, j.unsure = to.version, to.chain, false
	j.size += int64(len(b))
	return nil
}

// writeAt writes to a journal; tests replace it.
var writeAt = (*os.File).WriteAt

// ready restores the files to what was acknowledged: the head first, so it is never ahead of the lines.
func (j *Journal) ready() (err error) {
	if j.file != nil && !j.unsure {
		return nil
	}
	j.unsure = true
	if j.head == nil {
		j.head, err = os.OpenFile(j.path+headSuffix, os.O_RDWR|os.O_CREATE, 0o666)
	}
	if err == nil {
		err = j.mark(headLine{j.last, j.chain})
	}
	if err == nil && j.file == nil {
		j.file, err = os.OpenFile(j.path, os.O_RDWR|os.O_CREATE, 0o666)
	}
	if err == nil {
		err = j.file.Truncate(j.size)
	}
	if err == nil {
		err = j.file.Sync()
	}
	syncFolder(filepath.Dir(j.path))
	j.unsure = err != nil
	return err
}

// mark writes the head.
func (j *Journal) mark(h headLine) error {
	if _, err := writeAt(j.head, h.text(), 0); err != nil {
		return err
	}
	return j.head.Sync()
}

// Rewrite replaces all lines by one, with the version of the last. The old file stays, with the suffix -before, until
// the next Rewrite.
func (j *Journal) Rewrite(text []byte) error {
	if err := j.ready(); err != nil {
		return err
	}
	chain := follow([sha256.Size]byte{}, j.last, text)
	line := appendLine(nil, j.last, chain, text)
	_ = os.Remove(j.path + beforeSuffix)
	_ = os.Link(j.path, j.path+beforeSuffix) // if possible
	err := j.file.Close()
	j.file = nil
	if err == nil {
		err = Replace(j.path, WriteOptions{ReadBack: true}, func(w io.Writer) error {
			_, err := w.Write(line)
			return err
		})
	}
	if err != nil {
		return err
	}
	j.first, j.chain, j.begin, j.size = j.last, chain, int64(len(line)), int64(len(line))
	return j.ready()
}

// Close closes the journal.
func (j *Journal) Close() error {
	var errs []error
	for _, f := range []*os.File{j.file, j.head} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	j.file, j.head = nil, nil
	return errors.Join(errs...)
}
