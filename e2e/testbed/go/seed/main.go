// Command seed writes a whole cluster straight into etcd, in the encoding and
// under the keys that kube-apiserver uses itself. Through the API the same
// objects take minutes; this takes seconds, and needs no running API server.
//
// The plan is JSON on standard input, the report JSON on standard output.
// Equal plans give equal objects, uids and timestamps included.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"
)

func main() {
	endpoint := flag.String("etcd", "", "etcd client URL, for example http://127.0.0.1:2379")
	timeout := flag.Duration("timeout", 5*time.Minute, "give up after this long")
	flag.Parse()
	if err := run(*endpoint, *timeout); err != nil {
		fmt.Fprintln(os.Stderr, "seed:", err)
		os.Exit(1)
	}
}

func run(endpoint string, timeout time.Duration) error {
	plan, err := readPlan(os.Stdin)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()

	started := time.Now()
	store, err := openStore(ctx, endpoint)
	if err != nil {
		return err
	}
	plan.generate(store.add)
	if err := store.close(); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(report{
		Objects:         store.objects,
		Bytes:           store.bytes,
		DurationSeconds: time.Since(started).Seconds(),
	})
}

// report says what was written, by storage prefix (`pods`, `minions`, …).
type report struct {
	Objects         map[string]int `json:"objects"`
	Bytes           map[string]int `json:"bytes"`
	DurationSeconds float64        `json:"durationSeconds"`
}
