package files

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// SumsFile is the file with the checksums of the other files of a folder, as sha256sum writes and checks them.
const SumsFile = "SHA256SUMS"

// journalEnds end the names of the files of a Journal, which has checksums of its own and changes.
var journalEnds = []string{".journal", ".journal" + headSuffix, ".journal" + beforeSuffix}

// Seal writes SHA256SUMS. With names, slash-separated and relative to dir, it adds these files to those listed before;
// without, it lists all files in dir and below, except names that begin with a dot and the files of a Journal, which
// change.
func Seal(dir string, names ...string) error {
	sums := map[string]string{}
	var err error
	if len(names) == 0 {
		names, err = files(dir)
	} else if Sealed(dir) {
		sums, err = readSums(dir)
	}
	if err != nil {
		return err
	}
	for _, name := range names {
		if sums[name], _, err = Sum(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			return err
		}
	}
	return writeSums(dir, sums)
}

// Unseal removes SHA256SUMS, before its files change.
func Unseal(dir string) error {
	err := os.Remove(filepath.Join(dir, SumsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	syncFolder(dir)
	return err
}

// Sealed reports whether a folder has SHA256SUMS.
func Sealed(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, SumsFile))
	return err == nil
}

// Unlisted returns the files in dir and below that SHA256SUMS does not list, so that Read cannot tell whether they have
// changed. It leaves out names that begin with a dot, and the files of a Journal, which has its own checksums.
func Unlisted(dir string) (names []string, err error) {
	all, err := files(dir)
	if err != nil {
		return nil, err
	}
	sums, err := readSums(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, name := range all {
		if _, listed := sums[name]; !listed {
			names = append(names, name)
		}
	}
	return names, nil
}

// Write is Replace for the outputs of commands. In a folder with SHA256SUMS, such as a run folder, it takes the lock
// and updates the checksum of the file too; the error may be a *Held.
func Write(path string, o WriteOptions, write func(io.Writer) error) error {
	dir, name := filepath.Dir(path), filepath.Base(path)
	if info, err := os.Stat(path); !Sealed(dir) || err == nil && !info.Mode().IsRegular() {
		return Replace(path, o, write)
	}
	if err := o.Allow(path); err != nil {
		return err
	}
	release, err := Lock(dir, nil)
	if err != nil {
		return err
	}
	defer release()
	sums, err := readSums(dir)
	if err != nil {
		return err
	}
	if _, listed := sums[name]; listed { // a process killed in between leaves no wrong sum
		delete(sums, name)
		if err := writeSums(dir, sums); err != nil {
			return err
		}
	}
	if err := Replace(path, o, write); err != nil {
		return err
	}
	return Seal(dir, name)
}

// Read reads a file and compares it with SHA256SUMS of its folder, if there is one that lists it. The error is a
// *files.Error.
func Read(path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, Because(path, err)
	}
	sums, err := readSums(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return b, nil
	}
	if err != nil {
		return nil, err
	}
	got := sha256.Sum256(b)
	if want, ok := sums[filepath.Base(path)]; ok && hex.EncodeToString(got[:]) != want {
		return nil, Errorf(path, "has changed since it was written, according to %s: restore it from a copy, or "+
			"create it again; if the change was intended, remove "+
			"%s", SumsFile, filepath.Join(filepath.Dir(path), SumsFile))
	}
	return b, nil
}

// files returns the files in dir and below.
func files(dir string) (names []string, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		switch {
		case err != nil:
			return err
		case strings.HasPrefix(d.Name(), ".") && name != "." && d.IsDir():
			return filepath.SkipDir
		case d.Type().IsRegular() && !strings.HasPrefix(d.Name(), ".") && name != SumsFile &&
			!slices.Contains(journalEnds, filepath.Ext(name)):
			names = append(names, filepath.ToSlash(name))
		}
		return nil
	})
	return names, err
}

// Sum returns the SHA-256 of a file, and its size.
func Sum(path string) (sum string, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	h := sha256.New()
	size, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), size, err
}

// escapes are how sha256sum writes characters that would break a line.
var (
	escape   = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`)
	unescape = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\r`, "\r")
)

func writeSums(dir string, sums map[string]string) error {
	return Replace(filepath.Join(dir, SumsFile), WriteOptions{}, func(w io.Writer) error {
		_, err := w.Write(formatSums(sums))
		return err
	})
}

func formatSums(sums map[string]string) []byte {
	var b []byte
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		text := escape.Replace(name)
		if text != name {
			b = append(b, '\\')
		}
		b = fmt.Appendf(b, "%s  %s\n", sums[name], text)
	}
	return b
}

// readSums reads SHA256SUMS of dir. A malformed line is a *files.Error.
func readSums(dir string) (map[string]string, error) {
	path := filepath.Join(dir, SumsFile)
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, Because(path, err)
	}
	return parseSums(path, b)
}

func parseSums(path string, b []byte) (map[string]string, error) {
	sums := map[string]string{}
	for i, line := range strings.Split(strings.TrimSuffix(string(b), "\n"), "\n") {
		if len(b) == 0 {
			break
		}
		text, marked := strings.CutPrefix(line, `\`)
		sum, name, ok := strings.Cut(text, "  ")
		if marked {
			name = unescape.Replace(name)
		}
		raw, err := hex.DecodeString(sum)
		if !ok || name == "" || err != nil || len(raw) != sha256.Size || strings.ToLower(sum) != sum {
			return nil, ErrorAt(path, i+1, "want a SHA-256, two spaces and a name")
		}
		sums[name] = sum
	}
	return sums, nil
}
