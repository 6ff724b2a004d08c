package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	rbacv1 "k8s.io/api/rbac/v1"
)

// plan is what to write. Zero values mean none, except where a default is named.
type plan struct {
	Seed             uint64          `json:"seed"`
	KubernetesMinor  int             `json:"kubernetesMinor"`
	Nodes            int             `json:"nodes"`
	Namespaces       int             `json:"namespaces"`
	Deployments      int             `json:"deployments"`
	Pods             int             `json:"pods"`
	PodBytes         int             `json:"podBytes"`
	NodeBytes        int             `json:"nodeBytes"`
	ConfigMaps       int             `json:"configMaps"`
	ConfigMapBytes   int             `json:"configMapBytes"`
	DaemonSets       []daemonSetPlan `json:"daemonSets"`
	NodesReady       bool            `json:"nodesReady"`
	OmitPodsOfAgents bool            `json:"omitDaemonSetPods"`
}

// daemonSetPlan is one agent: a DaemonSet, its ServiceAccount, and a
// ClusterRole of the same name bound to it.
type daemonSetPlan struct {
	Name           string              `json:"name"`
	Namespace      string              `json:"namespace"`
	ServiceAccount string              `json:"serviceAccount"`
	Image          string              `json:"image"`
	MaxUnavailable string              `json:"maxUnavailable"`
	Rules          []rbacv1.PolicyRule `json:"rules"`
}

func readPlan(r io.Reader) (*plan, error) {
	p := &plan{}
	decoder := json.NewDecoder(r)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(p); err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	for i := range p.DaemonSets {
		p.DaemonSets[i].applyDefaults()
	}
	return p, p.validate()
}

func (d *daemonSetPlan) applyDefaults() {
	if d.Namespace == "" {
		d.Namespace = "agents"
	}
	if d.ServiceAccount == "" {
		d.ServiceAccount = d.Name
	}
	if d.Image == "" {
		d.Image = "registry.test/" + d.Name + ":1"
	}
	if d.MaxUnavailable == "" {
		d.MaxUnavailable = "10%"
	}
	if d.Rules == nil {
		d.Rules = []rbacv1.PolicyRule{{
			APIGroups: []string{""},
			Resources: []string{"pods", "nodes", "namespaces"},
			Verbs:     []string{"get", "list", "watch"},
		}}
	}
}

func (p *plan) validate() error {
	for name, n := range map[string]int{
		"nodes": p.Nodes, "namespaces": p.Namespaces, "deployments": p.Deployments, "pods": p.Pods,
		"podBytes": p.PodBytes, "nodeBytes": p.NodeBytes, "configMaps": p.ConfigMaps, "configMapBytes": p.ConfigMapBytes,
	} {
		if n < 0 {
			return fmt.Errorf("plan: %s is negative", name)
		}
	}
	rest := p.Pods - p.daemonSetPods()
	switch {
	case rest < 0:
		return fmt.Errorf("plan: pods counts all pods; %d DaemonSets on %d nodes alone have %d, not %d",
			len(p.DaemonSets), p.Nodes, p.daemonSetPods(), p.Pods)
	case rest > 0 && (p.Deployments == 0 || p.Namespaces == 0 || p.Nodes == 0):
		return errors.New("plan: pods beyond those of DaemonSets need deployments, namespaces and nodes")
	case p.ConfigMaps > 0 && p.Namespaces == 0:
		return errors.New("plan: configMaps need namespaces")
	case p.Deployments > 0 && p.Namespaces == 0:
		return errors.New("plan: deployments need namespaces")
	}
	for _, d := range p.DaemonSets {
		if d.Name == "" {
			return errors.New("plan: a DaemonSet has no name")
		}
	}
	return nil
}

func (p *plan) daemonSetPods() int {
	if p.OmitPodsOfAgents {
		return 0
	}
	return p.Nodes * len(p.DaemonSets)
}
