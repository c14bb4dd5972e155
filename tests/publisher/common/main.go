package common

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	"k8s.io/klog/v2"
)

// Version holds what differs between the two library versions.
type Version struct {
	// Name is printed by --version.
	Name string
	// Plugin completes the plugin by the methods only this version asks for.
	Plugin func(*Plugin) kubeletplugin.DRAPlugin
	// Options are further options for the kubelet plugin library.
	Options []kubeletplugin.Option
}

// Main is the whole program: it reads commands until standard input ends.
func Main(version Version) {
	settings := flagSettings(version)
	if settings.showVersion {
		fmt.Println(version.Name)
		return
	}
	config, err := settings.restConfig()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer cancel()
	go exitOnSignal(ctx)
	manager := newManager(settings, config, version, NewOutput(os.Stdout))
	readCommands(os.Stdin, manager)
	// A server that went away first must not keep this process.
	time.AfterFunc(5*time.Second, func() { os.Exit(1) })
	manager.stopAll()
}

// exitOnSignal ends the program at once, as a container's driver would be.
func exitOnSignal(ctx context.Context) {
	<-ctx.Done()
	os.Exit(0)
}

type settings struct {
	kubeconfig, tokenFile, userAgent string
	plugin                           bool
	registryDir, dataDir             string
	protobuf, showVersion            bool
}

func flagSettings(version Version) settings {
	var s settings
	flag.StringVar(&s.kubeconfig, "kubeconfig", "", "cluster and, without --token-file, user")
	flag.StringVar(&s.tokenFile, "token-file", "", "bearer token used instead of the kubeconfig's user")
	flag.StringVar(&s.userAgent, "user-agent", "draguard-test-driver", "user agent of every request")
	flag.BoolVar(&s.plugin, "kubelet-plugin", false, "run as a driver of a real kubelet, not only as a publisher")
	flag.StringVar(&s.registryDir, "registry-dir", kubeletplugin.KubeletRegistryDir, "the kubelet's plugins_registry folder")
	flag.StringVar(&s.dataDir, "plugins-dir", kubeletplugin.KubeletPluginsDir, "the kubelet's plugins folder")
	flag.BoolVar(&s.protobuf, "protobuf", false, "send protobuf as drivers with a tuned client do")
	flag.BoolVar(&s.showVersion, "version", false, "print the library's version and exit")
	klog.InitFlags(nil)
	flag.Parse()
	return s
}

func readCommands(input io.Reader, manager *manager) {
	scanner := bufio.NewScanner(input)
	scanner.Buffer(nil, 64<<20)
	for scanner.Scan() {
		if len(scanner.Bytes()) == 0 {
			continue
		}
		command, resources, err := parseCommand(scanner.Bytes())
		if err == nil {
			err = manager.run(command, resources)
		}
		if err != nil {
			manager.output.Send(Event{Event: "refused", Driver: command.Driver, Node: command.Node, Message: err.Error()})
		}
	}
}
