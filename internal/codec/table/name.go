package table

import "strings"

// File is the file that a name of a table means; of one on a server, the name itself.
func File(name string) string {
	path := name
	if rest, ok := strings.CutPrefix(name, "sqlite:"); ok {
		path, _, _ = strings.Cut(rest, " ")
	}
	if m := databaseTable.FindStringSubmatch(path); m != nil {
		return m[1]
	}
	return path
}
