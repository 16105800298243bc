// Package serve answers questions about runs over HTTP, as `bloom serve` does.
package serve

import (
	"context"
	"net/http"

	"github.com/bloomgml/bloom/internal/serve"
)

// Handler is the endpoints and the page of `bloom serve` for run folders of any kind, for a server of one's own. Like
// the program without tokens it answers requests for localhost alone. stop closes the runs.
func Handler(ctx context.Context, dirs ...string) (h http.Handler, stop func(), err error) {
	s, err := serve.New(ctx, serve.Options{}, nil, dirs...)
	if err != nil {
		return nil, nil, err
	}
	return s.Handler(), s.Close, nil
}
