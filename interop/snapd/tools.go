// SPDX-License-Identifier: GPL-3.0-only (see main.go)

package main

import (
	"os"

	"github.com/snapcore/snapd/snapdenv"
	"github.com/snapcore/snapd/store/tooling"
)

// download fetches a snap as "snap download" and image tools do: from the store at UBUNTU_STORE_URL, with the
// credentials in UBUNTU_STORE_AUTH.
func download(name, directory string) error {
	snapdenv.SetUserAgentFromVersion(snapdVersion, nil, "snap")
	tools, err := tooling.NewToolingStore()
	if err != nil {
		return err
	}
	// Keep standard output for answers.
	tools.Stdout = os.Stderr
	_, err = tools.DownloadSnap(name, tooling.DownloadSnapOptions{TargetDir: directory})
	return err
}
