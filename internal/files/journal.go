package files

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// Overview. A journal is a file that grows by lines,
//
//	NUMBER CHAIN TEXT
//
// whose numbers, the versions, count up by one. CHAIN is the SHA-256 of the chain before it, the number and the text,
// in hex; before the first line there are zeros. Next to it is its head, a file of one line of a fixed length,
//
//	NUMBER CHAIN SUM
//
// with the last version that was acknowledged. Append writes lines and waits for the disk, then writes the head and
// waits again. So after a crash the file may end with lines that nobody was told of, whole or torn, recognisable by
// their numbers, which are above the number in the head. A line up to there that is missing or not what its chain says
// is damage, and so is anything that is wrong where the head cannot be read: then it was the head that was damaged, or
// not written completely, and the journal is whole.

// Journal is such a file. It is for one process at a time, which a lock must ensure, and for one goroutine at a time.
type Journal struct {
	path       string
	file, head *os.File // nil until the first write
	first      int64    // the version of the first line; −1 if there are no lines
	last       int64    // the version of the last line
	chain      [sha256.Size]byte
	begin      int64 // bytes of the first line
	size       int64 // bytes of all lines
	unsure     bool  // the files may not hold what was acknowledged
	torn       bool
}

// headSuffix and beforeSuffix name the files next to a journal.
const (
	headSuffix   = "-head"
	beforeSuffix = "-before"
)

// OpenJournal reads the journal at path, verifies it and calls each with the lines, in order; a missing file has no
// lines. It writes nothing. The error for a damaged journal names the version and says what to do.
func OpenJournal(path string, each func(version int64, text []byte) error) (*Journal, error) {
	j := &Journal{path: path, first: -1, last: -1}
	head, known := readHead(path + headSuffix)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return j, j.reaches(head)
	}
	if err != nil {
		return nil, Because(path, err)
	}
	defer f.Close()
	lines := bufio.NewReaderSize(f, 1<<16)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, Because(path, err)
		}
		if len(line) == 0 {
			break
		}
		text, ok := j.nextText(line)
		if !ok && known && j.last >= head.version {
			j.torn = true
			return j, nil
		}
		if !ok {
			return nil, j.damaged(n, line)
		}
		if j.last == head.version && j.last > j.first && j.chain != head.chain {
			return nil, ErrorAt(path, n, "version %d is not the one that was acknowledged: %s belongs to another "+
				"file. Put the right one in its place", j.last, path+headSuffix)
		}
		if err := each(j.last, text); err != nil {
			return nil, ErrorAt(path, n, "version %d: %v", j.last, err)
		}
	}
	return j, j.reaches(head)
}

// nextText returns the text of a line, if it is the next line.
func (j *Journal) nextText(line []byte) (text []byte, ok bool) {
	version, rest, _ := bytes.Cut(line, []byte(" "))
	_, text, _ = bytes.Cut(bytes.TrimSuffix(rest, []byte("\n")), []byte(" "))
	next := j.last + 1
	if j.first < 0 {
		next, _ = strconv.ParseInt(string(version), 10, 64)
	}
	chain := follow(j.chain, next, text)
	if next < 0 || !bytes.Equal(appendLine(nil, next, chain, text), line) {
		return nil, false
	}
	if j.first < 0 {
		j.first, j.begin = next, int64(len(line))
	}
	j.last, j.chain = next, chain
	j.size += int64(len(line))
	return text, true
}

// follow returns the chain after a line.
func follow(chain [sha256.Size]byte, version int64, text []byte) [sha256.Size]byte {
	return sha256.Sum256(append(fmt.Appendf(chain[:], "%d ", version), text...))
}

func appendLine(b []byte, version int64, chain [sha256.Size]byte, text []byte) []byte {
	return append(append(fmt.Appendf(b, "%d %x ", version, chain), text...), '\n')
}

// damaged returns the error for line n, which is not what was written.
func (j *Journal) damaged(n int, line []byte) error {
	if n == 1 {
		version, _, _ := bytes.Cut(line[:min(len(line), 20)], []byte(" "))
		return ErrorAt(j.path, n, "the first line, of version %q, is damaged (wrong checksum), and all later "+
			"versions depend on it. Put a copy of the file in its place; or, to continue from that version without "+
			"the later ones, replace the file by %s, if that exists, and remove %s", version,
			j.path+beforeSuffix, j.path+headSuffix)
	}
	return ErrorAt(j.path, n, "version %d is damaged (wrong checksum). Put a copy of the file in its place; or, to "+
		"continue from version %d, keep its first %d lines and remove %s", j.last+1, j.last, n-1,
		j.path+headSuffix)
}

// reaches returns an error if the journal ends before a version that was acknowledged.
func (j *Journal) reaches(head headLine) error {
	switch {
	case head.version <= j.last:
		return nil
	case j.last < 0:
		return Errorf(j.path, "version %d was acknowledged, and the file is empty or not there: put a copy in its "+
			"place, or remove %s to start from scratch", head.version, j.path+headSuffix)
	}
	return Errorf(j.path, "version %d was acknowledged, and the file ends with version %d: put a copy in its "+
		"place, or remove %s to continue from version %[2]d", head.version, j.last, j.path+headSuffix)
}

// headLine is what the head of a journal says.
type headLine struct {
	version int64
	chain   [sha256.Size]byte
}

func (h headLine) text() []byte {
	b := fmt.Appendf(nil, "%20d %x ", h.version, h.chain)
	return fmt.Appendf(b, "%x\n", sha256.Sum256(b))
}

// readHead returns the head of a journal, and whether there is a readable one; otherwise version −1.
func readHead(path string) (h headLine, known bool) {
	b, err := os.ReadFile(path)
	if n, err2 := fmt.Sscanf(string(b), "%d", &h.version); err == nil && err2 == nil && n == 1 && len(b) > 21 {
		_, _ = hex.Decode(h.chain[:], b[21:min(len(b), 21+2*len(h.chain))])
		known = bytes.Equal(h.text(), b)
	}
	if !known {
		h = headLine{version: -1}
	}
	return h, known
}

// Version returns the version of the last line, −1 if there are no lines.
func (j *Journal) Version() int64 { return j.last }

// Torn reports whether the file, when it was opened, ended with lines that were never acknowledged; they were dropped.
func (j *Journal) Torn() bool { return j.torn }

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
