package common

import (
	"fmt"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/dynamic-resource-allocation/resourceslice"
)

// runner is a started publisher or driver.
type runner interface {
	publish(*resourceslice.DriverResources) error
	stop()
}

// entry keeps what is needed to start a driver again.
type entry struct {
	command   Command
	resources *resourceslice.DriverResources
	runner    runner
}

type key struct{ driver, node string }

// manager holds every driver that this process plays.
type manager struct {
	settings settings
	config   *rest.Config
	version  Version
	output   *Output
	entries  map[key]*entry
}

func newManager(settings settings, config *rest.Config, version Version, output *Output) *manager {
	return &manager{settings, config, version, output, map[key]*entry{}}
}

func (m *manager) run(command Command, resources *resourceslice.DriverResources) error {
	known := m.entries[key{command.Driver, command.Node}]
	switch command.Do {
	case "publish":
		return m.publish(known, command, resources)
	case "update":
		if known == nil || known.runner == nil {
			return fmt.Errorf("%s is not running", command.Driver)
		}
		return m.publish(known, command, resources)
	case "restart":
		if known == nil {
			return fmt.Errorf("%s was never started", command.Driver)
		}
		m.stop(known)
		return m.publish(known, known.command, orElse(resources, known.resources))
	case "stop":
		if known != nil {
			m.stop(known)
		}
		return nil
	}
	return fmt.Errorf("unknown command %q", command.Do)
}

func orElse(first, second *resourceslice.DriverResources) *resourceslice.DriverResources {
	if first != nil {
		return first
	}
	return second
}

func (m *manager) publish(known *entry, command Command, resources *resourceslice.DriverResources) error {
	if known == nil {
		known = &entry{command: command}
		m.entries[key{command.Driver, command.Node}] = known
	}
	known.resources = orElse(resources, known.resources)
	if known.runner != nil {
		return known.runner.publish(known.resources)
	}
	return m.start(known)
}

func (m *manager) start(entry *entry) error {
	client, err := m.client(entry.command)
	if err != nil {
		return err
	}
	started := m.event(entry.command, "started")
	if m.settings.plugin {
		entry.runner, err = startDriver(m, client, entry)
	} else {
		entry.runner, err = startPublisher(m, client, entry)
	}
	if err == nil {
		m.output.Send(started)
	}
	return err
}

func (m *manager) client(command Command) (kubernetes.Interface, error) {
	config := rest.CopyConfig(m.config)
	config.Wrap(recordWrites(m.output, m.event(command, "write")))
	return kubernetes.NewForConfig(config)
}

func (m *manager) event(command Command, event string) Event {
	return Event{Event: event, Driver: command.Driver, Node: command.Node}
}

func (m *manager) stop(entry *entry) {
	if entry.runner == nil {
		return
	}
	entry.runner.stop()
	entry.runner = nil
	m.output.Send(m.event(entry.command, "stopped"))
}

func (m *manager) stopAll() {
	for _, entry := range m.entries {
		m.stop(entry)
	}
}
