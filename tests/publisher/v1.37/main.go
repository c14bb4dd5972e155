// The publisher and driver of the test bed, built on the v1.37 libraries.
package main

import (
	"context"

	"draguard.test/publisher/common"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
)

func main() {
	common.Main(common.Version{
		Name:    "v1.37",
		Plugin:  func(plugin *common.Plugin) kubeletplugin.DRAPlugin { return healthless{plugin} },
		Options: []kubeletplugin.Option{kubeletplugin.HealthService(false)},
	})
}

// healthless adds the method that this version's interface asks for.
type healthless struct {
	*common.Plugin
}

// WatchHealthStatus says that this driver knows nothing of health.
func (healthless) WatchHealthStatus(context.Context, chan<- kubeletplugin.DeviceHealthReport) error {
	return kubeletplugin.ErrHealthNotSupported
}
