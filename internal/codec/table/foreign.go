package table

import (
	"bytes"

	"github.com/bloomgml/bloom/internal/files"
)

// foreign lists files that are not tables, or not of a supported kind, by their first bytes, and what to do.
var foreign = []struct {
	at    int
	magic string
	text  string
}{
	{8, "DUCK", "a DuckDB file, for which there is no reader without C; in DuckDB, COPY name TO 'name.parquet' makes " +
		"a table that can be read"},
	{0, "\xd0\xcf\x11\xe0", "an Excel file from before 2007 (.xls); save it as .xlsx or CSV"},
	{0, "PK\x03\x04", "a zip archive, and not an Excel file; unpack it first"},
	{0, "%PDF", "a PDF file, not a table"},
	{0, "<!DOCTYPE", "a web page, not a table; the address that it came from may want a login"},
	{0, "<!doctype", "a web page, not a table; the address that it came from may want a login"},
	{0, "<html", "a web page, not a table; the address that it came from may want a login"},
	{0, "<?xml", "an XML file; save it as CSV or JSON lines"},
	{0, "ARROW1", "an Arrow file; save it as Parquet"},
	{0, "ORC", "an ORC file; save it as Parquet"},
	{0, "Obj\x01", "an Avro file; save it as Parquet"},
	{0, "\x28\xb5\x2f\xfd", "compressed by zstd; decompress it first, or use gzip"},
	{0, "BZh", "compressed by bzip2; decompress it first, or use gzip"},
	{0, "\xfd7zXZ", "compressed by xz; decompress it first, or use gzip"},
	{0, "\x93NUMPY", "an array of NumPy; --embeddings reads it"},
	{0, "\x89PNG", "a picture, not a table"},
}

// refuseForeign returns an error if a file is of an unsupported kind.
func refuseForeign(path string, head []byte) error {
	for _, f := range foreign {
		if len(head) > f.at && bytes.HasPrefix(head[f.at:], []byte(f.magic)) {
			if f.magic == "ORC" && len(head) > 3 && head[3] >= ' ' { // a table whose first column begins like this
				continue
			}
			return files.Errorf(path, "%s", f.text)
		}
	}
	return nil
}
