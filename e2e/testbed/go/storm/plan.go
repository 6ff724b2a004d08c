package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"time"
)

// plan says who asks whom for what.
type plan struct {
	Server string `json:"server"`
	CAFile string `json:"caFile"`
	// Token of the account that all copies share, and so one flow.
	Token              string     `json:"token"`
	Copies             int        `json:"copies"`
	StartWindowSeconds float64    `json:"startWindowSeconds"`
	LimitSeconds       float64    `json:"limitSeconds"`
	Seed               uint64     `json:"seed"`
	Gzip               bool       `json:"gzip"`
	QPS                float32    `json:"qps"`
	Burst              int        `json:"burst"`
	Resources          []resource `json:"resources"`
	// Single above 0: no storm, but so many LISTs of the first resource, one
	// after the other on one connection, for calibration. WatchList: the initial
	// events of a watch in place of each; reflectors follow client-go's gate.
	Single    int  `json:"single"`
	WatchList bool `json:"watchList"`
}

// resource is what every copy lists and watches.
type resource struct {
	Group    string `json:"group"`
	Version  string `json:"version"`
	Resource string `json:"resource"`
	ListKind string `json:"listKind"`
	// Representation: json, protobuf, metadata-json or metadata-protobuf.
	Representation string `json:"representation"`
	FieldSelector  string `json:"fieldSelector"`
	// ResourceVersion and Limit of single LISTs; reflectors choose theirs.
	ResourceVersion string `json:"resourceVersion"`
	Limit           int64  `json:"limit"`
}

const (
	maxCopies  = 5000
	maxSeconds = 900
	maxSingle  = 10000
)

func readPlan(in io.Reader) (*plan, error) {
	decoder := json.NewDecoder(in)
	decoder.DisallowUnknownFields()
	p := &plan{LimitSeconds: 60, QPS: 5, Burst: 10}
	if err := decoder.Decode(p); err != nil {
		return nil, fmt.Errorf("the plan is not as expected: %w", err)
	}
	return p, p.check()
}

// check keeps the load on this machine, and bounded.
func (p *plan) check() error {
	server, err := url.Parse(p.Server)
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	switch {
	case server.Hostname() != "127.0.0.1":
		return fmt.Errorf("server: %q is not on 127.0.0.1", p.Server)
	case p.Copies < 1 && p.Single < 1, p.Copies > maxCopies, p.Single > maxSingle:
		return fmt.Errorf("copies: 1 to %d, or single: 1 to %d", maxCopies, maxSingle)
	case p.LimitSeconds <= 0 || p.LimitSeconds > maxSeconds:
		return fmt.Errorf("limitSeconds: more than 0, at most %d", maxSeconds)
	case p.StartWindowSeconds < 0:
		return errors.New("startWindowSeconds: 0 or more")
	case p.WatchList && p.Single < 1:
		return errors.New("watchList: only with single")
	case len(p.Resources) == 0:
		return errors.New("resources: at least one")
	}
	for i := range p.Resources {
		if err := p.Resources[i].check(); err != nil {
			return fmt.Errorf("resources[%d]: %w", i, err)
		}
	}
	return nil
}

func (r *resource) check() error {
	if r.Version == "" || r.Resource == "" || r.ListKind == "" {
		return errors.New("version, resource and listKind are needed")
	}
	if _, ok := acceptedTypes[r.Representation]; !ok {
		return fmt.Errorf("representation: %q is not known", r.Representation)
	}
	return nil
}

func (p *plan) limit() time.Duration {
	return time.Duration(p.LimitSeconds * float64(time.Second))
}
