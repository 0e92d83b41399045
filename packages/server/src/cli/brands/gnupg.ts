/** Exports private keys from the GnuPG home in which `snap create-key` keeps them. */
import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { FileError } from '../context.ts'

interface GnupgKey {
  /** The whole user id of the key, as `snap keys` lists it. */
  readonly name: string
  readonly home: string
  readonly passphrase: string | undefined
}

/** Returns the armored key, encrypted with its passphrase if it has one. Throws {@link FileError}. */
export async function exportFromGnupg(key: GnupgKey): Promise<Uint8Array> {
  const { name, home } = key
  const isDirectory = await stat(home).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (!isDirectory) {
    throw new FileError(
      `There is no GnuPG home ${home}. \`snap create-key\` creates it; if it is elsewhere, set SNAP_GNUPG_HOME.`,
    )
  }
  const { code, armored, said } = await runGpg(key)
  if (code === 'ENOENT') {
    throw new FileError(`gpg:${name} cannot be read, because gpg is not installed. Install GnuPG.`)
  }
  if (code !== undefined) {
    throw new FileError(
      `gpg cannot export ${name} from ${home}: ${said} To pass the passphrase of the key on standard input, pass --passphrase-stdin.`,
    )
  }
  if (armored.length === 0) {
    throw new FileError(`There is no private key ${name} in ${home}. \`snap keys\` lists them.`)
  }
  return armored
}

interface GpgResult {
  /** The exit or error code; undefined if gpg succeeded. */
  readonly code: string | number | null | undefined
  readonly armored: Uint8Array
  /** The first line of gpg's errors. */
  readonly said: string
}

function runGpg({ name, home, passphrase = '' }: GnupgKey): Promise<GpgResult> {
  const words = [
    ...['--homedir', home, '--batch', '--no-tty', '--quiet', '--no-auto-check-trustdb'],
    // The command supplies the passphrase: a dialogue would hang where no user sees it.
    ...['--pinentry-mode', 'loopback', '--passphrase-fd', '0'],
    // `=` matches the whole user id, not a part of it.
    ...['--armor', '--export-secret-keys', '--', `=${name}`],
  ]
  return new Promise((resolve) => {
    const gpg = execFile('gpg', words, { encoding: 'buffer' }, (error, armored, stderr) => {
      const [first = ''] = stderr.toString().trim().split('\n')
      const said = first.replace(/^gpg: /, '').replace(/\.?$/, '.')
      resolve({ code: error?.code ?? (error ? null : undefined), armored, said })
    })
    // gpg may exit without reading its input.
    gpg.stdin?.on('error', () => {})
    gpg.stdin?.end(`${passphrase}\n`)
  })
}
