package lint

// Rules is what the source is held to.
type Rules struct {
	// Layers maps a package (path inside the module, "." for the root) to the packages of this
	// module that it may import. A key that ends in "/*" covers the packages directly below it.
	Layers map[string][]string
	// TestOnly are packages that any test file may import.
	TestOnly []string
	// Modules maps an external module to the packages that may import from it.
	Modules map[string][]string
	// TestModules are the same for test files alone, so that they never come into the binary.
	TestModules map[string][]string
	// Imports are single files that may import what their package may not.
	Imports []Exception
	// Unshown are functions (What), or all of a package (File), that no example calls.
	Unshown []Exception
	// LongFiles and LongFuncs may be longer than MaxFile and MaxFunc lines.
	LongFiles, LongFuncs []Exception
}

// Exception lets one file break one rule, for a reason.
type Exception struct {
	File   string // slash-separated, from the root of the module
	What   string // the import path inside the module, or the function; empty for a file
	Reason string
}

// below lists every package that a model is made of, from the numbers up to the recipes.
var below = []string{
	"mat", "ad", "graph", "energy", "descent", "adjoint", "input", "upper", ".", "internal/baseline", "internal/recipe",
	"metric", "optim", "config", "internal/family", "internal/factset", "internal/ranking",
	"dataset", "internal/prepare", "dataset/native", "dataset/format", "dataset/importer", "internal/generate",
	"internal/analysis",
	"dataset/catalogue",
}

// trained is below, the run on top of it and what it trains.
var trained = append([]string{"run", "nodes"}, below...)

// Project is the table of this repository. Data flows one way:
//
//	kernel → mat → ad ─┬→ energy → descent → adjoint ─┐
//	         graph ────┤                              ├→ bloom → recipe → run → {nodes, link} → cmd
//	                   └→ input, upper ───────────────┘
//	         graph, mat → dataset → {format, native, blocks, importer, generate, analysis} → catalogue
//	         graph, mat → metric
//
// Packages that do not exist yet are listed too, so that they are covered when they come.
var Project = Rules{
	Layers: map[string][]string{
		"internal/hugepage":     {},
		"internal/kernel":       {"internal/hugepage", "internal/host", "internal/join"}, // join: the panic of a worker
		"internal/kernel/gen/*": {"internal/kernel/gen/isa"},
		"internal/goroutine":    {},
		"mat":                   {"internal/kernel", "internal/goroutine"},
		"mat/mattest":           {"mat"},
		"internal/opaque":       {"internal/kernel", "internal/goroutine", "mat"},      // a second Device, for tests
		"cuda":                  {"mat", "internal/goroutine", "cuda/internal/source"}, // a Device on a card
		"cuda/gen":              {"cuda/internal/source"},
		"cuda/internal/source":  {},
		"ad":                    {"mat"},
		"internal/check":        {"mat", "ad"},
		// kernel: row splits of CSR, counter-based random numbers
		"graph":             {"internal/kernel", "internal/hugepage", "internal/join", "mat"},
		"energy":            {"mat", "ad", "graph", "internal/part"},
		"energy/energytest": {"mat", "ad", "internal/check", "graph", "energy"},
		"descent":           {"mat", "ad", "graph", "energy", "internal/part", "internal/solve"},
		"internal/solve":    {"mat", "ad"}, // conjugate gradients and momentum, for vectors wherever they are
		"adjoint":           {"mat", "ad", "energy", "descent", "internal/solve"},
		"internal/initial":  {"mat", "ad"},
		"input":             {"mat", "ad", "graph", "internal/initial"},
		"upper":             {"mat", "ad", "graph", "input", "internal/part"}, // input: a head is an MLP too
		".":                 {"mat", "ad", "graph", "energy", "descent", "adjoint", "input", "upper"},
		"internal/baseline": {"mat", "ad", "graph", "input", "upper", "internal/initial", "internal/nearest"},
		"internal/recipe": {"mat", "ad", "graph", "energy", "descent", "adjoint", "input", "upper", ".",
			"internal/baseline", "internal/nearest", "internal/fileerr", "internal/part", "internal/keyfile"},
		// graph: facts and the questions about them
		"internal/ranking":   {"mat", "graph", "internal/factset"},
		"metric":             {"internal/kernel", "mat", "graph", "internal/part", "internal/ranking"}, // kernel: Each
		"optim":              {"mat", "ad"},
		"internal/family":    {},
		"internal/factset":   {"graph", "internal/kernel"}, // kernel: hashes
		"internal/draws":     {"mat", "ad", "input"},       // several draws of dropout in an epoch
		"internal/partition": {},
		"internal/sample":    {"mat", "ad", "energy", "input", "internal/partition"}, // parts of a graph to train on
		"config": {"internal/recipe", "internal/draws", "internal/sample", "internal/family", "upper", "metric",
			"internal/durable", "internal/nearest", "internal/fileerr", "internal/part", "internal/keyfile"},
		"run": append([]string{"internal/durable", "internal/safetensors", "internal/tfevents", "internal/fileerr",
			"internal/shell", "internal/heap", "internal/nullable", "internal/join",
			"internal/jobs"}, below...),
		"internal/jobs": {"mat"},
		// run: its error of a bad setting
		"internal/idle": {"config", "run"},
		"internal/heap": {"mat", "internal/host"},
		// kernel: Each, for what is measured on the host
		"nodes": append([]string{"run", "internal/solve", "internal/kernel", "internal/draws", "internal/sample",
			"internal/nullable",
			"internal/tabular", "internal/idle", "internal/heap", "internal/audit", "internal/safetensors",
			"internal/relax", "internal/settle", "internal/excerpt", "internal/blocks",
			// how much memory there may be; numbers as people write them
			"internal/budget", "internal/terminal",
			"internal/tfevents", "internal/durable", "internal/fileerr", "internal/scratch"}, below...),
		// links by the embeddings of nodes
		"pairs": append([]string{"internal/idle", "internal/predicted", "internal/safetensors", "internal/fileerr"},
			trained...),
		// false triples; kernel: counter-based random numbers
		"internal/negative": {"graph", "internal/kernel", "internal/factset"},
		"internal/kg": append([]string{"internal/negative", "internal/safetensors", "internal/nearest",
			"internal/join"}, below...),
		// embeddings in parts on the disk; run: its trainer, and its error of a number that is none
		"internal/swap": append([]string{"internal/kg", "internal/budget", "internal/durable", "internal/fileerr",
			"internal/host", "internal/intern", "internal/scratch", "internal/textfile", "run"}, below...),
		"internal/path": append([]string{"internal/durable", "internal/safetensors", "internal/nearest",
			"internal/fileerr", "internal/join"}, below...),
		"link": append([]string{"internal/idle", "internal/predicted", "internal/heap", "internal/kg", "internal/path",
			"internal/swap", "internal/nearest", "internal/fileerr", "internal/budget", "internal/scratch"},
			trained...),
		// searches anything; cmd tells it to train
		"internal/tune": {"mat", "internal/durable", "internal/fileerr", "internal/nearest", "internal/keyfile",
			"internal/join"},
		// rows on the host, a few at a time
		"internal/live":    {"internal/hugepage", "internal/kernel", "internal/solve", "mat", "graph", "descent"},
		"internal/columns": trained,
		"internal/serve": append([]string{"link", "pairs", "internal/columns", "internal/durable", "internal/live",
			"internal/nearest", "internal/scratch"}, trained...),
		// dataset: its matrix of features
		"internal/audit": {"mat", "ad", "graph", "internal/factset", "input", "optim", "dataset"},
		"report":         append([]string{"internal/report"}, trained...),
		"internal/chart": {},
		"internal/report": append([]string{"internal/chart", "link", "pairs", "internal/columns", "internal/predicted",
			"internal/durable", "internal/kg", "internal/fileerr", "internal/nearest", "internal/shell"}, trained...),
		"internal/workload": append([]string{"internal/kernel", "internal/kg", "internal/path", "internal/host",
			"run"}, below...),
		"internal/predicted": {"internal/fileerr"},
		"internal/nullable":  {},
		"internal/terminal":  {},
		"internal/shell":     {},
		"internal/join":      {},
		"internal/host":      {},
		// kernel: it compares the sets of bodies
		"internal/doctor":      {"internal/kernel", "internal/host", "mat", "cuda"},
		"internal/nearest":     {},
		"internal/fileerr":     {},
		"internal/durable":     {"internal/fileerr"}, // outputs, locks and checksums of files
		"internal/part":        {},
		"internal/keyfile":     {"internal/part", "internal/fileerr", "internal/nearest"},
		"internal/parttest":    {"internal/part"},
		"internal/keytest":     {"config", "internal/keyfile", "run"},
		"internal/intern":      {"internal/hugepage"},
		"internal/pickle":      {"internal/budget", "internal/fileerr", "internal/npy"}, // npy: its pickles hold arrays
		"internal/npy":         {"internal/budget", "internal/fileerr"},
		"internal/budget":      {"internal/fileerr", "internal/host"}, // host: how much memory there is
		"internal/ntriples":    {"internal/fileerr"},
		"internal/safetensors": {"internal/durable", "internal/fileerr"},
		"internal/tfevents":    {},
		// a step on some rows; kernel: rows on the host
		"internal/block": {"mat", "graph", "descent", "internal/kernel", "internal/ahead", "internal/blocks"},
		"internal/ahead": {},
		// steps of any energy on a part of a graph
		"internal/rounds": {"mat", "ad", "graph", "energy", "descent", "input", "."},
		// a linear descent from disk
		"internal/settle": {"mat", "graph", "descent", "internal/ahead", "internal/block", "internal/budget",
			"internal/fileerr", "internal/hugepage", "internal/scratch", "dataset", "internal/blocks"},
		// states of a convex energy, relaxed from disk, and what is trained above them
		"internal/relax": {"mat", "ad", "descent", "input", "upper", "run", "internal/block", "internal/blocks",
			"internal/settle", "internal/solve", "internal/kernel", "internal/budget", "internal/fileerr",
			"internal/host", "internal/hugepage", "internal/scratch", "dataset"},
		// parts of a graph that stays on the disk
		"internal/excerpt": {"mat", "graph", "dataset", "internal/sample", "internal/blocks", "internal/settle",
			"internal/scratch", "internal/budget", "internal/fileerr", "internal/host"},
		"internal/scratch": {"internal/durable", "internal/fileerr"},
		"internal/inspect": append([]string{"internal/kg", "internal/nearest"}, below...),
		"internal/lint":    {},
		"release/notice":   {},
		"internal/torture": {"dataset/format"},       // its samples, to spoil
		"internal/outside": {"internal/safetensors"}, // readers that are not ours, in their own module
		// what the programs share; run, catalogue: their errors
		"internal/command": {"internal/terminal", "internal/fileerr", "internal/nearest", "internal/join",
			"internal/jobs", "internal/budget", "internal/scratch", "mat", "cuda", "run", "dataset/catalogue"},
		"cmd/bloom-paper": append([]string{"internal/chart", "internal/command", "link", "pairs", "internal/audit",
			"internal/durable", "internal/kg", "internal/nearest", "internal/fileerr", "internal/join", "internal/jobs",
			"internal/solve"}, trained...),
		"cmd/bloom": append([]string{"internal/command", "internal/serve", "internal/columns", "internal/durable",
			"internal/keyfile", "internal/tune", "internal/report", "link", "pairs", "internal/kg", "internal/path",
			"internal/workload", "internal/inspect",
			"internal/nearest", "internal/fileerr", "internal/npy", "internal/table", "internal/terminal",
			"internal/shell", "internal/join", "internal/jobs", "internal/host", "internal/doctor", "internal/budget",
			"internal/swap", "internal/tabular", "cuda", "internal/blocks", "internal/blocks/tables", "internal/settle",
			"internal/relax", "internal/excerpt", "internal/heap"}, trained...),

		// graphs past one machine, in their own module
		"beam/internal/record": {"internal/durable", "internal/fileerr"},
		"beam/internal/parts": {"internal/blocks", "internal/durable", "internal/fileerr", "beam/internal/record",
			"run", "internal/generate"}, // generate: its tests
		"beam/internal/job": {"beam/internal/parts", "beam/internal/record", ".", "ad", "config", "dataset",
			"dataset/native", "descent", "energy", "graph", "input", "internal/block", "internal/blocks",
			"internal/durable", "internal/fileerr", "internal/prepare", "internal/rounds", "internal/settle", "mat",
			"nodes", "run"},
		// its tests compare with one machine
		"beam/internal/pipeline": append([]string{"beam/internal/job", "beam/internal/parts", "internal/blocks",
			"internal/durable", "internal/settle"}, trained...),
		"beam/cmd/bloom-beam": {"beam/internal/job", "beam/internal/parts", "beam/internal/pipeline", "config",
			"dataset/native", "internal/fileerr", "run", "internal/blocks", "internal/generate", "nodes"}, // its tests

		// tabular: what is kept of a user's tables
		"dataset":           {"mat", "graph", "internal/nearest", "internal/tabular", "internal/random"},
		"internal/prepare":  {"mat", "graph", "internal/nearest", "internal/random", "internal/keyvalue", "dataset"},
		"internal/tabular":  {},
		"internal/random":   {"mat"},
		"internal/keyvalue": {"internal/nearest"},
		"internal/textfile": {"internal/budget", "internal/fileerr", "internal/join"},
		"internal/build": {"graph", "internal/tabular", "internal/budget", "internal/fileerr", "internal/npy",
			"internal/intern",
			"dataset", "internal/random"},
		"internal/datatest": {"mat", "graph", "dataset"}, // for tests
		"internal/table":    {"internal/budget", "internal/durable", "internal/fileerr", "internal/intern"},
		"dataset/native": {"mat", "graph", "internal/durable", "internal/fileerr", "internal/join",
			"internal/tabular", "dataset"},
		"dataset/format": {"mat", "graph", "internal/factset", "internal/budget", "internal/fileerr", "internal/part",
			"internal/pickle", "internal/npy", "internal/ntriples", "internal/intern", "dataset", "dataset/native",
			"internal/blocks", "internal/build", "internal/textfile",
			"dataset/importer"}, // importer: tables of pairs
		"dataset/importer": {"mat", "graph", "internal/tabular", "internal/budget", "internal/durable",
			"internal/fileerr",
			"internal/hugepage", "internal/join",
			"internal/intern", "internal/nearest", "internal/npy", "dataset", "internal/table",
			"internal/build", "internal/textfile",
			"internal/random"},
		// graphs past memory; host: how much of the disk is free
		"internal/blocks": {"mat", "graph", "internal/budget", "internal/durable", "internal/fileerr", "internal/host",
			"internal/partition",
			"internal/nearest", "dataset"},
		"internal/blocks/tables": {"mat", "internal/budget", "internal/fileerr", "internal/intern", "internal/nearest",
			"internal/scratch", "internal/table", "dataset", "internal/blocks"},
		"internal/generate": {"mat", "graph", "internal/factset", "dataset", "internal/prepare",
			"internal/blocks", "internal/build",
			"internal/random", "internal/keyvalue", "internal/solve"},
		"internal/analysis": {"mat", "graph", "internal/factset", "dataset"},
		"dataset/catalogue": {"internal/durable", "internal/fileerr", "internal/nearest", "dataset", "dataset/native",
			"dataset/format", "internal/generate", "internal/analysis", "internal/durable", "internal/prepare",
			"internal/textfile"},
	},
	TestOnly: []string{"internal/datatest", "mat/mattest", "internal/check", "energy/energytest",
		"internal/parttest", "internal/keytest"},
	Modules: map[string][]string{
		// CPU features, huge pages, memory size; mapped files; the width of a terminal; locks
		"golang.org/x/sys": {"internal/kernel", "internal/hugepage", "internal/host", "internal/terminal",
			"dataset/native", "internal/durable"},
		// functions of C libraries that are loaded at run time, without cgo
		"github.com/ebitengine/purego": {"cuda", "cuda/gen"},
		// commands and help
		"github.com/spf13/cobra": {"internal/command", "cmd/bloom", "cmd/bloom-paper", "beam/cmd/bloom-beam"},
		// cobra's flags
		"github.com/spf13/pflag": {"internal/command", "cmd/bloom"},
		// an engine for many machines, in its own module
		"github.com/apache/beam/sdks/v2": {"beam/internal/pipeline", "beam/cmd/bloom-beam"},
		// assembly generators, in their own module
		"github.com/mmcloughlin/avo": {"internal/kernel/gen/*"},
		// pivoted QR, for the range of X; the normal distribution; eigenvectors
		"gonum.org/v1/gonum": {"energy", "internal/tune", "internal/audit"},
		// files, with the line and column of every key
		"go.yaml.in/yaml/v3": {"internal/keyfile", "internal/recipe", "config", "dataset/format",
			"dataset/catalogue", "cmd/bloom-paper", "internal/report", "internal/tune"},
		// gzip and zip, twice as fast
		"github.com/klauspost/compress": {"internal/datatest", "internal/textfile",
			"dataset/catalogue", "internal/table"},
		// v0.25: later ones bring protobuf, which keeps the linker from dropping unused methods (13 MB)
		"github.com/parquet-go/parquet-go": {"internal/table"},
		"modernc.org/sqlite":               {"internal/table"}, // without cgo
		"github.com/jackc/pgx/v5":          {"internal/table"},
	},
	TestModules: map[string][]string{
		"github.com/parquet-go/parquet-go": {"internal/torture"}, // files to spoil
		"modernc.org/sqlite":               {"internal/torture"},
		"google.golang.org/protobuf":       {"nodes"},          // reads the events of a run as TensorBoard does
		"go.yaml.in/yaml/v3":               {"nodes"},          // front matter of the model card, as model hubs do
		"github.com/chromedp/chromedp":     {"internal/serve"}, // looks at the page in a browser
		"github.com/chromedp/cdproto":      {"internal/serve"},
		"github.com/ollama/ollama":         {"internal/outside"}, // reads the weights of a run, in its own module
	},
	Unshown: []Exception{
		{"mat", "", "one function for each of many operations, which people call by the methods of ad.Var; " +
			"mat/mattest has a check for each"},
		{"ad", "Descend", "fused operations, which package descent calls; each is defined by a plain form that tests " +
			"compare with"},
		{"ad", "Step", "the same"},
		{"ad", "SampledDot", "the same"},
		{"nodes", "Need", "for cmd/bloom, whose tests compare with it"},
		{"nodes", "Rehearse", "for cmd/bloom, which estimates"},
		{"nodes", "Reopen", "for cmd/bloom, which resumes"},
		{"link", "IsTriples", "for cmd/bloom, which opens data"},
		{"link", "PlaceOnDisk", "the same; that of nodes has an example"},
		{"link", "Reopen", "for cmd/bloom, which resumes"},
		{"metric", "NewReport", "for link and internal/kg, which rank"},
		{"ad", "Renew", "for package adjoint: partial derivatives"},
		{"ad", "NewFunc", "for package adjoint: a layer that is computed again"},
	},
	Imports: []Exception{
		{"dataset/format/families_real_test.go", "internal/prepare", "published sets, as training uses them"},
		{"ad/cuda.go", "cuda", "behind the build tag cudatest: makes the card the device of every test above"},
		{"cmd/bloom/faster_test.go", "internal/opaque", "a second device to compare with"},
		{"nodes/together_test.go", "internal/opaque", "a second device with lanes"},
		{"internal/jobs/jobs_test.go", "internal/opaque", "a device with lanes"},
		{"ad/opaque.go", "internal/opaque", "behind the build tag opaque: makes it the device of every test above"},
		{"internal/excerpt/excerpt_test.go", "internal/generate", "a graph to take parts of"},
		{"internal/rounds/rounds_test.go", "config", "recipes, in parts and on all of a graph"},
		{"internal/rounds/rounds_test.go", "nodes", "the same"},
		{"internal/rounds/rounds_test.go", "internal/generate", "the same"},
		{"internal/settle/settle_test.go", "config", "what is settled is trained, and compared with all of the graph"},
		{"internal/settle/settle_test.go", "nodes", "the same"},
		{"internal/settle/settle_test.go", "run", "the same"},
		{"internal/settle/settle_test.go", "internal/generate", "the same"},
		{"internal/settle/real_test.go", "config", "the same"},
		{"internal/settle/real_test.go", "nodes", "the same"},
		{"internal/settle/real_test.go", "dataset/catalogue", "the same"},
		{"internal/settle/spread_test.go", "config", "the same"},
		{"internal/settle/spread_test.go", "nodes", "the same"},
		{"internal/settle/spread_test.go", "run", "the same"},
		{"internal/blocks/blocks_test.go", "internal/generate", "sets to write, and streams of edges"},
		{"internal/blocks/example_test.go", "internal/generate", "the same"},
		{"internal/generate/generate_test.go", "internal/analysis",
			"what is generated is compared with what was published"},
		{"internal/generate/generate_test.go", "dataset/native", "the same"},
		{"internal/generate/minesweeper_real_test.go", "internal/analysis", "the same"},
		{"internal/generate/minesweeper_real_test.go", "dataset/format", "the same"},
		{"internal/analysis/describe_real_test.go", "dataset/format", "the same"},
		{"internal/analysis/homophily_test.go", "internal/generate", "a graph whose homophily is known"},
		{"dataset/importer/importer_test.go", "internal/analysis", "what was imported"},
		{"dataset/importer/fuzz_test.go", "dataset/native", "whether the arrays fit one another"},
		{"internal/audit/audit_test.go", "internal/generate", "faults are planted in generated data"},
		{"adjoint/adjoint_test.go", "graph", "a lower level to differentiate stands on a graph"},
		{"adjoint/example_test.go", "graph", "the same"},
	},
}
