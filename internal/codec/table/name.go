package table

import (
	"slices"
	"strings"
)

// File returns the file that a name of a table means; for a table on a server, the name itself.
func File(name string) string {
	path := name
	if rest, ok := strings.CutPrefix(name, "sqlite:"); ok {
		path, _, _ = strings.Cut(rest, " ")
	}
	if m := databaseTable.FindStringSubmatch(path); m != nil {
		return m[1]
	}
	path, _ = cutSheet(path)
	return path
}

// Parts returns the names of the files of a table that is a folder or a pattern, in order; otherwise the name itself.
func Parts(name string) []string {
	if path := File(name); path == name && !IsPostgres(name) && isParts(path) {
		if list, err := partFiles(path); err == nil {
			return list
		}
	}
	return []string{name}
}

// Files returns the files that a name of a table means.
func Files(name string) []string {
	list := slices.Clone(Parts(name))
	for i := range list {
		list[i] = File(list[i])
	}
	return list
}
