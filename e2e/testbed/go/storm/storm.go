package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
)

// storm starts all copies within the window, and waits until each holds the
// initial state of each resource, or the time is up.
func storm(ctx context.Context, p *plan, authority []byte, log *requestLog) (outcome, error) {
	first, err := newAgent(-1, p, authority, log)
	if err != nil {
		return outcome{}, err
	}
	versions := make([]string, len(p.Resources))
	for i := range p.Resources {
		if versions[i], err = currentVersion(ctx, first, &p.Resources[i]); err != nil {
			return outcome{}, fmt.Errorf("resources[%d]: %w", i, err)
		}
	}
	first.transport.CloseIdleConnections()

	progress := newProgress(p.Copies * len(p.Resources))
	random := rand.New(rand.NewPCG(p.Seed, 0))
	starts := make([]time.Duration, p.Copies)
	for i := range starts {
		starts[i] = time.Duration(random.Float64() * p.StartWindowSeconds * float64(time.Second))
	}
	// All is made before the first second counts.
	agents := make([]*agent, p.Copies)
	for i := range agents {
		if agents[i], err = newAgent(i, p, authority, log); err != nil {
			return outcome{}, err
		}
	}
	log.restart()
	began := time.Now()
	progress.began = began
	for i, a := range agents {
		for j := range p.Resources {
			reflector, err := a.reflector(&p.Resources[j], versions[j], progress.store())
			if err != nil {
				return outcome{}, err
			}
			go func() {
				select {
				case <-time.After(time.Until(began.Add(starts[i]))):
					reflector.RunWithContext(ctx)
				case <-ctx.Done():
				}
			}()
		}
	}
	select {
	case <-progress.done:
	case <-ctx.Done():
	}
	return progress.outcome(), nil
}

// currentVersion asks for one object, to have a version from which to watch.
func currentVersion(ctx context.Context, a *agent, r *resource) (string, error) {
	client, err := a.client(r, a.transport)
	if err != nil {
		return "", err
	}
	list, err := client.Get().Resource(r.Resource).SetHeader("Accept", "application/json").
		VersionedParams(&metav1.ListOptions{Limit: 1}, scheme.ParameterCodec).Do(ctx).Get()
	if err != nil {
		return "", err
	}
	meta, ok := list.(metav1.ListInterface)
	if accessor, isList := list.(metav1.ListMetaAccessor); isList {
		meta, ok = accessor.GetListMeta(), true
	}
	if !ok {
		return "", fmt.Errorf("%T has no resource version", list)
	}
	return meta.GetResourceVersion(), nil
}

// query of a single request.
func (r *resource) query(watchList bool) url.Values {
	query := url.Values{}
	if r.ResourceVersion != "" {
		query.Set("resourceVersion", r.ResourceVersion)
	}
	if r.FieldSelector != "" {
		query.Set("fieldSelector", r.FieldSelector)
	}
	if watchList {
		query.Set("watch", "true")
		query.Set("allowWatchBookmarks", "true")
		query.Set("sendInitialEvents", "true")
		query.Set("resourceVersionMatch", "NotOlderThan")
	} else if r.Limit > 0 {
		query.Set("limit", strconv.FormatInt(r.Limit, 10))
	}
	return query
}

// askOneByOne lists the first resource again and again, one at a time.
func askOneByOne(ctx context.Context, p *plan, authority []byte, log *requestLog) (outcome, error) {
	a, err := newAgent(0, p, authority, log)
	if err != nil {
		return outcome{}, err
	}
	r := &p.Resources[0]
	prefix := "/apis/" + r.Group
	if r.Group == "" {
		prefix = "/api"
	}
	result := outcome{Wanted: p.Single}
	log.restart()
	began := time.Now()
	for i := 0; i < p.Single && ctx.Err() == nil; i++ {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.Server+prefix+"/"+r.Version+"/"+r.Resource, nil)
		if err != nil {
			return outcome{}, err
		}
		request.URL.RawQuery = r.query(p.WatchList).Encode()
		request.Header.Set("Accept", acceptedTypes[r.Representation])
		request.Header.Set("Authorization", "Bearer "+p.Token)
		if p.Gzip {
			request.Header.Set("Accept-Encoding", "gzip")
		}
		if ask(a, r, request, p.WatchList) {
			result.Filled++
		}
	}
	result.Drained = result.Filled == result.Wanted
	result.DrainSeconds = time.Since(began).Seconds()
	return result, nil
}

func ask(a *agent, r *resource, request *http.Request, watchList bool) bool {
	entry := record{Resource: r.Resource, Verb: verbOf(watchList, watchList), StartedSeconds: a.log.since(time.Now())}
	response, err := a.transport.RoundTrip(request)
	entry.HeadSeconds = a.log.since(time.Now())
	if err != nil {
		entry.Error = err.Error()
		a.log.addEnded(entry)
		return false
	}
	entry.Status = response.StatusCode
	entry.RetryAfter = response.Header.Get("Retry-After")
	if watchList && response.StatusCode == http.StatusOK {
		entry.Bytes, err = readInitialEvents(response.Body)
	} else {
		entry.Bytes, err = io.Copy(io.Discard, response.Body)
	}
	_ = response.Body.Close()
	if err != nil {
		entry.Error = err.Error()
	}
	a.log.addEnded(entry)
	return err == nil && response.StatusCode == http.StatusOK
}

// progress counts what is filled.
type progress struct {
	mutex  sync.Mutex
	began  time.Time
	wanted int
	filled int
	half   time.Duration
	last   time.Duration
	done   chan struct{}
}

func newProgress(wanted int) *progress {
	return &progress{wanted: wanted, done: make(chan struct{})}
}

func (p *progress) store() *arrivals {
	var once sync.Once
	return &arrivals{filled: func() { once.Do(p.count) }}
}

func (p *progress) count() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.filled++
	p.last = time.Since(p.began)
	if 2*p.filled >= p.wanted && p.half == 0 {
		p.half = p.last
	}
	if p.filled == p.wanted {
		close(p.done)
	}
}

func (p *progress) outcome() outcome {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return outcome{
		Drained:      p.filled == p.wanted,
		DrainSeconds: p.last.Seconds(),
		HalfSeconds:  p.half.Seconds(),
		Filled:       p.filled,
		Wanted:       p.wanted,
	}
}
