package table

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/internal/files"
)

// parts is one table in several files: the files of a folder, or the files that match a pattern such as part-*.parquet,
// one after another in the order of their names. It has the columns of all files; a file that lacks a column has no
// values in it. Folders named year=2024, as Spark and DuckDB write them, become a column year.
type parts struct {
	header
	options Options
	list    []part
	left    []string // files of the folder that are no tables, as others are by their names
	at      int      // of the next file
	open    Source   // nil between files
}

// part is one file of a table.
type part struct {
	path    string
	bytes   int64
	columns []int // index of its columns in the table; nil if they are the same
	keys    []partKey
}

// partKey is a value that all rows of a file have.
type partKey struct {
	column int
	value  string
}

var _ Source = (*parts)(nil)

// isParts reports whether name means several files.
func isParts(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir() || err != nil && strings.ContainsAny(name, "*?[")
}

// partFiles returns the files of a folder or a pattern, in order. Names that begin with a point or an underscore are
// not tables: .crc, _SUCCESS.
func partFiles(name string) (list []string, err error) {
	hidden := func(path string) bool { return strings.ContainsAny(filepath.Base(path)[:1], "._") }
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		err = filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case path == name:
			case hidden(path) && d.IsDir():
				return fs.SkipDir
			case !hidden(path) && !d.IsDir():
				list = append(list, path)
			}
			return nil
		})
		if err != nil {
			return nil, files.Because(name, err)
		}
	} else if list, err = filepath.Glob(name); err != nil {
		return nil, files.Because(name, err)
	}
	if len(list) == 0 {
		return nil, files.Errorf(name, "there is no file of a table")
	}
	slices.Sort(list)
	return list, nil
}

// openParts reads the columns of every file.
func openParts(name string, o Options) (Source, error) {
	paths, err := partFiles(name)
	if err != nil {
		return nil, err
	}
	p := &parts{header: header{name: name, budget: o.Budget}, options: o}
	if info, err := os.Stat(name); err == nil && info.IsDir() && slices.ContainsFunc(paths, isTableFile) {
		paths = slices.DeleteFunc(paths, func(path string) bool {
			if isTableFile(path) {
				return false
			}
			p.left = append(p.left, filepath.Base(path))
			return true
		})
	}
	look := o
	look.Budget = nil // a file is admitted when it is read
	for _, path := range paths {
		s, err := openPath(path, look)
		if err != nil {
			return nil, err
		}
		if p.open = s; len(p.list) > 0 && !p.alike(s.Columns()) {
			s.Close()
			return nil, files.Errorf(path, "has the columns %.200q, and %s has %.200q: they are not parts of one "+
				"table; name one file, or a pattern such as %s", s.Columns(), p.list[0].path, p.columns,
				filepath.Join(filepath.Dir(path), "part-*"+filepath.Ext(path)))
		}
		_, total := s.Progress()
		p.add(name, path, total, s.Columns())
		s.Close()
	}
	p.open = nil
	return p, p.admitColumns(len(p.columns))
}

// alike reports whether half of the columns are known.
func (p *parts) alike(columns []string) bool {
	known := 0
	for _, c := range columns {
		if slices.Contains(p.columns, c) {
			known++
		}
	}
	return 2*known >= len(columns)
}

func (p *parts) add(root, path string, bytes int64, columns []string) {
	x := part{path: path, bytes: max(1, bytes)}
	for _, name := range columns {
		x.columns = append(x.columns, p.column(name))
	}
	relative := strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(root))
	for _, folder := range strings.Split(relative, "/") {
		if key, value, found := strings.Cut(folder, "="); found && !strings.Contains(value, "=") && folder != "" {
			if at := p.column(key); !slices.Contains(x.columns, at) && folder != filepath.Base(path) {
				x.keys = append(x.keys, partKey{at, value})
			}
		}
	}
	p.list = append(p.list, x)
}

// column returns the index of a column, and adds it if it is new.
func (p *parts) column(name string) int {
	at := slices.Index(p.columns, name)
	if at < 0 {
		at = len(p.columns)
		p.columns = append(p.columns, name)
	}
	return at
}

// Next reads rows of the open file, or of the next one.
func (p *parts) Next(b *Batch) error {
	for {
		if p.open == nil {
			if p.at == len(p.list) {
				return io.EOF
			}
			s, err := openPath(p.list[p.at].path, p.options)
			if err != nil {
				return err
			}
			p.open = s
			p.at++
		}
		err := p.open.Next(b)
		if err == nil {
			p.place(b, &p.list[p.at-1])
			return nil
		}
		if !errors.Is(err, io.EOF) {
			return err
		}
		p.Close()
	}
}

// place maps the cells of a batch to the columns of the table when it is parsed.
func (p *parts) place(b *Batch, x *part) {
	parse, whole := b.parse, &header{x.path, p.columns, p.budget}
	b.parse = func(b *Batch) error {
		if parse != nil {
			if err := parse(b); err != nil {
				return err
			}
		}
		if len(x.keys) == 0 && slices.Equal(b.source.columns, p.columns) {
			return nil
		}
		cells, n := b.cells, len(b.source.columns)
		b.source, b.cells = whole, nil
		keys := make([]span, len(x.keys))
		for k, key := range x.keys {
			start := len(b.text)
			b.text = append(b.text, key.value...)
			keys[k] = span{uint32(start), uint32(len(b.text))}
		}
		for i := range b.Rows() {
			if err := b.room(); err != nil {
				return err
			}
			row := b.cells[len(b.cells) : len(b.cells)+len(p.columns)]
			clear(row)
			for j, at := range x.columns[:n] {
				row[at] = cells[i*n+j]
			}
			for k, key := range x.keys {
				row[key.column] = keys[k]
			}
			b.cells = b.cells[:len(b.cells)+len(row)]
		}
		return nil
	}
}

// Progress returns the bytes, or rows, of the files that were read, plus a share of the open file.
func (p *parts) Progress() (done, total int64) {
	for k, x := range p.list {
		if total += x.bytes; k < p.at {
			done += x.bytes
		}
	}
	if p.open != nil {
		read, all := p.open.Progress()
		done -= max(0, all-read)
	}
	return max(0, done), total
}

func (p *parts) Close() error {
	if p.open == nil {
		return nil
	}
	s := p.open
	p.open = nil
	return s.Close()
}
