// Command requests asks Kubernetes' own library what pods request of their node.
//
// It reads one pod per line, as JSON, and answers with one row per line. With "sums-hold-claims" the kubelet writes what
// the claims take into the sums of the pod's status, as that of v1.37 does.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/resource"
)

type amounts map[string]string

// answer is what the scheduler counts for one pod that is on a node.
type answer struct {
	// With the gate DRANodeAllocatableResources.
	With amounts `json:"with"`
	// Without it.
	Off amounts `json:"off"`
	// Once the kubelet has written its sums into the status.
	Settled settled `json:"settled"`
}

type settled struct {
	Sums amounts `json:"sums"`
	With amounts `json:"with"`
	// For the same pod if it never had claims.
	Never amounts `json:"never"`
}

func main() {
	holdClaims := len(os.Args) > 1 && os.Args[1] == "sums-hold-claims"
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		pod := read(lines.Bytes())
		fmt.Println(encode(answer{With: scheduled(pod, true), Off: scheduled(pod, false), Settled: settle(pod, holdClaims)}))
	}
}

// read takes the way of the API server's store, where an empty map is an absent one.
func read(text []byte) *v1.Pod {
	var written, stored v1.Pod
	must(json.Unmarshal(text, &written))
	bytes, err := written.Marshal()
	must(err)
	must(stored.Unmarshal(bytes))
	return &stored
}

// scheduled has the options of PodInfo.CalculateResource (pkg/scheduler/framework/types.go) with the default gates.
func scheduled(pod *v1.Pod, withClaims bool) amounts {
	return plain(resource.PodRequests(pod, resource.PodResourcesOptions{
		UseStatusResources: true,
		InPlacePodLevelResourcesVerticalScalingEnabled: true,
		SkipPodLevelResources:                          false,
		UseDRANodeAllocatableResourceClaimStatus:       withClaims,
	}))
}

func settle(pod *v1.Pod, holdClaims bool) settled {
	without := pod.DeepCopy()
	without.Status.NodeAllocatableResourceClaimStatuses = nil
	with := pod.DeepCopy()
	sums := writeSums(with, holdClaims)
	writeSums(without, holdClaims)
	return settled{Sums: plain(sums), With: scheduled(with, true), Never: scheduled(without, true)}
}

// writeSums has the options of generateAPIPodStatus and getEffectiveAllocatedResources (pkg/kubelet/kubelet_pods.go).
func writeSums(pod *v1.Pod, holdClaims bool) v1.ResourceList {
	sums := resource.PodRequests(pod, resource.PodResourcesOptions{UseDRANodeAllocatableResourceClaimStatus: holdClaims})
	pod.Status.AllocatedResources = sums
	pod.Status.Resources = &v1.ResourceRequirements{Requests: sums.DeepCopy()}
	return sums
}

// plain keeps what counts, as exact decimals.
func plain(list v1.ResourceList) amounts {
	plain := amounts{}
	for name, quantity := range list {
		if !quantity.IsZero() {
			plain[string(name)] = quantity.AsDec().String()
		}
	}
	return plain
}

func encode(answer answer) string {
	text, err := json.Marshal(answer)
	must(err)
	return string(text)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
