package common

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes"
	"k8s.io/dynamic-resource-allocation/resourceslice"
)

// publisher runs the ResourceSlice controller without a kubelet.
type publisher struct {
	controller *resourceslice.Controller
}

func startPublisher(m *manager, client kubernetes.Interface, entry *entry) (runner, error) {
	command := entry.command
	options := resourceslice.Options{
		DriverName:            command.Driver,
		KubeClient:            client,
		Resources:             entry.resources.DeepCopy(),
		SyncDelay:             milliseconds(command.SyncDelayMs),
		MutationCacheTTL:      milliseconds(command.CacheTTLMs),
		ReconcilePoolWithName: command.OnlyPool,
		ErrorHandler: func(_ context.Context, err error, msg string) {
			m.output.Send(describe(m.event(command, "error"), err, msg))
		},
	}
	if command.Node != "" {
		options.Owner = &resourceslice.Owner{APIVersion: "v1", Kind: "Node", Name: command.Node}
	}
	controller, err := resourceslice.StartController(context.Background(), options)
	if err != nil {
		return nil, err
	}
	return &publisher{controller}, nil
}

func (p *publisher) publish(resources *resourceslice.DriverResources) error {
	p.controller.Update(resources)
	return nil
}

func (p *publisher) stop() {
	p.controller.Stop()
}

// milliseconds leaves the library's default in place for 0.
func milliseconds(value int) *time.Duration {
	if value == 0 {
		return nil
	}
	duration := time.Duration(value) * time.Millisecond
	return &duration
}

// describe fills the event with what a driver can learn from the error.
func describe(event Event, err error, msg string) Event {
	event.Message = msg + ": " + err.Error()
	var dropped *resourceslice.DroppedFieldsError
	var status apierrors.APIStatus
	switch {
	case errors.As(err, &dropped):
		event.Reason = "droppedFields"
		event.Disabled = dropped.DisabledFeatures()
	case errors.As(err, &status):
		event.Reason = string(status.Status().Reason)
	default:
		event.Reason = "other"
	}
	return event
}
