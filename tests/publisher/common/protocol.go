// Package common drives the real ResourceSlice controller and the real kubelet
// plugin library from JSON lines. It is compiled once per Kubernetes version.
package common

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"k8s.io/dynamic-resource-allocation/resourceslice"
)

// Command is one line of standard input.
type Command struct {
	// Do is publish, update, stop or restart.
	Do string `json:"do"`
	// Driver and Node name the publisher that the command is for. Without a
	// node the slices belong to nobody and need a node selector or allNodes.
	Driver string `json:"driver"`
	Node   string `json:"node"`
	// Pools has the shape of resourceslice.DriverResources.Pools.
	Pools json.RawMessage `json:"pools"`
	// SyncDelayMs and CacheTTLMs replace the library's 30 s and 60 s.
	SyncDelayMs int `json:"syncDelayMs"`
	CacheTTLMs  int `json:"cacheTtlMs"`
	// OnlyPool is the library's ReconcilePoolWithName.
	OnlyPool string `json:"onlyPool"`
}

// Event is one line of standard output; which fields are set depends on Event.
type Event struct {
	// Event is started, stopped, refused, write, error, prepared or unprepared.
	Event  string `json:"event"`
	Driver string `json:"driver,omitempty"`
	Node   string `json:"node,omitempty"`
	// Message is the text of an error or of a write that the server refused.
	Message string `json:"message,omitempty"`
	*Write  `json:",omitempty"`
	*Claim  `json:",omitempty"`
	// Reason is the kind of an error: droppedFields, the reason of an API
	// status, or other. Disabled are the features an error of dropped fields names.
	Reason   string   `json:"reason,omitempty"`
	Disabled []string `json:"disabled,omitempty"`
}

// Write tells of one changing request for ResourceSlices that got an answer.
type Write struct {
	// Verb is create, update, patch, delete or deletecollection.
	Verb       string `json:"verb"`
	Name       string `json:"name,omitempty"`
	Pool       string `json:"pool,omitempty"`
	Generation int64  `json:"generation"`
	SliceCount int64  `json:"sliceCount,omitempty"`
	Code       int    `json:"code"`
}

// Claim tells which claim the kubelet asked for.
type Claim struct {
	Namespace string `json:"namespace"`
	Claim     string `json:"claim"`
	UID       string `json:"uid"`
}

// Output writes events, one a line, from any goroutine.
type Output struct {
	mutex   sync.Mutex
	encoder *json.Encoder
}

// NewOutput makes an Output that writes to w.
func NewOutput(w io.Writer) *Output {
	return &Output{encoder: json.NewEncoder(w)}
}

// Send writes one event. A reader that went away is no error here: standard
// input ends at the same time and stops the program.
func (o *Output) Send(event Event) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	_ = o.encoder.Encode(event)
}

// parseCommand reads one line and the slices in it. A field that this version's
// types do not know is an error, so that a test cannot lose a mapping unseen.
func parseCommand(line []byte) (Command, *resourceslice.DriverResources, error) {
	var command Command
	if err := strict(line, &command); err != nil {
		return command, nil, err
	}
	if command.Driver == "" {
		return command, nil, errors.New("driver is missing")
	}
	if len(command.Pools) == 0 {
		return command, nil, nil
	}
	resources := &resourceslice.DriverResources{}
	return command, resources, strict(command.Pools, &resources.Pools)
}

func strict(data []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}
