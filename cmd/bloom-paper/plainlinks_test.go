package main

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// TestPlainLinks: of a graph with communities all methods know something, with features and without.
func TestPlainLinks(t *testing.T) {
	d, err := catalogue.Open("csbm:nodes=200,classes=5,features=8,signal=4,degree=16,homophily=0.9")
	if err != nil {
		t.Fatal(err)
	}
	bare := *d
	bare.Features = nil
	c, err := config.Load(config.Options{Task: "links", Data: "karate"})
	if err != nil {
		t.Fatal(err)
	}
	least := map[string]float64{"adamic": 0.7, "cosine": 0.8, "logistic": 0.85, "gae": 0.8} // chance is 0.5
	for method, least := range least {
		list, err := measurePlain(method, *c, d)
		if err != nil || len(list) != 4 || list[0].Test < least || list[0].Valid < least-0.1 {
			t.Errorf("%s: %+v, %v", method, list, err)
		}
		list, err = measurePlain(method, *c, &bare)
		if (err != nil) != (method == "cosine") || err == nil && list[0].Test < 0.7 {
			t.Errorf("%s without features: %+v, %v", method, list, err)
		}
	}
}

// TestLogistic: at the weights that are found the gradient, written out in double precision, is 0, for two classes and
// for three; rows that do not teach have no say.
func TestLogistic(t *testing.T) {
	const n = 300
	for _, classes := range []int{2, 3} {
		x, labels, teach := []mat.Real{}, make([]int32, n), []int32{}
		for i := range n {
			a, b := float64(mat.Mix(1, uint64(i))%1000)/500-1, float64(mat.Mix(2, uint64(i))%1000)/500-1
			x = append(x, mat.Real(a), mat.Real(b), 1)
			labels[i] = int32(max(0, math.Min(float64(classes)-1, math.Floor(1+2*a+b*b))))
			if i%3 > 0 {
				teach = append(teach, int32(i))
			}
		}
		const ridge = 0.5
		w, err := logistic(input.Dense(mat.FromSlice(n, 3, x)), labels, teach, classes, ridge)
		if err != nil {
			t.Fatal(err)
		}
		of := onHost(w)
		g := make([]float64, len(of))
		for i, v := range of {
			g[i] = ridge * v
		}
		for _, v := range teach {
			p, sum := make([]float64, classes), 0.0
			for c := range p {
				for j := range 3 {
					p[c] += float64(x[3*int(v)+j]) * of[j*classes+c]
				}
				p[c] = math.Exp(p[c])
				sum += p[c]
			}
			for c := range p {
				left := p[c] / sum
				if int(labels[v]) == c {
					left--
				}
				for j := range 3 {
					g[j*classes+c] += left * float64(x[3*int(v)+j])
				}
			}
		}
		if size := math.Sqrt(dot(g, g)); size > 1e-4 || math.Sqrt(dot(of, of)) < 1 { // single precision, 200 rows
			t.Errorf("%d classes: weights %v, gradient %v", classes, of, g)
		}
	}
}
