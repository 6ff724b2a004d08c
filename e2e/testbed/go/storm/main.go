// Command storm is many agents in one process: real client-go reflectors, each
// agent with connections of its own, all started within a short time.
//
// The plan is JSON on standard input. Standard output gets one line of JSON for
// each request, and one with the outcome at the end. Nothing but the server of
// the plan is asked, for as long as the plan says and not longer.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"time"

	"k8s.io/klog/v2"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "storm:", err)
		os.Exit(1)
	}
}

func run() error {
	// Reflectors complain of every rejection; what happened is in the output.
	klog.LogToStderr(false)
	klog.SetOutput(discard{})
	plan, err := readPlan(os.Stdin)
	if err != nil {
		return err
	}
	authority, err := os.ReadFile(plan.CAFile)
	if err != nil {
		return fmt.Errorf("caFile: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), plan.limit())
	defer cancel()
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()

	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	log := newRequestLog(json.NewEncoder(out), time.Now())
	var result outcome
	if plan.Single > 0 {
		result, err = askOneByOne(ctx, plan, authority, log)
	} else {
		result, err = storm(ctx, plan, authority, log)
	}
	if err != nil {
		return err
	}
	if err := log.end(result); err != nil {
		return err
	}
	return out.Flush()
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
