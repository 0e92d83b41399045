// SPDX-License-Identifier: GPL-3.0-only (see main.go)

package main

import (
	"context"

	"github.com/snapcore/snapd/store"
)

func (dev *device) sections() error {
	_, err := dev.store.Sections(context.Background(), nil)
	return err
}

func (dev *device) info(name string) error {
	_, err := dev.store.SnapInfo(context.Background(), store.SnapSpec{Name: name}, nil)
	return err
}
