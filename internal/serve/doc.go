// Package serve answers for trained runs over HTTP while their graphs change.
//
//	s, err := serve.New(serve.Options{Addr: "127.0.0.1:8080"}, "runs/cora")
//	err = s.Run(ctx)
//
// A run is a Model under the name of its folder. Questions come by the Open Inference Protocol, /v2, or by the
// endpoints of our own, /v1: answers about a node, answers to "what if", and batches of edits, which are validated as a
// whole, written to the run's journal before they are acknowledged, and numbered. After a batch the descent is
// repeated only where it matters (solve.State), and every answer says which version it belongs to and how far
// it can be from the descent on the whole graph. The page at / is for people: it asks the endpoints under /v1.
package serve
