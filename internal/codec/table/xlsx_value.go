package table

import (
	"archive/zip"
	"encoding/xml"
	"strconv"
	"strings"
	"time"

	"github.com/bloomgml/bloom/internal/files"
)

func (s *sheet) styles(archive *zip.Reader) error {
	var styles struct {
		Formats []struct {
			ID   int    `xml:"numFmtId,attr"`
			Code string `xml:"formatCode,attr"`
		} `xml:"numFmts>numFmt"`
		Cells []struct {
			Format int `xml:"numFmtId,attr"`
		} `xml:"cellXfs>xf"`
	}
	if err := s.xmlPart(archive, "xl/styles.xml", &styles); err != nil {
		return err
	}
	code := map[int]string{}
	for _, f := range styles.Formats {
		code[f.ID] = f.Code
	}
	for _, x := range styles.Cells {
		built := x.Format >= 14 && x.Format <= 17 || x.Format == 22 || x.Format >= 27 && x.Format <= 36 ||
			x.Format >= 50 && x.Format <= 58
		s.dates = append(s.dates, built || isDateFormat(code[x.Format]))
	}
	return nil
}

// isDateFormat reports whether a format such as dd\.mm\.yyyy shows dates: it has a year or a day outside of quotes and
// brackets.
func isDateFormat(code string) bool {
	for i := 0; i < len(code); i++ {
		switch code[i] {
		case '\\':
			i++
		case '"', '[':
			end := strings.IndexByte(code[i+1:], map[byte]byte{'"': '"', '[': ']'}[code[i]])
			if end < 0 {
				return false
			}
			i += end + 1
		case 'y', 'Y', 'd', 'D':
			return true
		}
	}
	return false
}

func (s *sheet) value(e xml.StartElement, text string) (string, error) {
	switch attribute(e, "t") {
	case "s":
		i, err := strconv.Atoi(text)
		if err != nil || i < 0 || i >= len(s.strings) {
			return "", files.ErrorAt(s.name, s.row.line, "there is no text %.20q", text)
		}
		return s.strings[i], nil
	case "b":
		return map[string]string{"1": "true", "0": "false"}[text], nil
	case "", "n":
		style, err := strconv.Atoi(attribute(e, "s"))
		if x, bad := strconv.ParseFloat(text, 64); err == nil && bad == nil && style >= 0 && style < len(s.dates) &&
			s.dates[style] && x >= 0 && x < 1e7 {
			return s.date(x), nil
		}
	}
	return text, nil
}

func (s *sheet) date(days float64) string {
	zero := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC) // because Excel has a 29 February 1900
	if s.from1904 {
		zero = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	} else if days < 60 {
		days++
	}
	whole := int(days)
	t := zero.AddDate(0, 0, whole).Add(time.Duration((days-float64(whole))*86400+0.5) * time.Second)
	if t.Hour()+t.Minute()+t.Second() == 0 {
		return t.Format(time.DateOnly)
	}
	return t.Format(time.DateTime)
}
