package table

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
)

// pyarrowFiles have 8 rows, written by pyarrow 26 with write_page_checksum and data pages of both versions. The columns
// city and half of the first, city and tags of the second have dictionaries; none is of type NULL, empty has lists of
// it.
var pyarrowFiles = []string{"testdata/pyarrow-v1.parquet", "testdata/pyarrow-v2.parquet"}

// TestPyarrow: numbers of 16 bits are numbers, and a column of type NULL has missing values.
func TestPyarrow(t *testing.T) {
	for _, path := range pyarrowFiles {
		got := mustRead(t, path, Options{})
		wantTable(t, got, []string{"id", "city", "half", "none", "tags", "empty"}, [][]string{
			{"0", "Rome", "0.099975586", "", "", ""}, {"1", "Oslo", "-2", "", "[0]", ""},
			{"2", "", "65504", "", "[1,null]", ""}, {"3", "Rome", "5.9604645e-08", "", "[2,null]", ""},
			{"4", "Oslo", "+Inf", "", "", ""}, {"5", "", "", "", "[4]", ""},
			{"6", "Rome", "0.099975586", "", "[5,null]", ""}, {"7", "Oslo", "-2", "", "[6,null]", ""}})
	}
}

// booleansFile has 24 rows of booleans in runs and groups, in pages of version 2 of pyarrow.
const booleansFile = "testdata/pyarrow-booleans.parquet"

// TestParquetBooleans: 11 booleans that are true, others that differ or are missing, and lists of them.
func TestParquetBooleans(t *testing.T) {
	var want [][]string
	for i := range 24 {
		ok := "true"
		if k := i - 11; k >= 0 && k%5 == 0 {
			ok = ""
		} else if k >= 0 && k%3 != 0 {
			ok = "false"
		}
		list := []string{"", "[true]", "[true,true]", "[true,true,true]"}[i%4]
		if i > 20 {
			list = "[false,null]"
		}
		want = append(want, []string{fmt.Sprint(i), ok, list})
	}
	wantTable(t, mustRead(t, booleansFile, Options{}), []string{"id", "ok", "list"}, want)
}

// TestParquetFlips flips every bit of all pages, heads included: an error or the same values, as pages have checksums.
func TestParquetFlips(t *testing.T) {
	for _, path := range append(pyarrowFiles, booleansFile) {
		want, err := readAll(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		footer := len(data) - 8 - int(binary.LittleEndian.Uint32(data[len(data)-8:]))
		bad := write(t, "bad.parquet", string(data))
		f, err := os.OpenFile(bad, os.O_WRONLY, 0) // in place, as a file that is truncated waits for the disk
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		put := func(b byte, at int) {
			if _, err := f.WriteAt([]byte{b}, int64(at)); err != nil {
				t.Fatal(err)
			}
		}
		for bit := range 8 * footer {
			put(data[bit/8]^1<<(bit%8), bit/8)
			if got, err := readAll(bad, Options{}); err == nil && !reflect.DeepEqual(got, want) {
				t.Errorf("%s, bit %d of byte %d: other values and no error", path, bit%8, bit/8)
			}
			put(data[bit/8], bit/8)
		}
	}
}

// TestParquetFooter: the footer has no checksum, but says names and types twice.
func TestParquetFooter(t *testing.T) {
	data, err := os.ReadFile(pyarrowFiles[0])
	if err != nil {
		t.Fatal(err)
	}
	bad := bytes.Replace(data, []byte("city"), []byte("citY"), 1)
	if _, err := readAll(write(t, "bad.parquet", string(bad)), Options{}); err == nil ||
		!strings.Contains(err.Error(), `column 2 is "citY" and "city"`) {
		t.Errorf("the error is %v", err)
	}
}
