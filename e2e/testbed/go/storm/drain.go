package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// drain reads LISTs to their end and hands the reflector an empty one in place
// of each, so that thousands of agents fit a process. What goes over the wire
// is what any agent gets.
type drain struct {
	next            http.RoundTripper
	agent           int
	resource        *resource
	resourceVersion string
	gzip            bool
	log             *requestLog
}

func (d *drain) RoundTrip(request *http.Request) (*http.Response, error) {
	query := request.URL.Query()
	isWatch := query.Get("watch") == "true" || query.Get("watch") == "1"
	isWatchList := isWatch && query.Get("sendInitialEvents") == "true"
	if isWatchList && !strings.HasPrefix(d.resource.Representation, "protobuf") {
		return nil, errors.New("initial events are read as protobuf only: turn WatchListClient off")
	}
	request = request.Clone(request.Context())
	switch {
	case isWatch:
		// Metadata of one object at a time, not of a list.
		request.Header.Set("Accept", strings.Replace(request.Header.Get("Accept"), "MetadataList;", "Metadata;", 1))
	case d.gzip:
		request.Header.Set("Accept-Encoding", "gzip")
	}
	entry := record{Agent: d.agent, Resource: d.resource.Resource, Verb: verbOf(isWatch, isWatchList)}
	started := time.Now()
	entry.StartedSeconds = d.log.since(started)
	response, err := d.next.RoundTrip(request)
	entry.HeadSeconds = d.log.since(time.Now())
	if err != nil {
		entry.EndedSeconds = entry.HeadSeconds
		entry.Error = err.Error()
		d.log.add(entry)
		return nil, err
	}
	entry.Status = response.StatusCode
	entry.RetryAfter = response.Header.Get("Retry-After")
	switch {
	case response.StatusCode != http.StatusOK:
		d.log.addEnded(entry)
		return response, nil
	case isWatchList:
		response.Body = &initialEvents{body: response.Body, entry: entry, log: d.log}
		return response, nil
	case isWatch:
		d.log.addEnded(entry)
		return response, nil
	}
	return d.emptyList(response, entry)
}

func (d *drain) emptyList(response *http.Response, entry record) (*http.Response, error) {
	received, err := io.Copy(io.Discard, response.Body)
	_ = response.Body.Close()
	entry.Bytes = received
	if err != nil {
		entry.Error = err.Error()
		d.log.addEnded(entry)
		return nil, err
	}
	d.log.addEnded(entry)
	version := d.resource.Version
	if d.resource.Group != "" {
		version = d.resource.Group + "/" + version
	}
	body := fmt.Sprintf(`{"kind":%q,"apiVersion":%q,"metadata":{"resourceVersion":%q},"items":[]}`,
		d.resource.ListKind, version, d.resourceVersion)
	response.Body = io.NopCloser(strings.NewReader(body))
	response.ContentLength = int64(len(body))
	response.Header = http.Header{"Content-Type": {"application/json"}}
	return response, nil
}

func verbOf(isWatch, isWatchList bool) string {
	switch {
	case isWatchList:
		return "watch-list"
	case isWatch:
		return "watch"
	}
	return "list"
}

// initialEvents drops ADDED frames of a protobuf stream until the first other
// one, which is the bookmark that ends the initial state.
type initialEvents struct {
	body  io.ReadCloser
	entry record
	log   *requestLog
	ready bytes.Buffer
	ended bool
}

const maxFrameBytes = 32 << 20

var added = []byte("\x0a\x05ADDED")

func (e *initialEvents) Read(p []byte) (int, error) {
	for e.ready.Len() == 0 {
		if e.ended {
			return e.body.Read(p)
		}
		if err := e.readFrame(); err != nil {
			e.finish(err)
			return 0, err
		}
	}
	return e.ready.Read(p)
}

func (e *initialEvents) readFrame() error {
	frame, err := nextFrame(e.body)
	if err != nil {
		return err
	}
	e.entry.Bytes += int64(len(frame))
	if isAdded(frame) {
		return nil
	}
	e.ready.Write(frame)
	e.finish(nil)
	return nil
}

// nextFrame is one event of a protobuf stream, its length in front.
func nextFrame(body io.Reader) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(body, head[:]); err != nil {
		return nil, err
	}
	size := binary.BigEndian.Uint32(head[:])
	if size > maxFrameBytes {
		return nil, fmt.Errorf("a watch frame of %d bytes", size)
	}
	frame := make([]byte, len(head)+int(size))
	copy(frame, head[:])
	_, err := io.ReadFull(body, frame[len(head):])
	return frame, err
}

func isAdded(frame []byte) bool { return bytes.HasPrefix(frame[4:], added) }

// readInitialEvents reads to the bookmark that ends the initial state.
func readInitialEvents(body io.Reader) (int64, error) {
	var received int64
	for {
		frame, err := nextFrame(body)
		if err != nil {
			return received, err
		}
		received += int64(len(frame))
		if !isAdded(frame) {
			return received, nil
		}
	}
}

func (e *initialEvents) finish(err error) {
	if e.ended {
		return
	}
	e.ended = true
	if err != nil {
		e.entry.Error = err.Error()
	}
	e.log.addEnded(e.entry)
}

func (e *initialEvents) Close() error {
	e.finish(io.ErrClosedPipe)
	return e.body.Close()
}
