package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

const paddingAnnotation = "headroom.test/padding"

// generate makes every object of the plan, owners before what they own.
func (p *plan) generate(add func(kind, string, object)) {
	for _, name := range p.namespaceNames() {
		add(kindNamespace, name, p.namespace(name))
	}
	for i := range p.Nodes {
		add(kindNode, nodeName(i), p.node(i))
	}
	for i := range p.ConfigMaps {
		m := p.configMap(i)
		add(kindConfigMap, join(m.Namespace, m.Name), m)
	}
	for _, d := range p.DaemonSets {
		p.generateDaemonSet(d, add)
	}
	p.generateDeployments(p.Pods-p.daemonSetPods(), add)
}

func nodeName(i int) string      { return fmt.Sprintf("node-%05d", i) }
func namespaceName(i int) string { return fmt.Sprintf("team-%04d", i) }

// namespaceNames lists the numbered namespaces, then those of the agents, each
// once. The API server makes default and kube-* itself.
func (p *plan) namespaceNames() []string {
	names := make([]string, 0, p.Namespaces+1)
	for i := range p.Namespaces {
		names = append(names, namespaceName(i))
	}
	seen := map[string]bool{"default": true, "kube-system": true, "kube-public": true, "kube-node-lease": true}
	for _, d := range p.DaemonSets {
		if !seen[d.Namespace] {
			names = append(names, d.Namespace)
		}
		seen[d.Namespace] = true
	}
	return names
}

func (p *plan) namespace(name string) *corev1.Namespace {
	meta := p.meta(kindNamespace, "", name)
	meta.Labels = map[string]string{"kubernetes.io/metadata.name": name}
	return &corev1.Namespace{
		ObjectMeta: meta,
		Spec:       corev1.NamespaceSpec{Finalizers: []corev1.FinalizerName{corev1.FinalizerKubernetes}},
		Status:     corev1.NamespaceStatus{Phase: corev1.NamespaceActive},
	}
}

// node is Ready or not as the plan says: kwok makes nodes Ready itself, and
// without kwok nothing else would.
func (p *plan) node(i int) *corev1.Node {
	name := nodeName(i)
	meta := p.meta(kindNode, "", name)
	meta.Labels = map[string]string{
		"kubernetes.io/hostname":      name,
		"kubernetes.io/os":            "linux",
		"kubernetes.io/arch":          "amd64",
		"topology.kubernetes.io/zone": fmt.Sprintf("zone-%c", 'a'+i%3),
	}
	meta.Annotations = map[string]string{"kwok.x-k8s.io/node": "fake"}
	if p.NodeBytes > 0 {
		meta.Annotations[paddingAnnotation] = padding(p.source(kindNode, name), p.NodeBytes)
	}
	size := corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse("32"),
		corev1.ResourceMemory: resource.MustParse("128Gi"),
		corev1.ResourcePods:   resource.MustParse("250"),
	}
	node := &corev1.Node{
		ObjectMeta: meta,
		Spec:       corev1.NodeSpec{ProviderID: "headroom://" + name},
		Status:     corev1.NodeStatus{Capacity: size, Allocatable: size, Addresses: []corev1.NodeAddress{{Type: corev1.NodeHostName, Address: name}}},
	}
	if p.NodesReady {
		node.Status.Conditions = []corev1.NodeCondition{{
			Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady",
			LastHeartbeatTime: createdAt, LastTransitionTime: createdAt,
		}}
	}
	return node
}

func (p *plan) configMap(i int) *corev1.ConfigMap {
	namespace, name := namespaceName(i%p.Namespaces), fmt.Sprintf("settings-%06d", i)
	return &corev1.ConfigMap{
		ObjectMeta: p.meta(kindConfigMap, namespace, name),
		Data:       map[string]string{"settings": padding(p.source(kindConfigMap, join(namespace, name)), p.ConfigMapBytes)},
	}
}
