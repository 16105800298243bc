// Command gen writes the AVX2 and AVX-512 bodies of a group of kernels, and their stubs, next to this folder:
//
//	go run . gemm
//	go run . levels
//
// The second writes the tables of all bodies, by which package kernel finds them.
// Command neon translates the AVX2 bodies for arm64.
package main

import (
	"log"
	"maps"
	"os"
	"slices"
	"strings"

	. "github.com/mmcloughlin/avo/build"
)

// kernels writes each group, which goes to one file.
var kernels = map[string]func(){
	"entry": entryKernels, "gemm": gemmKernels, "norm": normKernels,
	"rel": relKernels, "sparse": sparseKernels, "step": stepKernels,
}

func main() {
	name := strings.Join(os.Args[1:], " ")
	if name == "levels" {
		if err := writeLevels(); err != nil {
			log.Fatal(err)
		}
		return
	}
	if kernels[name] == nil {
		log.Fatalf("usage: gen levels, or one of %v", slices.Sorted(maps.Keys(kernels)))
	}
	os.Args = []string{"gen", "-out", "../" + name + "_amd64.s", "-stubs", "../" + name + "_stubs_amd64.go",
		"-pkg", "kernel"}
	head()
	kernels[name]()
	Generate() // reads os.Args
}

// entryKernels are maps, linear combinations, reductions, softmax, dropout, Adam and products of complex rows.
func entryKernels() {
	for _, s := range both {
		l := lane{s}
		mapKernels(l)
		linears(l)
		chooses(l)
		rowSums(l)
		colSums(l)
		maxAbs(l)
		softmaxes(l)
		dropout(l)
		adam(l)
		transpose(l)
		complexes(l)
	}
	pool.write()
	writeSixteens()
}

// gemmKernels are the register tiles of Gemm, the copy that packs its panels, the sum of its partial results and the
// loop that measures the FMA peak.
func gemmKernels() {
	for _, s := range both {
		for vectors := 2; vectors >= 1; vectors-- {
			for rows := 1; rows <= height(s); rows++ {
				gemmTile{s, rows, vectors}.generate()
			}
		}
		gemmPack(s)
		gemmSum(s)
		gemmPeak(s)
	}
}

// normKernels are Norm and its adjoint, for rows that fit into registers.
func normKernels() {
	normOnes()
	for _, width := range upTo(normWidth(avx512)) {
		for _, s := range both {
			if width <= normWidth(s) {
				normRun(s, width)
				normAdjoint(s, width)
			}
		}
	}
}

// relKernels are sums and statistics of messages x∘y, and statistics of messages x + y, over sparse rows. A body does
// one tile of columns, some vectors wide, for a range of rows.
func relKernels() {
	for _, s := range both {
		for _, width := range relSumWidths {
			relSum(s, width)
		}
	}
	for _, plus := range []bool{false, true} {
		for _, s := range []isa{avx512, avx2} {
			for _, width := range relStatsWidths(s) {
				relStats(s, width, plus)
				relAdjoint(s, width, plus)
			}
		}
	}
}

// sparseKernels are SpMM, SDDMM, Gather and the read test. Every body loops over a range of rows.
func sparseKernels() {
	for _, s := range both {
		for _, width := range spmmWidths(s) {
			for _, mode := range spmmModes {
				spmm(s, mode, width)
			}
		}
	}
	for _, s := range both {
		gather(s)
		sddmm(s)
		read(s)
	}
}

// stepKernels are single descent steps and their adjoint, and the sweeps of a Descent, which gather neighbours and step
// on them in registers.
func stepKernels() {
	stepConstants()
	for _, s := range both {
		for _, phi := range []string{"Square", "Huber", "LogCosh"} {
			step(s, "step"+phi, func(k *stepBody) stepTile { return &forwardTile{stepBody: k, phi: phi} })
			step(s, "stepVJP"+phi, func(k *stepBody) stepTile { return &vjpTile{stepBody: k, phi: phi} })
			sweep(s, "forward"+phi, sweepWidths(s, phi), []string{"idx", "src", "p", "a", "b", "c"},
				func(k *stepBody) stepTile { return &forwardTile{stepBody: k, phi: phi, gathers: true} })
			sweep(s, "backward"+phi, sweepWidths(s, phi), []string{"idx", "src", "dst", "a", "c", "inv"},
				func(k *stepBody) stepTile { return &backwardTile{stepBody: k, phi: phi} })
			sweep(s, "finish"+phi, sweepWidths(s, phi), []string{"idx", "src", "a", "c", "inv"},
				func(k *stepBody) stepTile { return &backwardTile{stepBody: k, phi: phi, end: true} })
		}
		step(s, "begin", func(k *stepBody) stepTile { return &beginTile{k} })
	}
}
