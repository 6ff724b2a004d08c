package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/flowcontrol"
)

const (
	protobuf = "application/vnd.kubernetes.protobuf"
	asList   = ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
)

// acceptedTypes by representation.
var acceptedTypes = map[string]string{
	"json":              "application/json",
	"protobuf":          protobuf,
	"metadata-json":     "application/json" + asList,
	"metadata-protobuf": protobuf + asList,
}

// agent is one copy: its own connections, one client-side limit for all.
type agent struct {
	number    int
	transport *http.Transport
	limiter   flowcontrol.RateLimiter
	plan      *plan
	log       *requestLog
}

func newAgent(number int, p *plan, authority []byte, log *requestLog) (*agent, error) {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(authority) {
		return nil, errors.New("caFile: no certificate in it")
	}
	return &agent{
		number: number,
		transport: &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12},
			// Answers are read as they come over the wire: gzip is asked for by hand.
			DisableCompression:  true,
			ForceAttemptHTTP2:   true,
			MaxIdleConnsPerHost: 25,
			TLSHandshakeTimeout: 60 * time.Second,
		},
		limiter: flowcontrol.NewTokenBucketRateLimiter(p.QPS, p.Burst),
		plan:    p,
		log:     log,
	}, nil
}

// client sends through the agent's own connections and rate limit.
func (a *agent) client(r *resource, transport http.RoundTripper) (*rest.RESTClient, error) {
	apiPath := "/apis"
	if r.Group == "" {
		apiPath = "/api"
	}
	return rest.RESTClientFor(&rest.Config{
		Host:        a.plan.Server,
		APIPath:     apiPath,
		BearerToken: a.plan.Token,
		UserAgent:   "headroom-storm",
		Transport:   transport,
		RateLimiter: a.limiter,
		ContentConfig: rest.ContentConfig{
			GroupVersion:         &schema.GroupVersion{Group: r.Group, Version: r.Version},
			NegotiatedSerializer: scheme.Codecs.WithoutConversion(),
			AcceptContentTypes:   acceptedTypes[r.Representation],
			ContentType:          "application/json",
		},
	})
}

func (a *agent) reflector(r *resource, resourceVersion string, store *arrivals) (*cache.Reflector, error) {
	client, err := a.client(r, &drain{
		next: a.transport, agent: a.number, resource: r, resourceVersion: resourceVersion,
		gzip: a.plan.Gzip, log: a.log,
	})
	if err != nil {
		return nil, err
	}
	lister := cache.NewFilteredListWatchFromClient(client, r.Resource, metav1.NamespaceAll,
		func(options *metav1.ListOptions) { options.FieldSelector = r.FieldSelector })
	return cache.NewReflectorWithOptions(lister, nil, store, cache.ReflectorOptions{Name: r.Resource}), nil
}

// arrivals is a store that keeps nothing and tells when it was filled first.
type arrivals struct {
	filled func()
}

func (s *arrivals) Add(interface{}) error    { return nil }
func (s *arrivals) Update(interface{}) error { return nil }
func (s *arrivals) Delete(interface{}) error { return nil }
func (s *arrivals) Resync() error            { return nil }
func (s *arrivals) Replace([]interface{}, string) error {
	s.filled()
	return nil
}
