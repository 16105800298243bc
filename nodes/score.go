package nodes

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/run"
)

// metricOf is the metric of a name that filled has checked; auto is that of the data set, or accuracy.
func metricOf(name string, d *dataset.Dataset) (string, error) {
	if name == "auto" {
		if name = d.Metric; name == "" {
			name = "accuracy"
		}
	}
	if m, ok := metric.ByName(name); !ok || m.Nodes == nil {
		return "", &run.BadSetting{Key: "train.metric", Value: name, Want: oneOf(words("train.metric"))}
	}
	if name == "roc_auc" && len(d.Labels.Names) != 2 {
		return "", &run.BadSetting{Key: "train.metric", Value: name,
			Want: fmt.Sprintf("accuracy: %s has %d classes, not 2", d.Name, len(d.Labels.Names))}
	}
	return name, nil
}

// scorer takes the metric of parts of a split.
type scorer struct {
	measure func(metric.Predictions) float64
	of      metric.Predictions
}

func newScorer(t *Task) scorer {
	m, _ := metric.ByName(t.metric) // metricOf has looked
	labels := t.Data.Labels.Class
	return scorer{m.Nodes, metric.Predictions{Logits: make([]mat.Real, len(labels)*t.Classes()), Classes: t.Classes(),
		Labels: labels}}
}

// over is the metric of nodes; NaN where there are none.
func (s *scorer) over(nodes []int32) float64 {
	if len(nodes) == 0 {
		return math.NaN()
	}
	s.of.Pick = nodes
	return s.measure(s.of)
}
