package main

import (
	"encoding/json"
	"sync"
	"time"
)

// record is one attempt at a request. Times are seconds since the start of the
// storm; the head is when the status came.
type record struct {
	Agent          int     `json:"agent"`
	Resource       string  `json:"resource"`
	Verb           string  `json:"verb"`
	StartedSeconds float64 `json:"startedSeconds"`
	HeadSeconds    float64 `json:"headSeconds"`
	EndedSeconds   float64 `json:"endedSeconds"`
	Status         int     `json:"status"`
	RetryAfter     string  `json:"retryAfter,omitempty"`
	Bytes          int64   `json:"bytes"`
	Error          string  `json:"error,omitempty"`
}

// outcome is the last line. Drained: all copies hold their initial state.
type outcome struct {
	Drained      bool    `json:"drained"`
	DrainSeconds float64 `json:"drainSeconds"`
	HalfSeconds  float64 `json:"halfSeconds"`
	Filled       int     `json:"filled"`
	Wanted       int     `json:"wanted"`
}

type requestLog struct {
	mutex   sync.Mutex
	encoder *json.Encoder
	started time.Time
	closed  bool
	err     error
}

func newRequestLog(encoder *json.Encoder, started time.Time) *requestLog {
	return &requestLog{encoder: encoder, started: started}
}

func (l *requestLog) restart() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.started = time.Now()
}

func (l *requestLog) since(at time.Time) float64 { return at.Sub(l.started).Seconds() }

func (l *requestLog) addEnded(r record) {
	r.EndedSeconds = l.since(time.Now())
	l.add(r)
}

func (l *requestLog) add(r record) {
	l.write(r, false)
}

func (l *requestLog) end(o outcome) error {
	return l.write(o, true)
}

// write does nothing after the outcome: streams end when the process does.
func (l *requestLog) write(line any, last bool) error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.closed {
		return l.err
	}
	l.closed = last
	if err := l.encoder.Encode(line); err != nil {
		l.err = err
		l.closed = true
	}
	return l.err
}
