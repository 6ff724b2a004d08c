package main

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// generateDeployments spreads the given number of pods evenly over the
// Deployments, and these over namespaces and nodes in turn. Each Deployment has
// one ReplicaSet, with the pods it asks for, so that controllers keep quiet.
func (p *plan) generateDeployments(pods int, add func(kind, string, object)) {
	placed := 0
	for i := range p.Deployments {
		replicas := pods / p.Deployments
		if i < pods%p.Deployments {
			replicas++
		}
		namespace, name := namespaceName(i%p.Namespaces), fmt.Sprintf("service-%05d", i)
		hash := suffix(p.source(kindReplicaSet, join(namespace, name)))
		deployment, set := p.deployment(namespace, name, hash, int32(replicas))
		add(kindDeployment, join(namespace, name), deployment)
		add(kindReplicaSet, join(namespace, set.Name), set)
		for n := range replicas {
			pod := p.pod(namespace, fmt.Sprintf("%s-%05d", set.Name, n), nodeName(placed%p.Nodes), set.Spec.Template)
			pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("ReplicaSet"))}
			add(kindPod, join(namespace, pod.Name), pod)
			placed++
		}
	}
}

func (p *plan) deployment(namespace, name, hash string, replicas int32) (*appsv1.Deployment, *appsv1.ReplicaSet) {
	meta := p.meta(kindDeployment, namespace, name)
	meta.Generation = 1
	meta.Annotations = map[string]string{"deployment.kubernetes.io/revision": "1"}
	meta.Labels = map[string]string{"app": name}
	unavailable, surge := intstr.FromString("25%"), intstr.FromString("25%")
	deployment := &appsv1.Deployment{
		ObjectMeta: meta,
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}},
			Template: podTemplate(map[string]string{"app": name}, "registry.test/"+name+":1"),
			Strategy: appsv1.DeploymentStrategy{
				Type:          appsv1.RollingUpdateDeploymentStrategyType,
				RollingUpdate: &appsv1.RollingUpdateDeployment{MaxUnavailable: &unavailable, MaxSurge: &surge},
			},
			RevisionHistoryLimit:    new(int32(10)),
			ProgressDeadlineSeconds: new(int32(600)),
		},
		Status: appsv1.DeploymentStatus{
			ObservedGeneration: 1, Replicas: replicas, UpdatedReplicas: replicas, ReadyReplicas: replicas, AvailableReplicas: replicas,
		},
	}

	labels := map[string]string{"app": name, "pod-template-hash": hash}
	setMeta := p.meta(kindReplicaSet, namespace, name+"-"+hash)
	setMeta.Generation = 1
	setMeta.Labels = labels
	setMeta.Annotations = map[string]string{
		"deployment.kubernetes.io/revision":         "1",
		"deployment.kubernetes.io/desired-replicas": fmt.Sprint(replicas),
		"deployment.kubernetes.io/max-replicas":     fmt.Sprint(replicas + (replicas+3)/4),
	}
	setMeta.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(deployment, appsv1.SchemeGroupVersion.WithKind("Deployment"))}
	set := &appsv1.ReplicaSet{
		ObjectMeta: setMeta,
		Spec: appsv1.ReplicaSetSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: podTemplate(labels, "registry.test/"+name+":1"),
		},
		Status: appsv1.ReplicaSetStatus{
			Replicas: replicas, FullyLabeledReplicas: replicas, ReadyReplicas: replicas, AvailableReplicas: replicas, ObservedGeneration: 1,
		},
	}
	return deployment, set
}
