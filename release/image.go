package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
)

// The media types of the OCI image specification.
const (
	indexType    = "application/vnd.oci.image.index.v1+json"
	manifestType = "application/vnd.oci.image.manifest.v1+json"
	configType   = "application/vnd.oci.image.config.v1+json"
	layerType    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// descriptor names a blob.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Platform    *platform         `json:"platform,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type platform struct {
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
}

// layout is an OCI image layout being made: blobs by their hashes.
type layout struct{ files []entry }

func (l *layout) add(mediaType string, data []byte) descriptor {
	sum := fmt.Sprintf("%x", sha256.Sum256(data))
	l.files = append(l.files, entry{"blobs/sha256/" + sum, 0o644, data})
	return descriptor{MediaType: mediaType, Digest: "sha256:" + sum, Size: len(data)}
}

func (l *layout) addJSON(mediaType string, v any) (descriptor, error) {
	data, err := json.Marshal(v)
	return l.add(mediaType, data), err
}

// writeImage writes a tar archive of an OCI image layout: an index of one image per processor. An image has the
// program, its licences and nothing else, and runs it as a user who is not root.
func (r release) writeImage(programs []program) error {
	var l layout
	var images []descriptor
	for _, p := range programs {
		d, err := r.oneImage(&l, p)
		if err != nil {
			return err
		}
		images = append(images, d)
	}
	all, err := l.addJSON(indexType, map[string]any{"schemaVersion": 2, "mediaType": indexType, "manifests": images})
	if err != nil {
		return err
	}
	all.Annotations = map[string]string{"org.opencontainers.image.ref.name": r.version}
	top, err := json.Marshal(map[string]any{"schemaVersion": 2, "mediaType": indexType, "manifests": []descriptor{all}})
	if err != nil {
		return err
	}
	l.files = append(l.files, entry{"index.json", 0o644, top},
		entry{"oci-layout", 0o644, []byte(`{"imageLayoutVersion":"1.0.0"}`)})
	var b bytes.Buffer
	if err := archive(&b, "", l.files); err != nil {
		return err
	}
	return r.write("bloom-"+r.version+"-image.tar", b.Bytes())
}

// oneImage adds the image of a program.
func (r release) oneImage(l *layout, p program) (descriptor, error) {
	files, err := entries(source{p.path, "bloom", 0o755}, source{"LICENSE", "LICENSE", 0o644},
		source{"NOTICE", "NOTICE", 0o644})
	if err != nil {
		return descriptor{}, err
	}
	var plain bytes.Buffer
	if err := archive(&plain, "", files); err != nil {
		return descriptor{}, err
	}
	layer, err := packed("", files)
	if err != nil {
		return descriptor{}, err
	}
	layerBlob := l.add(layerType, layer)
	at := platform{p.arch, p.os}
	config, err := l.addJSON(configType, map[string]any{
		"architecture": p.arch, "os": p.os, "created": "1970-01-01T00:00:00Z",
		"config": map[string]any{
			"User": "65532:65532", "Entrypoint": []string{"/bloom"},
			"ExposedPorts": map[string]any{"8080/tcp": map[string]any{}},
			"Labels": map[string]string{"org.opencontainers.image.version": r.version,
				"org.opencontainers.image.revision": r.commit,
				"org.opencontainers.image.source":   home, "org.opencontainers.image.licenses": "Apache-2.0"},
		},
		"rootfs": map[string]any{"type": "layers",
			"diff_ids": []string{fmt.Sprintf("sha256:%x", sha256.Sum256(plain.Bytes()))}},
	})
	if err != nil {
		return descriptor{}, err
	}
	d, err := l.addJSON(manifestType, map[string]any{"schemaVersion": 2, "mediaType": manifestType, "config": config,
		"layers": []descriptor{layerBlob}})
	d.Platform = &at
	return d, err
}
