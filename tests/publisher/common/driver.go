package common

import (
	"context"
	"os"
	"path/filepath"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	"k8s.io/dynamic-resource-allocation/resourceslice"
)

// driver serves a real kubelet and publishes through the kubelet plugin library.
type driver struct {
	helper *kubeletplugin.Helper
}

func startDriver(m *manager, client kubernetes.Interface, entry *entry) (runner, error) {
	command := entry.command
	dataDir := filepath.Join(m.settings.dataDir, command.Driver)
	if err := os.MkdirAll(dataDir, 0o750); err != nil {
		return nil, err
	}
	plugin := m.version.Plugin(&Plugin{manager: m, command: command})
	options := append([]kubeletplugin.Option{
		kubeletplugin.DriverName(command.Driver),
		kubeletplugin.NodeName(command.Node),
		kubeletplugin.KubeClient(client),
		kubeletplugin.RegistrarDirectoryPath(m.settings.registryDir),
		kubeletplugin.PluginDataDirectoryPath(dataDir),
	}, m.version.Options...)
	helper, err := kubeletplugin.Start(context.Background(), plugin, options...)
	if err != nil {
		return nil, err
	}
	started := &driver{helper}
	if entry.resources != nil {
		err = started.publish(entry.resources)
	}
	return started, err
}

func (d *driver) publish(resources *resourceslice.DriverResources) error {
	return d.helper.PublishResources(context.Background(), *resources)
}

func (d *driver) stop() {
	d.helper.Stop()
}

// Plugin prepares claims by reporting them and nothing else.
type Plugin struct {
	manager *manager
	command Command
}

// PrepareResourceClaims accepts every claim without CDI devices.
func (p *Plugin) PrepareResourceClaims(_ context.Context, claims []*resourceapi.ResourceClaim) (map[types.UID]kubeletplugin.PrepareResult, error) {
	results := map[types.UID]kubeletplugin.PrepareResult{}
	for _, claim := range claims {
		results[claim.UID] = kubeletplugin.PrepareResult{Devices: p.devices(claim)}
		p.report("prepared", claim.Namespace, claim.Name, claim.UID)
	}
	return results, nil
}

func (p *Plugin) devices(claim *resourceapi.ResourceClaim) []kubeletplugin.Device {
	var devices []kubeletplugin.Device
	for _, result := range claim.Status.Allocation.Devices.Results {
		if result.Driver == p.command.Driver {
			devices = append(devices, kubeletplugin.Device{
				Requests: []string{result.Request}, PoolName: result.Pool, DeviceName: result.Device,
			})
		}
	}
	return devices
}

// UnprepareResourceClaims reports the claims as released.
func (p *Plugin) UnprepareResourceClaims(_ context.Context, claims []kubeletplugin.NamespacedObject) (map[types.UID]error, error) {
	results := map[types.UID]error{}
	for _, claim := range claims {
		results[claim.UID] = nil
		p.report("unprepared", claim.Namespace, claim.Name, claim.UID)
	}
	return results, nil
}

// HandleError reports errors of the background work.
func (p *Plugin) HandleError(_ context.Context, err error, msg string) {
	p.manager.output.Send(describe(p.manager.event(p.command, "error"), err, msg))
}

func (p *Plugin) report(what, namespace, name string, uid types.UID) {
	event := p.manager.event(p.command, what)
	event.Claim = &Claim{Namespace: namespace, Claim: name, UID: string(uid)}
	p.manager.output.Send(event)
}
