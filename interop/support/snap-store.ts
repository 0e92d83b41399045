/**
 * The command `snap` from snapd's source, with a stand-in for the Snap Store that it and `snapcraft` use: a root of the
 * test vouches for keys.
 */
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { clientPaths } from './paths.ts'

export interface SnapCommands {
  /** The directory of `snap` and `snapcraft`, which has to be first in the path. */
  readonly directory: string
  /** The variables for `snap` and the service's commands. */
  readonly environment: Readonly<Record<string, string>>
}

interface Store {
  /** A new directory, which becomes the home of the commands. */
  readonly directory: string
  readonly passphrase: string
  /** A script for `snapcraft register-key NAME` (in `$2`). It writes the files `account` and `account-key`. */
  readonly registerKey: string
}

/** Writes the commands. `snap known --remote TYPE` prints the file TYPE of the directory. */
export async function snapCommands({ directory, passphrase, registerKey }: Store): Promise<SnapCommands> {
  const at = (name: string) => join(directory, name)
  const gnupg = at('.snap/gnupg')
  await mkdir(gnupg, { recursive: true, mode: 0o700 })
  const scripts = {
    // `snap create-key` reads the passphrase from a terminal only.
    snap: `case "$1 $2" in
      'create-key '*) printf '%s\\n%s\\n' '${passphrase}' '${passphrase}' |
        script -qec '${clientPaths.snap} create-key '"$2" /dev/null ;;
      'known --remote') cat '${directory}'/"$3" ;;
      *) exec '${clientPaths.snap}' "$@" ;;
    esac`,
    snapcraft: `case "$1" in register-key) ${registerKey} ;; *) exit 2 ;; esac`,
    // Enters the passphrase when the agent asks for it.
    pinentry: `echo OK
    while read -r word rest; do
      case $word in
        GETPIN) echo 'D ${passphrase}'; echo OK ;;
        BYE) echo OK; exit ;;
        *) echo OK ;;
      esac
    done`,
  }
  for (const [name, text] of Object.entries(scripts)) {
    await writeFile(at(name), `#!/bin/sh\n${text}\n`)
    await chmod(at(name), 0o755)
  }
  await writeFile(join(gnupg, 'gpg-agent.conf'), `pinentry-program ${at('pinentry')}\n`)
  return { directory, environment: { HOME: directory, SNAP_GNUPG_HOME: gnupg, GPG_TTY: '' } }
}
