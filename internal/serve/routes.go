package serve

import (
	"io"
	"net"
	"net/http"

	"github.com/bloomgml/bloom/task/node"
)

// route is something that is answered.
type route struct {
	pattern string
	needs   role
	answer  answerer
	text    string // what it is, a sentence
	query   string // a parameter besides ?model=; may be empty
	takes   any    // a value of the type of the body; nil for none
	gives   any    // a value of the type of the answer
}

// routes returns all routes that answer with JSON.
func (s *Server) routes() []route {
	return []route{
		// the Open Inference Protocol
		{"GET /v2", reader, s.server, "The server.", "", nil, serverMetadata{}},
		{"GET /v2/health/live", nobody, s.healthy, "Whether the server is alive.", "", nil, serverReady{}},
		{"GET /v2/health/ready", nobody, s.healthy, "Whether its models are ready.", "", nil, serverReady{}},
		{"GET /v2/models/{model}", reader, s.ofRun(s.metadata), "The inputs and outputs of a model.", "", nil,
			modelMetadata{}},
		{"GET /v2/models/{model}/ready", reader, s.ofRun(s.modelReady), "Whether a model is ready.", "", nil,
			modelReady{}},
		{"POST /v2/models/{model}/infer", reader, s.ofRun(s.infer), "Asks a model.", "", asking{}, inferred{}},

		{"GET /v1/openapi.json", nobody, s.openAPI, "This description.", "", nil, map[string]any{}},
		{"GET /v1/models", reader, s.list, "The runs whose graphs can change, and what the token may do.", "", nil,
			listed{}},
		{"GET /v1/graph", reader, s.ofGraph(s.graphOf), "Size and version of the graph.", "", nil, sized{}},
		{"POST /v1/graph", writer, s.ofGraph(s.edit), "Applies edits, all or none; they are on disk before they are " +
			"acknowledged.", "",
			wanted{}, Edited{}},
		{"POST /v1/events", writer, s.ofRun(s.learn), "Learns from events, in memory, before it answers.", "",
			happened{}, learnt{}},
		{"POST /v1/undo", writer, s.ofGraph(s.undo), "Undoes the last version.", "", struct{}{}, Edited{}},
		{"POST /v1/reload", writer, s.reload, "Loads runs that were trained again.", "", struct{}{}, reloaded{}},
		{"POST /v1/what-if", reader, s.ofGraph(s.whatIf), "Predictions as if edits were made; nothing is kept.", "",
			wanted{}, answered{}},
		{"GET /v1/nodes/{id}", reader, s.ofNodes(s.node), "The prediction for a node.", "", nil, Answer{}},
		{"GET /v1/search", reader, s.ofNodes(s.search), "Nodes whose ids contain a text.", "q", nil, searched{}},
		{"GET /v1/features", reader, s.ofGraph(s.features), "The features of a node, with the names of columns.",
			"node", nil, featured{}},
		{"GET /v1/explain", reader, s.ofNodes(s.explain), "The explanation of the prediction for a node.", "node", nil,
			Explanation{}},
		{"POST /v1/explain", reader, s.ofNodes(s.explain), "The same, as if edits were made.", "", explaining{},
			Explanation{}},
		{"GET /v1/influence", reader, s.ofNodes(s.influence), "The training labels that the prediction for a node " +
			"rests on, in the run as it was trained.", "node", nil, node.Influence{}},
		{"GET /v1/audit", reader, s.ofGraph(s.worklist), "What is probably wrong in the data, and the state of each " +
			"finding.", "", nil,
			Worklist{}},
		{"POST /v1/audit", writer, s.ofGraph(s.startAudit), "Starts an audit, unless one with these settings is " +
			"running.", "", auditing{}, Worklist{}},
		{"GET /v1/health", reader, s.ofGraph(s.health), "The health of the server and of a model.", "", nil, healthy{}},
	}
}

// Handler is everything that is answered.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for _, r := range s.routes() {
		mux.Handle(r.pattern, s.guarded(r.pattern, r.needs, r.answer))
	}
	mux.Handle("GET /metrics", s.guarded("GET /metrics", reader, s.metrics))
	mux.Handle("GET /v1/snapshot", s.guarded("GET /v1/snapshot", reader, s.ofGraph(s.snapshot)))
	handlePage(mux)
	return s.addressed(http.NewCrossOriginProtection().Handler(mux))
}

// addressed answers requests that were meant for this server. If no token is needed, only names of this machine count:
// a page from elsewhere whose name has come to stand for 127.0.0.1 would be of the same origin.
func (s *Server) addressed(next http.Handler) http.Handler {
	if s.options.TokenFile != "" || s.options.Insecure {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if !isLoopback(host) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusMisdirectedRequest)
			_, _ = io.WriteString(w, `{"error":"without --token-file or --insecure, requests are for localhost"}`+"\n")
			return
		}
		next.ServeHTTP(w, r)
	})
}
