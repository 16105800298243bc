package table

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/internal/files"
)

// Overview: an .xlsx file is a zip archive of XML. xl/workbook.xml names the sheets, its .rels file where they are;
// texts of cells stand once in xl/sharedStrings.xml, and that a number is a date is known from its style alone
// (xl/styles.xml). Rows of a sheet are read one after another.

// sheet is a table of an Excel file. The first row that has more than half of the columns is the header; rows above it
// are a title. Rows without values are skipped; formulas have their last results as values.
type sheet struct {
	header
	*file
	part     io.ReadCloser // the XML
	xml      *boundedXML
	strings  []string // that cells share
	dates    []bool   // of every style: its numbers are dates
	from1904 bool     // days are counted from 1904
	ahead    []sheetRow
	row      sheetRow // the next
	titles   int      // rows of ahead that are above the header
}

// sheetRow is a row of a sheet: line is its number, and cells are its values.
type sheetRow struct {
	line  int
	cells []string
}

var _ Source = (*sheet)(nil)

// cutSheet splits people.xlsx#staff, unless a file has that name.
func cutSheet(name string) (path, sheet string) {
	at := strings.LastIndexByte(name, '#')
	if at <= 0 {
		return name, ""
	}
	if _, err := os.Stat(name); err == nil {
		return name, ""
	}
	return name[:at], name[at+1:]
}

const workbook = "xl/workbook.xml"

// isWorkbook reports whether a file is an Excel file.
func isWorkbook(f *file) bool {
	if head, _ := f.buf.Peek(4); string(head) != "PK\x03\x04" {
		return false
	}
	archive, err := zip.NewReader(f.f, f.size)
	return err == nil && slices.ContainsFunc(archive.File, func(x *zip.File) bool { return x.Name == workbook })
}

// openSheet opens a sheet by its name; an empty name means the only sheet.
func openSheet(f *file, name string) (source Source, err error) {
	s := &sheet{header: header{name: f.path, budget: f.budget}, file: f}
	archive, err := zip.NewReader(f.f, f.size)
	if err != nil {
		return nil, files.Because(s.name, err)
	}
	place, err := s.find(archive, name)
	if err != nil {
		return nil, err
	}
	if err := s.shared(archive); err != nil {
		return nil, err
	}
	if err := s.styles(archive); err != nil {
		return nil, err
	}
	if s.part, err = archive.Open(place); err != nil {
		return nil, files.Because(s.name, err)
	}
	s.xml = newBoundedXML(s.part)
	return s, s.start()
}

// boundedXML reads XML, limiting a single value to the maximum size of a row: a small archive can hold a text of any
// length.
type boundedXML struct {
	*xml.Decoder
	in   io.Reader
	left int // bytes until next is called again
}

func newBoundedXML(in io.Reader) *boundedXML {
	x := &boundedXML{in: in}
	x.Decoder = xml.NewDecoder(x)
	return x
}

// next returns the next token, with which a value may begin.
func (x *boundedXML) next() (xml.Token, error) {
	x.left = 4 * maxRow
	return x.Token()
}

func (x *boundedXML) Read(p []byte) (int, error) {
	if x.left <= 0 {
		return 0, fmt.Errorf("a value of more than %d bytes", 4*maxRow)
	}
	n, err := x.in.Read(p)
	x.left -= n
	return n, err
}

// xmlPart reads a part of the archive into v; a missing part leaves v unchanged.
func (s *sheet) xmlPart(archive *zip.Reader, name string, v any) error {
	f, err := archive.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	const most = 16 << 20 // of a list of sheets or styles
	if err := xml.NewDecoder(io.LimitReader(f, most)).Decode(v); err != nil {
		return s.damaged(name, err)
	}
	return nil
}

// damaged returns an XML error.
func (s *sheet) damaged(part string, err error) error {
	return files.Errorf(s.name, "the Excel file is damaged: %s: %v", part, err)
}

// find returns the path of the XML of a sheet.
func (s *sheet) find(archive *zip.Reader, name string) (string, error) {
	var book struct {
		Properties struct {
			Date1904 string `xml:"date1904,attr"`
		} `xml:"workbookPr"`
		Sheets []struct {
			Name string `xml:"name,attr"`
			ID   string `xml:"http://schemas.openxmlformats.org/officeDocument/2006/relationships id,attr"`
		} `xml:"sheets>sheet"`
	}
	var links struct {
		List []struct {
			ID     string `xml:"Id,attr"`
			Target string `xml:"Target,attr"`
		} `xml:"Relationship"`
	}
	if err := s.xmlPart(archive, workbook, &book); err != nil {
		return "", err
	}
	if err := s.xmlPart(archive, "xl/_rels/workbook.xml.rels", &links); err != nil {
		return "", err
	}
	s.from1904 = book.Properties.Date1904 == "1" || book.Properties.Date1904 == "true"
	at, names := -1, []string{}
	for i, x := range book.Sheets {
		names = append(names, x.Name)
		if x.Name == name || name == "" && len(book.Sheets) == 1 || at < 0 && strings.EqualFold(x.Name, name) {
			at = i
		}
	}
	if at < 0 {
		return "", files.Errorf(s.name, "which sheet? there are %q; write %s#SHEET", names, s.name)
	}
	if name != "" {
		s.name += "#" + book.Sheets[at].Name
	}
	for _, x := range links.List {
		if x.ID != book.Sheets[at].ID {
			continue
		}
		if rooted, found := strings.CutPrefix(x.Target, "/"); found {
			return rooted, nil
		}
		return path.Join("xl", x.Target), nil
	}
	return "", files.Errorf(s.name, "the Excel file is damaged: sheet %q is missing", book.Sheets[at].Name)
}

func (s *sheet) shared(archive *zip.Reader) error {
	const name = "xl/sharedStrings.xml"
	f, err := archive.Open(name)
	if err != nil {
		return nil // all texts are in their cells
	}
	defer f.Close()
	d := newBoundedXML(f)
	for {
		token, err := d.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return s.damaged(name, err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "si" {
			text, err := elementText(d.Decoder)
			if err != nil {
				return s.damaged(name, err)
			}
			if err := s.header.budget.Take(int64(len(text))+16, "texts of an Excel file"); err != nil {
				return err
			}
			s.strings = append(s.strings, text)
		}
	}
}

// elementText returns the text in all <t> and <v> of an element whose start was read, without phonetic hints.
func elementText(d *xml.Decoder) (string, error) {
	var text strings.Builder
	for depth, inside, quiet := 1, 0, 0; depth > 0; {
		token, err := d.Token()
		if err != nil {
			return "", err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if depth++; t.Name.Local == "rPh" {
				quiet = depth
			} else if t.Name.Local == "t" || t.Name.Local == "v" {
				inside = depth
			}
		case xml.EndElement:
			if inside == depth {
				inside = 0
			}
			if quiet == depth {
				quiet = 0
			}
			depth--
		case xml.CharData:
			if inside > 0 && quiet == 0 {
				if text.Write(t); text.Len() > maxRow {
					return "", fmt.Errorf("a text of more than %d bytes", maxRow)
				}
			}
		}
	}
	return text.String(), nil
}

// titleRows is how many rows are examined to find the header.
const titleRows = 30

func (s *sheet) start() error {
	most := 0
	for len(s.ahead) < titleRows {
		if err := s.read(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		size := int64(16 * len(s.row.cells))
		for _, c := range s.row.cells {
			size += int64(len(c))
		}
		if err := s.header.budget.Take(size, "the first rows"); err != nil {
			return err
		}
		most = max(most, filled(s.row.cells))
		s.ahead = append(s.ahead, s.row)
	}
	if most == 0 {
		return files.Errorf(s.name, "the sheet is empty")
	}
	for 2*filled(s.ahead[s.titles].cells) <= most {
		s.titles++
	}
	first := s.ahead[s.titles]
	for len(first.cells) > 0 && strings.TrimSpace(first.cells[len(first.cells)-1]) == "" {
		first.cells = first.cells[:len(first.cells)-1]
	}
	for i, name := range first.cells {
		if name = strings.TrimSpace(name); name == "" {
			name = numbered(i)
		}
		s.columns = append(s.columns, name)
	}
	if err := s.admitColumns(len(s.columns)); err != nil {
		return err
	}
	distinct(s.columns)
	return nil
}

// filled returns how many cells have a value.
func filled(cells []string) (n int) {
	for _, c := range cells {
		if strings.TrimSpace(c) != "" {
			n++
		}
	}
	return n
}

// read reads the next row that has a value into s.row.
func (s *sheet) read() error {
	for {
		token, err := s.xml.next()
		if errors.Is(err, io.EOF) {
			return io.EOF
		}
		if err != nil {
			return s.damaged("the sheet", err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch e.Name.Local {
		case "row":
			s.row = sheetRow{line: s.row.line + 1}
			if n, err := strconv.Atoi(attribute(e, "r")); err == nil {
				s.row.line = n
			}
			if err := s.cells(); err != nil {
				return err
			}
			if filled(s.row.cells) > 0 {
				return nil
			}
		case "sheetData", "worksheet":
		default:
			if err := s.xml.Skip(); err != nil {
				return s.damaged("the sheet", err)
			}
		}
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// maxSheetColumns is the maximum number of columns in Excel.
const maxSheetColumns = 16384

// cells reads the cells of a row whose start was read.
func (s *sheet) cells() error {
	size := 0
	for {
		token, err := s.xml.next()
		if err != nil {
			return s.damaged("the sheet", err)
		}
		switch e := token.(type) {
		case xml.EndElement:
			return nil
		case xml.StartElement:
			at := columnOf(attribute(e, "r"))
			if at < 0 {
				at = len(s.row.cells)
			}
			if at >= maxSheetColumns {
				return files.ErrorAt(s.name, s.row.line, "more than %d columns", maxSheetColumns)
			}
			for len(s.row.cells) <= at {
				s.row.cells = append(s.row.cells, "")
			}
			text, err := elementText(s.xml.Decoder)
			if err != nil {
				return s.damaged("the sheet", err)
			}
			if s.row.cells[at], err = s.value(e, text); err != nil {
				return err
			}
			if size += len(s.row.cells[at]); size > maxRow {
				return files.ErrorAt(s.name, s.row.line, "a row of more than %d bytes", maxRow)
			}
		}
	}
}

// columnOf returns the column of a cell such as AB12, from 0; −1 if it does not say.
func columnOf(place string) int {
	n := 0
	for _, c := range place {
		if c < 'A' || c > 'Z' || n > maxSheetColumns {
			break
		}
		n = 26*n + int(c-'A') + 1
	}
	return n - 1
}

func (s *sheet) Next(b *Batch) error {
	b.reset(&s.header, 0)
	for !b.full() {
		row := sheetRow{}
		if len(s.ahead) > 0 {
			row, s.ahead = s.ahead[0], s.ahead[1:]
		} else if err := s.read(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		} else {
			row = s.row
		}
		if s.titles--; s.titles >= 0 {
			b.aside(int32(row.line), []byte(strings.Join(row.cells, ",")), aboveHeader, aboveHeader)
			continue
		}
		if s.titles == -1 || slices.Equal(row.cells, s.columns) {
			if s.titles < -1 {
				b.aside(int32(row.line), []byte(strings.Join(row.cells, ",")), headerAgain, headerAgain)
			}
			continue
		}
		if n := len(s.columns); filled(row.cells[min(n, len(row.cells)):]) > 0 {
			b.mend(int32(row.line), OtherLength, fmt.Sprintf("the row has %s, the header has %d",
				plural(len(row.cells), "field"), n))
		}
		err := b.appendRow(int32(row.line), func(dst []byte, j int) ([]byte, error) {
			if j < len(row.cells) {
				dst = append(dst, row.cells[j]...)
			}
			return dst, nil
		})
		if err != nil {
			return err
		}
	}
	if b.Rows()+len(b.ragged) == 0 {
		return io.EOF
	}
	return nil
}

// Progress returns 0: the number of rows is not stored.
func (s *sheet) Progress() (done, total int64) { return 0, 0 }

func (s *sheet) Close() error {
	if s.part != nil {
		s.part.Close()
	}
	return s.file.Close()
}
