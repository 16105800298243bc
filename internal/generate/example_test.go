package generate_test

import (
	"fmt"

	"github.com/bloomgml/bloom/internal/generate"
)

// A built-in data set needs no download.
func ExampleMake() {
	for _, g := range generate.All() {
		fmt.Print(g.Name, " ")
	}
	d, _, err := generate.Make("minesweeper:size=50,seed=7")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Graph.NumNodes(), "cells, the last is", d.IDs.At(2499))
	// Output: minesweeper csbm smooth karate family 2500 cells, the last is r49c49
}

// The tables of a company have mistakes that are known.
func ExampleCompany() {
	tables, err := generate.Company("accounts=300,payments=900,seed=7")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range tables {
		fmt.Println(t.Name, len(t.Rows)-1, t.Rows[0])
	}
	// Output:
	// accounts 301 [account opened zip employees revenue orders tickets days_to_pay note segment fraud]
	// payments 900 [payer payee amount paid]
	// truth 51 [fault account column given right]
}
