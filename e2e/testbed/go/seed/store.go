package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"k8s.io/apimachinery/pkg/runtime"
)

const (
	// One transaction stays far below etcd's request limit of 1.5 MiB and its
	// limit of 2048 operations (which the test bed raises from 128).
	maxBatchBytes = 512 << 10
	maxBatchOps   = 120
	writers       = 8
)

// storagePrefix opens every object that kube-apiserver stores as protobuf: the
// letters k8s and a zero byte, then a runtime.Unknown that wraps the object.
// Source: k8s.io/apimachinery pkg/runtime/serializer/protobuf, v0.37.2.
var storagePrefix = []byte{'k', '8', 's', 0}

// object is any API type with generated protobuf code.
type object interface {
	Marshal() ([]byte, error)
}

// store collects objects into transactions and writes them over a few
// connections' worth of concurrency. Only add and close are meant for callers;
// both run on one goroutine.
type store struct {
	objects map[string]int
	bytes   map[string]int

	client  *clientv3.Client
	batches chan []clientv3.Op
	workers sync.WaitGroup
	cancel  context.CancelCauseFunc
	ctx     context.Context

	batch      []clientv3.Op
	batchBytes int
}

func openStore(ctx context.Context, endpoint string) (*store, error) {
	if endpoint == "" {
		return nil, errors.New("-etcd is missing")
	}
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{endpoint}, Logger: zap.NewNop()})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	s := &store{
		objects: map[string]int{}, bytes: map[string]int{},
		client: client, batches: make(chan []clientv3.Op, writers), ctx: ctx, cancel: cancel,
	}
	for range writers {
		s.workers.Go(s.write)
	}
	return s, nil
}

func (s *store) write() {
	for batch := range s.batches {
		if s.ctx.Err() != nil {
			continue // drain, so that add never blocks
		}
		if _, err := s.client.Txn(s.ctx).Then(batch...).Commit(); err != nil {
			s.cancel(fmt.Errorf("write to etcd: %w", err))
		}
	}
}

// add encodes one object and stores it under /registry/<resource>/<path>.
func (s *store) add(kind kind, path string, o object) {
	if s.ctx.Err() != nil {
		return
	}
	value, err := encode(kind, o)
	if err != nil {
		s.cancel(err)
		return
	}
	s.objects[kind.resource]++
	s.bytes[kind.resource] += len(value)
	if len(s.batch) == maxBatchOps || s.batchBytes+len(value) > maxBatchBytes {
		s.flush()
	}
	s.batch = append(s.batch, clientv3.OpPut("/registry/"+kind.resource+"/"+path, string(value)))
	s.batchBytes += len(value)
}

func (s *store) flush() {
	if len(s.batch) > 0 {
		s.batches <- s.batch
	}
	s.batch, s.batchBytes = nil, 0
}

// close writes what is left and returns the first error of all writes.
func (s *store) close() error {
	s.flush()
	close(s.batches)
	s.workers.Wait()
	err := context.Cause(s.ctx)
	s.cancel(nil)
	return errors.Join(err, s.client.Close())
}

func encode(kind kind, o object) ([]byte, error) {
	raw, err := o.Marshal()
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", kind.name, err)
	}
	wrapped, err := (&runtime.Unknown{
		TypeMeta: runtime.TypeMeta{APIVersion: kind.apiVersion, Kind: kind.name},
		Raw:      raw,
	}).Marshal()
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", kind.name, err)
	}
	return append(storagePrefix[:len(storagePrefix):len(storagePrefix)], wrapped...), nil
}
