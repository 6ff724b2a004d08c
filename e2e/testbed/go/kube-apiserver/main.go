// Command kube-apiserver is the upstream server with one addition: the name
// from which it derives its identity can be given.
//
// Upstream hashes the host name into the name of the lease that each server
// renews in kube-system. Two servers on one machine would share one lease and
// look like one server; HEADROOM_TESTBED_HOSTNAME tells them apart without a
// UTS namespace, which containers often forbid.
//
// The builder puts this file into a module generated for the version at hand,
// so there is no go.mod beside it.
package main

import (
	"os"
	_ "time/tzdata" // CronJob time zones

	genericserver "k8s.io/apiserver/pkg/server"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"          // --logging-format=json
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // rest_client_* metrics
	_ "k8s.io/component-base/metrics/prometheus/version"  // kubernetes_build_info
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

func main() {
	if name := os.Getenv("HEADROOM_TESTBED_HOSTNAME"); name != "" {
		genericserver.SetHostnameFuncForTests(name)
	}
	os.Exit(cli.Run(app.NewAPIServerCommand()))
}
