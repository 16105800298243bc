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
	"mat", "ad", "graph", "energy", "descent", "adjoint", "input", "upper", ".", "internal/baseline", "recipe",
	"metric", "optim", "config",
	"dataset", "internal/build", "dataset/native", "dataset/format", "dataset/importer", "internal/generate",
	"internal/audit",
	"dataset/catalogue",
}

// trained is below, the run on top of it and what it trains.
var trained = append([]string{"train", "task", "task/node"}, below...)

// Project is the table of this repository. Data flows one way:
//
//	kernel → mat → ad ─┬→ energy → descent → adjoint ─┐
//	         graph ────┤                              ├→ bloom → recipe → train → task/{node, pair, fact} → cmd
//	                   └→ input, upper ───────────────┘
//	         graph, mat → dataset → {format, native, blocks, importer, generate} → catalogue
//	         graph, mat → metric
//
// Packages that do not exist yet are listed too, so that they are covered when they come.
var Project = Rules{
	Layers: map[string][]string{
		"internal/host": {},
		// join: the panic of a worker
		"internal/kernel":          {"internal/host"},
		"internal/kernel/gen":      {},
		"internal/kernel/gen/neon": {},
		"mat":                      {"internal/kernel", "internal/host"},
		"internal/jobs":            {"internal/host", "mat"},
		// host: which goroutine records
		"mat/mattest": {"mat", "internal/host"},
		// a Device on a GPU
		"cuda":     {"mat", "internal/host"},
		"cuda/gen": {},
		"ad":       {"mat"},
		// for tests
		"internal/testkit/browser": {},
		"internal/testkit":         {"mat", "ad", "graph", "dataset", "part"},
		// kernel: row splits of CSR, counter-based random numbers
		// kernel: hashes
		"graph":             {"internal/kernel", "internal/host", "mat"},
		"energy":            {"mat", "ad", "graph", "part"},
		"energy/energytest": {"mat", "ad", "internal/testkit", "graph", "energy"},
		"descent":           {"mat", "ad", "graph", "energy", "part"},
		// conjugate gradients, a step on some rows, states on a graph that changes; kernel: rows on the host
		"internal/solve": {"internal/kernel", "internal/host", "mat", "ad", "graph", "descent"},
		"adjoint":        {"mat", "ad", "energy", "descent", "internal/solve"},
		// regressions in closed form, trees, scores as statements; kernel: Each, Mix
		"internal/fit":    {"internal/kernel", "mat", "graph", "dataset", "metric"},
		"internal/random": {"mat", "ad"},
		"input":           {"mat", "ad", "graph", "internal/random"},
		// input: a head is an MLP too
		// several draws of dropout in an epoch
		"upper":             {"mat", "ad", "graph", "input", "part"},
		".":                 {"mat", "ad", "graph", "energy", "descent", "adjoint", "input", "upper"},
		"internal/baseline": {"mat", "ad", "graph", "input", "upper", "internal/random", "internal/keys"},
		"recipe": {"mat", "ad", "graph", "energy", "descent", "adjoint", "input", "upper", ".",
			"internal/baseline", "internal/keys", "internal/files", "part"},
		// kernel: Each
		// graph: facts and the questions about them
		"metric": {"internal/kernel", "mat", "graph", "part"},
		"optim":  {"mat", "ad"},
		"config": {"recipe", "upper", "metric", "internal/files", "internal/keys", "part"},
		"train": append([]string{"internal/files", "internal/codec", "internal/show", "internal/host",
			"internal/jobs"}, below...),
		// kernel: Each, for what is measured on the host
		// how much memory there may be; numbers as people write them
		// what can be learnt, as the program asks for it; npy: embeddings
		"task":       {"config", "dataset", "train", "mat", "internal/codec", "internal/files"},
		"task/kinds": append([]string{"task/event", "task/pair", "task/fact"}, trained...),
		"task/node": append([]string{"internal/fit", "internal/certify", "train", "task", "internal/host",
			"internal/jobs", "internal/keys", "internal/solve", "internal/kernel", "internal/ondisk", "internal/random",
			"internal/codec", "internal/files", "internal/show"}, below...),
		// links by the embeddings of nodes
		"task/event": append([]string{"internal/files", "internal/host", "internal/random", "internal/show"},
			trained...),
		"task/pair": append([]string{"internal/show", "internal/host", "internal/codec", "internal/files"},
			trained...),
		// false triples; kernel: counter-based random numbers
		"internal/kg": append([]string{"train", "internal/kernel", "internal/codec", "internal/keys",
			"internal/host", "internal/inspect"}, below...),
		// pickle: weights of PyTorch models
		"internal/path": append([]string{"internal/files", "internal/codec", "internal/keys", "internal/host"},
			below...),
		"task/fact": append([]string{"internal/show", "internal/host", "internal/fit", "internal/kg",
			"internal/jobs", "internal/path", "internal/keys", "internal/files"}, trained...),
		// searches anything; cmd tells it to train
		"internal/tune": {"mat", "internal/files", "internal/keys", "internal/host"},
		// what changed edges can do to answers; kernel: Each; npy: its tests read published logits
		"internal/certify": {"internal/kernel", "internal/solve", "graph", "descent", "mat", "internal/codec"},

		"internal/serve": append([]string{"task/kinds", "task/fact", "task/pair", "internal/files",
			"internal/solve",
			// dataset/importer: columns made from edges follow them
			"internal/keys", "internal/ondisk", "dataset/importer"}, trained...),
		// a run made again; relational: which runs answer questions about a database
		"internal/forget": append([]string{"task/kinds", "dataset/relational", "internal/files", "internal/codec/table",
			"internal/show"}, trained...),
		// dataset: its matrix of features
		"internal/audit": {"mat", "ad", "graph", "input", "optim", "dataset"},
		"report":         append([]string{"internal/report"}, trained...),
		"serve":          append([]string{"internal/serve"}, trained...),
		"internal/report": append([]string{"internal/show", "task/kinds", "task/fact", "task/pair",
			"internal/files", "internal/kg", "internal/keys"}, trained...),
		// kernel: it compares the sets of bodies
		"internal/workload": append([]string{"internal/kernel", "internal/kg", "internal/path", "internal/host",
			"train", "cuda"}, below...),
		// terminals and charts
		"internal/show": {},
		// outputs, locks and checksums of files
		// host: how much memory there is
		"internal/files":           {"internal/host"},
		"part":                     {},
		"internal/keys":            {"part", "internal/files"},
		"internal/testkit/keytest": {"config", "internal/keys", "train"},
		"internal/build": {"internal/host", "mat", "graph", "internal/keys", "internal/random", "dataset",
			"internal/files", "internal/codec"},
		// npy: its pickles hold arrays
		"internal/codec": {"internal/files"},
		// graphs past memory; host: how much of the disk is free
		// a linear descent from disk
		// parts of a graph that stays on the disk
		"internal/ondisk": {"mat", "ad", "energy", "input", "graph", "internal/solve", "internal/files",
			"internal/host", "internal/keys", "dataset", "descent", "internal/build", "internal/codec/table"},
		"internal/inspect": append([]string{"internal/keys", "part"}, below...),
		"internal/lint":    {},
		"release":          {"internal/inspect"}, // its tests
		"release/rpm":      {},
		// the engine of the page docs/play
		"cmd/bloom-play": {"internal/inspect"},
		// its samples, to spoil
		"internal/testkit/torture": {"dataset/format"},
		// readers that are not ours, in their own module
		"internal/outside": {"internal/codec"},
		// a program of somebody else, in its own module, which cannot import what is internal
		"internal/outside/own": append([]string{"part", "report", "serve", "task/pair", "task/fact"}, trained...),
		// what the programs share; run, catalogue: their errors
		"internal/command": {"internal/show", "internal/files", "internal/keys", "internal/host", "internal/jobs",
			"mat", "internal/ondisk", "cuda", "train", "task", "dataset/catalogue"},
		"cmd/bloom-paper": append([]string{"internal/show", "internal/command", "task/kinds", "task/fact",
			"task/pair", "internal/files", "internal/kg", "internal/keys", "internal/host", "internal/jobs",
			"internal/solve"}, trained...),
		"cmd/bloom": append([]string{"internal/show", "internal/command", "internal/serve", "internal/files",
			"internal/keys", "internal/forget", "internal/tune", "internal/report", "task/kinds", "task/fact",
			"task/pair", "internal/kg", "internal/path", "internal/workload", "internal/inspect",
			"internal/codec", "internal/codec/table", "internal/host", "internal/jobs", "dataset/relational", "cuda",
			"internal/ondisk"}, trained...),
		// graphs past one machine, in their own module
		// generate: its tests
		"beam/internal/parts": {"internal/ondisk", "internal/files", "train",
			"internal/generate"},
		"beam/internal/job": {"beam/internal/parts", ".", "ad", "config", "dataset", "dataset/native",
			"descent", "energy", "graph", "input", "internal/solve", "internal/ondisk", "internal/files",
			"internal/build", "mat", "task/node", "train"},
		// its tests compare with one machine
		"beam/internal/pipeline": append([]string{"beam/internal/job", "beam/internal/parts",
			"internal/ondisk", "internal/files"}, trained...),
		// its tests
		"beam/cmd/bloom-beam": {"beam/internal/job", "beam/internal/parts", "beam/internal/pipeline", "config",
			"dataset/native", "internal/files", "train", "internal/ondisk", "internal/generate", "task/node"},
		// tabular: what is kept of a user's tables
		"dataset":              {"mat", "graph", "internal/keys", "internal/random"},
		"internal/codec/table": {"internal/files", "internal/build", "internal/codec"},
		"dataset/native":       {"mat", "graph", "internal/files", "internal/host", "dataset"},
		// importer: tables of pairs
		"dataset/format": {"mat", "graph", "internal/files", "part", "internal/codec", "internal/codec/table",
			"internal/build", "dataset", "dataset/native", "internal/ondisk", "dataset/importer"},
		"dataset/importer": {"mat", "graph", "dataset", "internal/files", "internal/host", "internal/build",
			"internal/keys", "internal/codec", "internal/codec/table", "internal/random"},
		// questions about a database at a time
		"dataset/relational": {"graph", "dataset", "dataset/importer", "dataset/native", "internal/files",
			"internal/build", "internal/keys", "internal/codec/table"},
		"internal/generate": {"mat", "graph", "dataset", "internal/build", "internal/ondisk", "internal/random",
			"internal/keys", "internal/solve"},
		"dataset/catalogue": {"internal/files", "internal/keys", "dataset", "dataset/native", "dataset/format",
			"internal/generate", "internal/audit", "internal/build"},
	},
	TestOnly: []string{"internal/testkit", "internal/testkit/browser", "internal/testkit/keytest",
		"mat/mattest", "energy/energytest"},
	Modules: map[string][]string{
		// CPU features, huge pages, memory size; mapped files; the width of a terminal; locks
		"golang.org/x/sys": {"internal/kernel", "internal/host", "internal/show",
			"dataset/native", "internal/files"},
		// functions of C libraries that are loaded at run time, without cgo
		"github.com/ebitengine/purego": {"cuda", "cuda/gen"},
		// commands and help
		"github.com/spf13/cobra": {"internal/command", "cmd/bloom", "cmd/bloom-paper", "beam/cmd/bloom-beam"},
		// cobra's flags
		"github.com/spf13/pflag": {"internal/command", "cmd/bloom"},
		// an engine for many machines, in its own module
		"github.com/apache/beam/sdks/v2": {"beam/internal/pipeline", "beam/cmd/bloom-beam"},
		// looks at pages in a browser, for tests
		"github.com/google/rpmpack":    {"release/rpm"},
		"github.com/chromedp/chromedp": {"internal/testkit/browser"},
		"github.com/chromedp/cdproto":  {"internal/testkit/browser"},
		// assembly generators, in their own module
		"github.com/mmcloughlin/avo": {"internal/kernel/gen"},
		// pivoted QR, for the range of X; the normal distribution; eigenvectors; tridiagonal forms; double precision
		"gonum.org/v1/gonum": {"energy", "internal/tune", "internal/audit", "internal/fit", "task/node"},
		// files, with the line and column of every key
		"go.yaml.in/yaml/v3": {"internal/keys", "recipe", "config",
			"dataset/catalogue", "cmd/bloom-paper", "internal/report", "internal/tune"},
		// gzip and zip, twice as fast
		"github.com/klauspost/compress": {"internal/testkit", "internal/files",
			"dataset/catalogue", "internal/codec/table"},
		// v0.25: later ones bring protobuf, which keeps the linker from dropping unused methods (13 MB)
		"github.com/parquet-go/parquet-go": {"internal/codec/table"},
		"modernc.org/sqlite":               {"internal/codec/table"}, // without cgo
		"github.com/jackc/pgx/v5":          {"internal/codec/table"},
	},
	TestModules: map[string][]string{
		"github.com/parquet-go/parquet-go": {"internal/testkit/torture"}, // files to spoil
		"modernc.org/sqlite":               {"internal/testkit/torture"},
		"google.golang.org/protobuf":       {"task/node"}, // reads the events of a run as TensorBoard does
		"go.yaml.in/yaml/v3":               {"task/node"}, // front matter of the model GPU, as model hubs do
		// looks at pages in a browser
		"github.com/chromedp/chromedp": {"internal/serve", "release"},
		"github.com/chromedp/cdproto":  {"internal/serve"},
		"github.com/ollama/ollama":     {"internal/outside"}, // reads the weights of a run, in its own module
	},
	Unshown: []Exception{
		{"mat", "", "one function for each of many operations, which people call by the methods of ad.Var; " +
			"mat/mattest has a check for each"},
		{"ad", "Descend", "fused operations, which package descent calls; each is defined by a plain form that tests " +
			"compare with"},
		{"ad", "Step", "the same"},
		{"ad", "SampledDot", "the same"},
		{"config", "AddTask", "for task/kinds, which adds those of the table"},
		{"task/kinds", "Add", "a test of cmd/bloom adds a kind"},
		{"dataset/importer", "Refit", "bloom forget calls it"},
		{"task/node", "RaceAgain", "bloom forget calls it"},
		{"task/node", "Kept", "for pages and cmd/bloom"},
		{"dataset/format", "WriteBlocks", "the examples of task/node begin with it, in a function of their own"},
		{"train", "OpenData", "Configured for a config that was read already"},
		{"train", "SeedTrials", "for task/fact and task/pair"},
		{"train", "OpenNamed", "for the program; event.Open shows it"},
		{"task/node", "Need", "for cmd/bloom, whose tests compare with it"},
		{"task/node", "Rehearse", "for cmd/bloom, which estimates"},
		{"task/node", "Reopen", "for cmd/bloom, which resumes"},
		{"metric", "NewReport", "for link and internal/kg, which rank"},
		{"ad", "Renew", "for package adjoint: partial derivatives"},
		{"ad", "NewFunc", "for package adjoint: a layer that is computed again"},
	},
	Imports: []Exception{
		{"ad/cuda.go", "cuda", "behind the build tag cudatest: makes the GPU the device of every test above"},
		{"part/example_test.go", "energy", "a table to look at"},
		{"ad/opaque.go", "mat/mattest",
			"behind the build tag opaque: makes it the device of every test above"},
		{"internal/ondisk/excerpt_test.go", "internal/generate", "a graph to take parts of"},
		{"internal/ondisk/settle_test.go", "config",
			"what is settled is trained, and compared with all of the graph"},
		{"internal/ondisk/settle_test.go", "task/node", "the same"},
		{"internal/ondisk/settle_test.go", "train", "the same"},
		{"internal/ondisk/settle_test.go", "internal/generate", "the same"},
		{"internal/ondisk/settle_real_test.go", "config", "the same"},
		{"internal/ondisk/settle_real_test.go", "task/node", "the same"},
		{"internal/ondisk/settle_real_test.go", "dataset/catalogue", "the same"},
		{"internal/ondisk/settle_spread_test.go", "config", "the same"},
		{"internal/ondisk/settle_spread_test.go", "task/node", "the same"},
		{"internal/ondisk/settle_spread_test.go", "train", "the same"},
		{"internal/ondisk/blocks_test.go", "internal/generate", "sets to write, and streams of edges"},
		{"internal/ondisk/example_test.go", "internal/generate", "the same"},
		{"internal/generate/generate_test.go", "internal/audit",
			"what is generated is compared with what was published"},
		{"internal/generate/generate_test.go", "dataset/native", "the same"},
		{"internal/generate/minesweeper_real_test.go", "internal/audit", "the same"},
		{"internal/generate/minesweeper_real_test.go", "dataset/format", "the same"},
		{"internal/audit/describe_real_test.go", "dataset/format", "the same"},
		{"internal/audit/homophily_test.go", "internal/generate", "a graph whose homophily is known"},
		{"dataset/importer/importer_test.go", "internal/audit", "what was imported"},
		{"dataset/importer/fuzz_test.go", "dataset/native", "whether the arrays fit one another"},
		{"internal/fit/closed_real_test.go", "dataset/catalogue", "graphs with published splits, and generated ones"},
		{"internal/audit/audit_test.go", "internal/generate", "faults are planted in generated data"},
		{"adjoint/adjoint_test.go", "graph", "a lower level to differentiate stands on a graph"},
		{"adjoint/example_test.go", "graph", "the same"},
	},
}
