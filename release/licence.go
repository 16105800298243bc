package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// allowed are the licences of code that may be linked, by what their texts say in lower case with single spaces. They
// ask for no more than that their texts go with the program.
var allowed = []struct {
	id           string
	has, without string
}{
	{"Apache-2.0", "apache license,? version 2.0", ""},
	{"BSD-2-Clause", "redistribution and use in source and binary forms", "endorse or promote"},
	{"BSD-3-Clause", "redistribution and use in source and binary forms.*endorse or promote", ""},
	{"ISC", "permission to use, copy, modify, and(/or)? distribute this software for any purpose", ""},
	{"MIT", "permission is hereby granted, free of charge, to any person obtaining a copy", ""},
	{"public domain (SQLite)", "^sqlite is public domain", ""},
}

// refused are words of other licences, whatever else a text has.
var refused = regexp.MustCompile("creative commons|general public license|mozilla public license|commons clause|" +
	"eclipse public license|server side public license|business source license|elastic license")

// identify returns the identifiers of the licences of a text. The error says why code under it may not be linked.
func identify(text string) ([]string, error) {
	plain := strings.ToLower(strings.Join(strings.Fields(text), " "))
	if word := refused.FindString(plain); word != "" {
		return nil, fmt.Errorf("a licence that is not allowed: %q", word)
	}
	var ids []string
	for _, l := range allowed {
		if regexp.MustCompile(l.has).MatchString(plain) && (l.without == "" || !strings.Contains(plain, l.without)) {
			ids = append(ids, l.id)
		}
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("a licence that is not known: %.80q", plain)
	}
	return ids, nil
}

// isLicence reports whether a file has the name of a licence, and isNotice whether it has that of a notice or a grant
// which goes with one.
func isLicence(name string) bool { return licenceName.MatchString(name) }
func isNotice(name string) bool  { return noticeName.MatchString(name) }

var (
	licenceName = regexp.MustCompile(`^(?i:licen[cs]e|copying|copyright|unlicense)([-._][-\w.]*)?$`)
	noticeName  = regexp.MustCompile(`^(?i:notice|patents)(\.\w+)?$`)
)

// aside are files that have such a name and are about something that is not linked.
var aside = []string{
	"github.com/opencontainers/go-digest/LICENSE.docs", // its documentation
	"modernc.org/memory/LICENSE-LOGO",                  // a picture
	"modernc.org/sqlite/LICENSE-3RD-PARTY.md",          // modules of its tests too; NOTICE has the linked ones
	"modernc.org/sqlite/LICENSE-SQLITE_VEC",            // package vec, which nothing imports
}

// union is all identifiers, sorted.
func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
