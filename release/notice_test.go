package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestNotice: the NOTICE of bloom is what the command writes today. If modules of other systems cannot be fetched the
// test is skipped; CI runs the command itself, for bloom-beam too.
func TestNotice(t *testing.T) {
	if testing.Short() {
		t.Skip("lists the modules of six systems")
	}
	top := ".."
	modules, err := linked(top, subjects[0].path)
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(top, "NOTICE")); err != nil || string(got) != notice("bloom", modules) {
		t.Errorf("NOTICE is out of date: go run ./release notice writes it; %v", err)
	}
}

// TestIdentify: licences are told apart by their texts, and those that ask for more than their text are refused, alone
// and next to one that is allowed.
func TestIdentify(t *testing.T) {
	const mit = "Permission is hereby granted, free of charge, to any person\nobtaining a copy of this software"
	const bsd = "Redistribution and use in source and binary forms, with or without modification"
	for text, want := range map[string]string{
		mit: "MIT",
		bsd: "BSD-2-Clause",
		bsd + " ... may be used to endorse or promote products":                                 "BSD-3-Clause",
		"Apache License\n   Version 2.0, January 2004":                                          "Apache-2.0",
		"Licensed under the Apache License, Version 2.0\n" + mit:                                "Apache-2.0 MIT",
		"Permission to use, copy, modify, and/or distribute this software for any purpose with": "ISC",
		"Creative Commons Attribution 4.0 International Public License":                         "",
		mit + "\nexcept pictures: Creative Commons":                                             "",
		"GNU LESSER GENERAL PUBLIC LICENSE\nVersion 3":                                          "",
		"Mozilla Public License Version 2.0":                                                    "",
		mit + ` "Commons Clause" License Condition`:                                             "",
		"All rights reserved.":                                                                  "",
		"":                                                                                      "",
	} {
		got, err := identify(text)
		if !slices.Equal(got, strings.Fields(want)) || (err == nil) != (want != "") {
			t.Errorf("%q is %v, %v, want %v", text, got, err, want)
		}
	}
}

// TestRead: a module without an allowed licence is named, and files that are no licences are left alone.
func TestRead(t *testing.T) {
	root := t.TempDir()
	inner := filepath.Join(root, "inner")
	if err := os.Mkdir(inner, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"LICENSE.txt": "Apache License Version 2.0", "NOTICE": "by somebody", "license.go": "Creative Commons",
		"inner/COPYING": "Permission is hereby granted, free of charge, to any person obtaining a copy",
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	m := &module{path: "example.org/m", version: "v1"}
	if err := m.read(root, inner); err != nil {
		t.Fatal(err)
	}
	got := notice("p", []*module{m, m})
	for _, want := range []string{"example.org/m  v1  Apache-2.0 and MIT", "example.org/m NOTICE", "by somebody"} {
		if !strings.Contains(got, want) || strings.Contains(got, "Creative") || strings.Count(got, "by somebody") != 1 {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "LICENSE-DATA"), []byte("Creative Commons"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := m.read(root, inner); err == nil || !strings.Contains(err.Error(), "example.org/m LICENSE-DATA") {
		t.Errorf("error %v", err)
	}
}
