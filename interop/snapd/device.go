// SPDX-License-Identifier: GPL-3.0-only (see main.go)

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/snapcore/snapd/asserts"
	"github.com/snapcore/snapd/asserts/sysdb"
	"github.com/snapcore/snapd/dirs"
	"github.com/snapcore/snapd/gadget"
	"github.com/snapcore/snapd/osutil"
	"github.com/snapcore/snapd/overlord"
	"github.com/snapcore/snapd/overlord/assertstate"
	"github.com/snapcore/snapd/overlord/auth"
	"github.com/snapcore/snapd/overlord/configstate/config"
	"github.com/snapcore/snapd/overlord/devicestate"
	"github.com/snapcore/snapd/overlord/devicestate/devicestatetest"
	"github.com/snapcore/snapd/overlord/hookstate"
	"github.com/snapcore/snapd/overlord/restart"
	"github.com/snapcore/snapd/overlord/snapstate"
	"github.com/snapcore/snapd/overlord/state"
	"github.com/snapcore/snapd/overlord/storecontext"
	"github.com/snapcore/snapd/release"
	"github.com/snapcore/snapd/snap"
	"github.com/snapcore/snapd/snapdenv"
	"github.com/snapcore/snapd/store"
	"github.com/snapcore/snapd/sysconfig"
)

// configuration is the factory state of a device. A later start uses its directory, the trusted root, and whether the
// model is for Ubuntu Core.
type configuration struct {
	// The device's root directory.
	Directory string `json:"directory"`
	// The encoded account and account-key of the root that this snapd trusts in addition to Canonical's.
	Trusted []string `json:"trusted"`
	// The encoded assertions of its image: at least its model and the model's prerequisites.
	Assertions []string `json:"assertions"`
	Brand      string   `json:"brand"`
	Model      string   `json:"model"`
	// The value of proxy.store in "snap set system"; empty if it is not set.
	ProxyStore string `json:"proxy-store"`
	// The settings of its gadget's prepare-device hook; nil if the hook sets none.
	Gadget *gadgetConfiguration `json:"gadget"`
}

type gadgetConfiguration struct {
	Name           string            `json:"name"`
	URL            string            `json:"url"`
	Headers        map[string]string `json:"headers"`
	ProposedSerial string            `json:"proposed-serial"`
	Body           string            `json:"body"`
}

// device is a snapd with the managers that take part in registration. It cannot install snaps.
type device struct {
	overlord *overlord.Overlord
	st       *state.State
	store    *store.Store
}

type deviceState struct {
	Brand   string `json:"brand"`
	Model   string `json:"model"`
	Serial  string `json:"serial"`
	KeyID   string `json:"key-id"`
	Session string `json:"session"`
	// The encoded serial assertion of this brand, model and serial in its database.
	Assertion string `json:"serial-assertion,omitempty"`
}

// stateFile is the backend of snapd's state: a file that each checkpoint replaces.
type stateFile string

func (path stateFile) Checkpoint(data []byte) error {
	return osutil.AtomicWriteFile(string(path), data, 0600, 0)
}

// EnsureBefore does nothing, because run calls the managers often enough.
func (path stateFile) EnsureBefore(time.Duration) {}

func start(cfg configuration) (*device, error) {
	dirs.SetRootDir(cfg.Directory)
	for _, dir := range []string{dirs.SnapRunDir, filepath.Dir(dirs.SnapStateFile)} {
		if err := os.MkdirAll(dir, 0755); err != nil {
			return nil, err
		}
	}
	snapdenv.SetUserAgentFromVersion(snapdVersion, nil)
	model, err := modelOf(cfg)
	if err != nil {
		return nil, err
	}
	release.OnClassic = model.Classic()
	// Early configuration would read the kernel's command line and write into /etc.
	devicestate.EarlyConfig = func(*state.State, func() (sysconfig.Device, *gadget.Info, error)) error { return nil }

	trusted, err := decodeAll(cfg.Trusted)
	if err != nil {
		return nil, err
	}
	sysdb.InjectTrusted(trusted)

	st, isNew, err := openState(stateFile(dirs.SnapStateFile))
	if err != nil {
		return nil, err
	}
	dev := &device{overlord: overlord.MockWithState(st), st: st}
	if err := dev.addManagers(); err != nil {
		return nil, err
	}
	if isNew {
		if err := dev.configure(cfg, model); err != nil {
			return nil, err
		}
	}
	return dev, dev.overlord.StartUp()
}

func openState(path stateFile) (st *state.State, isNew bool, err error) {
	file, err := os.Open(string(path))
	if os.IsNotExist(err) {
		return state.New(path), true, nil
	}
	if err != nil {
		return nil, false, err
	}
	defer file.Close()
	st, err = state.ReadState(path, file)
	return st, false, err
}

func (dev *device) addManagers() error {
	st, runner := dev.st, dev.overlord.TaskRunner()
	assertions, err := assertstate.Manager(st, runner)
	if err != nil {
		return err
	}
	hooks, err := hookstate.Manager(st, runner)
	if err != nil {
		return err
	}
	// During a remodel, snapd asks the store as the device that it will become.
	var devices *devicestate.DeviceManager
	storeFor := func(backend storecontext.DeviceBackend) snapstate.StoreService {
		whole := devices.StoreContextBackend()
		return store.New(nil, storecontext.NewComposed(st, backend, whole, whole))
	}
	devices, err = devicestate.Manager(st, hooks, runner, storeFor)
	if err != nil {
		return err
	}
	for _, manager := range []overlord.StateManager{assertions, hooks, devices, runner} {
		dev.overlord.AddManager(manager)
	}

	dev.store = store.New(nil, storecontext.New(st, devices.StoreContextBackend()))
	st.Lock()
	defer st.Unlock()
	snapstate.ReplaceStore(st, dev.store)
	return restart.Init(st, "this boot", nil)
}

// modelOf finds the model among the assertions of the image.
func modelOf(cfg configuration) (*asserts.Model, error) {
	all, err := decodeAll(cfg.Assertions)
	if err != nil {
		return nil, err
	}
	for _, one := range all {
		if model, ok := one.(*asserts.Model); ok && model.BrandID() == cfg.Brand && model.Model() == cfg.Model {
			return model, nil
		}
	}
	return nil, fmt.Errorf("the image has no model %s/%s", cfg.Brand, cfg.Model)
}

func (dev *device) configure(cfg configuration, model *asserts.Model) error {
	st := dev.st
	st.Lock()
	defer st.Unlock()
	all, err := decodeAll(cfg.Assertions)
	if err != nil {
		return err
	}
	batch := asserts.NewBatch(nil)
	for _, one := range all {
		if err := batch.Add(one); err != nil {
			return err
		}
	}
	if err := assertstate.AddBatch(st, batch, &asserts.CommitOptions{Precheck: true}); err != nil {
		return err
	}
	st.Set("seeded", true)
	if err := devicestatetest.SetDevice(st, &auth.DeviceState{Brand: cfg.Brand, Model: cfg.Model}); err != nil {
		return err
	}

	for typ, name := range map[string]string{"gadget": model.Gadget(), "kernel": model.Kernel(), "base": model.Base()} {
		if name == "" {
			continue
		}
		// A newer snapd refuses a gadget whose base is not the model's.
		base := ""
		if typ == "gadget" {
			base = model.Base()
		}
		if err := dev.install(name, typ, base); err != nil {
			return err
		}
	}

	tr := config.NewTransaction(st)
	settings := map[[2]string]interface{}{}
	if cfg.ProxyStore != "" {
		settings[[2]string{"core", "proxy.store"}] = cfg.ProxyStore
	}
	if g := cfg.Gadget; g != nil {
		for key, value := range map[string]string{
			"device-service.url":           g.URL,
			"registration.proposed-serial": g.ProposedSerial,
			"registration.body":            g.Body,
		} {
			if value != "" {
				settings[[2]string{g.Name, key}] = value
			}
		}
		if len(g.Headers) > 0 {
			settings[[2]string{g.Name, "device-service.headers"}] = g.Headers
		}
	}
	for name, value := range settings {
		if err := tr.Set(name[0], name[1], value); err != nil {
			return err
		}
	}
	tr.Commit()
	return nil
}

// install creates the parts of a snap that snapd looks at when it registers and remodels.
func (dev *device) install(name, typ, base string) error {
	revision := snap.R(1)
	meta := filepath.Join(snap.MountDir(name, revision), "meta")
	if err := os.MkdirAll(meta, 0755); err != nil {
		return err
	}
	yaml := fmt.Sprintf("name: %s\ntype: %s\nversion: '1'\n", name, typ)
	if base != "" {
		yaml += fmt.Sprintf("base: %s\n", base)
	}
	if err := os.WriteFile(filepath.Join(meta, "snap.yaml"), []byte(yaml), 0644); err != nil {
		return err
	}
	blob := snap.MountFile(name, revision)
	if err := os.MkdirAll(filepath.Dir(blob), 0755); err != nil {
		return err
	}
	if err := os.WriteFile(blob, nil, 0644); err != nil {
		return err
	}
	snapstate.Set(dev.st, name, &snapstate.SnapState{
		SnapType: typ,
		Active:   true,
		Sequence: []*snap.SideInfo{{RealName: name, Revision: revision}},
		Current:  revision,
	})
	return nil
}

func (dev *device) state() *deviceState {
	dev.st.Lock()
	defer dev.st.Unlock()
	is, err := devicestatetest.Device(dev.st)
	if err != nil {
		fatal(err)
	}
	out := &deviceState{Brand: is.Brand, Model: is.Model, Serial: is.Serial, KeyID: is.KeyID, Session: is.SessionMacaroon}
	if serial, err := assertstate.DB(dev.st).Find(asserts.SerialType, map[string]string{
		"brand-id": is.Brand, "model": is.Model, "serial": is.Serial,
	}); err == nil {
		out.Assertion = string(asserts.Encode(serial))
	}
	return out
}

func decodeAll(texts []string) ([]asserts.Assertion, error) {
	out := make([]asserts.Assertion, len(texts))
	for i, text := range texts {
		one, err := asserts.Decode([]byte(text))
		if err != nil {
			return nil, err
		}
		out[i] = one
	}
	return out, nil
}
