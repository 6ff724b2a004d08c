package main

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// kind names a stored type: its API version and kind inside the value, and the
// plural under which kube-apiserver keeps it in etcd (nodes are `minions`).
type kind struct{ apiVersion, name, resource string }

var (
	kindNamespace          = kind{"v1", "Namespace", "namespaces"}
	kindNode               = kind{"v1", "Node", "minions"}
	kindPod                = kind{"v1", "Pod", "pods"}
	kindConfigMap          = kind{"v1", "ConfigMap", "configmaps"}
	kindServiceAccount     = kind{"v1", "ServiceAccount", "serviceaccounts"}
	kindDaemonSet          = kind{"apps/v1", "DaemonSet", "daemonsets"}
	kindControllerRevision = kind{"apps/v1", "ControllerRevision", "controllerrevisions"}
	kindDeployment         = kind{"apps/v1", "Deployment", "deployments"}
	kindReplicaSet         = kind{"apps/v1", "ReplicaSet", "replicasets"}
	kindClusterRole        = kind{"rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles"}
	kindClusterRoleBinding = kind{"rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "clusterrolebindings"}
)

// createdAt is when everything was created. A constant, so that two runs agree.
var createdAt = metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))

// source returns random numbers that depend on the seed and the object alone,
// so that adding one object changes no other.
func (p *plan) source(kind kind, path string) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, kind.name, "/", path)
	return rand.New(rand.NewPCG(p.Seed, h.Sum64()))
}

func (p *plan) meta(kind kind, namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: namespace, Name: name, UID: p.uid(kind, join(namespace, name)), CreationTimestamp: createdAt,
	}
}

func (p *plan) uid(kind kind, path string) types.UID {
	r := p.source(kind, path)
	a, b := r.Uint64(), r.Uint64()
	// Version 4, variant 1, as the API server's own.
	return types.UID(fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", a>>32, a>>16&0xffff, a&0xfff, b>>48&0x3fff|0x8000, b&0xffffffffffff))
}

func join(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

// suffix is the tail of a generated name: five letters and digits.
func suffix(r *rand.Rand) string {
	const letters = "bcdfghjklmnpqrstvwxz2456789"
	b := make([]byte, 5)
	for i := range b {
		b[i] = letters[r.IntN(len(letters))]
	}
	return string(b)
}

// padding is text of n bytes out of a small vocabulary: it compresses about as
// well as real annotations do, which random letters would not.
func padding(r *rand.Rand, n int) string {
	words := []string{"interval", "endpoint", "enabled", "metrics", "sidecar", "checksum", "profile", "restricted", "level", "audit"}
	var b strings.Builder
	b.Grow(n + 24)
	for b.Len() < n {
		fmt.Fprintf(&b, "%s=%d;", words[r.IntN(len(words))], r.IntN(100000))
	}
	return b.String()[:max(n, 0)]
}
