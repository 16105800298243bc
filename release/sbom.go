package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// printSBOM prints the modules of bloom as an SPDX document of a version, a commit, and its time.
func printSBOM(args []string) error {
	if len(args) != 3 {
		return errors.New("sbom: want VERSION COMMIT SECONDS")
	}
	seconds, err := strconv.ParseInt(args[2], 10, 64)
	if err != nil {
		return err
	}
	modules, err := linked(subjects[0].dir, subjects[0].path)
	if err != nil {
		return err
	}
	return sbom(os.Stdout, subjects[0].name, args[0], args[1], time.Unix(seconds, 0), modules)
}

// sbom writes the modules of a program as an SPDX 2.3 document. The time is the commit time, so that the same tree
// gives the same bytes.
func sbom(w io.Writer, program, version, commit string, at time.Time, modules []*module) error {
	type reference struct {
		Category string `json:"referenceCategory"`
		Type     string `json:"referenceType"`
		Locator  string `json:"referenceLocator"`
	}
	type pack struct {
		ID        string      `json:"SPDXID"`
		Name      string      `json:"name"`
		Version   string      `json:"versionInfo,omitempty"`
		From      string      `json:"downloadLocation"`
		Analyzed  bool        `json:"filesAnalyzed"`
		Concluded string      `json:"licenseConcluded"`
		Declared  string      `json:"licenseDeclared"`
		Copyright string      `json:"copyrightText"`
		Refs      []reference `json:"externalRefs,omitempty"`
	}
	type relation struct {
		Of   string `json:"spdxElementId"`
		Kind string `json:"relationshipType"`
		To   string `json:"relatedSpdxElement"`
	}
	const none, root = "NOASSERTION", "SPDXRef-program"
	packs := []pack{{root, program, version, none, false, "Apache-2.0", "Apache-2.0", none, nil}}
	relations := []relation{{"SPDXRef-DOCUMENT", "DESCRIBES", root}}
	for _, m := range modules {
		id := "SPDXRef-" + regexp.MustCompile(`[^A-Za-z0-9]+`).ReplaceAllString(m.path, "-")
		licence := strings.NewReplacer("public domain (SQLite)", "blessing").Replace(strings.Join(m.licences, " AND "))
		p := pack{id, m.path, m.version, none, false, licence, licence, none, nil}
		if m.version != "" {
			p.Refs = []reference{{"PACKAGE-MANAGER", "purl", "pkg:golang/" + m.path + "@" + m.version}}
		}
		packs = append(packs, p)
		relations = append(relations, relation{root, "STATIC_LINK", id})
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(struct {
		Version   string         `json:"spdxVersion"`
		Licence   string         `json:"dataLicense"`
		ID        string         `json:"SPDXID"`
		Name      string         `json:"name"`
		Namespace string         `json:"documentNamespace"`
		Creation  map[string]any `json:"creationInfo"`
		Packages  []pack         `json:"packages"`
		Relations []relation     `json:"relationships"`
	}{"SPDX-2.3", "CC0-1.0", "SPDXRef-DOCUMENT", program + "-" + version,
		"https://github.com/bloomgml/bloom/spdx/" + program + "-" + version + "-" + commit,
		map[string]any{"created": at.UTC().Format(time.RFC3339), "creators": []string{"Tool: bloom release"}},
		packs, relations})
}
