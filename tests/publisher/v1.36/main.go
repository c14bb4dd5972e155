// The publisher and driver of the test bed, built on the v1.36 libraries.
package main

import (
	"draguard.test/publisher/common"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
)

func main() {
	common.Main(common.Version{
		Name:   "v1.36",
		Plugin: func(plugin *common.Plugin) kubeletplugin.DRAPlugin { return plugin },
	})
}
