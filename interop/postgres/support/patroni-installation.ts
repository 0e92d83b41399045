/** The programs that `interop/postgres/setup` installs, and the settings of a member of a cluster. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chownSync, copyFileSync, cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Account } from '../../../tools/test/postgres.ts'
import { ROOT } from '../../../tools/test/programs.ts'

export const SCOPE = 'ratafia'

const INSTALLED = join(ROOT, 'interop/postgres')
/** Debian's Python, which every account can run. */
const PYTHON = '/usr/bin/python3'

export interface Command {
  readonly words: readonly [string, ...string[]]
  readonly environment: Readonly<Record<string, string>>
}

export interface Programs {
  /** The versions of the programs, in one line. */
  readonly versions: string
  readonly etcd: string
  /** The directory of PostgreSQL's programs. */
  readonly postgres: string
  /** Returns the command that runs Patroni in the foreground, connecting from `address`. */
  patroni(address: string, settings: string): Command
  patronictl(settings: string): Command
}

/**
 * Copies programs to `directory` that PostgreSQL's account may not be able to read in the checkout. Throws an
 * Error if a program is not installed.
 */
export function copyPrograms(directory: string): Programs {
  const wanted = createHash('sha256')
    .update(readFileSync(join(INSTALLED, 'requirements.txt')))
    .digest('hex')
  const [postgres] = globSync('/usr/lib/postgresql/*/bin/pg_rewind').sort().reverse()
  const [packages] = globSync(join(INSTALLED, '.venv/lib/python3*/site-packages'))
  if (contentOf(join(INSTALLED, '.venv/stamp')).trim() !== wanted || !packages || !postgres) {
    throw new Error('Patroni or PostgreSQL is missing or outdated. Run interop/postgres/setup.')
  }
  const etcd = join(directory, 'etcd')
  const python = join(directory, 'python')
  const start = join(directory, 'own_address.py')
  copyFileSync(join(INSTALLED, '.bin/etcd'), etcd)
  copyFileSync(join(INSTALLED, 'support/own_address.py'), start)
  // Keep the times, because Python uses them to recognise compiled modules.
  cpSync(packages, python, { recursive: true, preserveTimestamps: true })
  const environment = { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8', PYTHONPATH: python }
  const ctl = join(INSTALLED, '.venv/bin/patronictl')
  return {
    versions: versionsOf({ etcd, patronictl: [PYTHON, ctl], environment, postgres: dirname(postgres) }),
    etcd,
    postgres: dirname(postgres),
    patroni: (address, settings) => ({ words: [PYTHON, start, address, settings], environment }),
    patronictl: (settings) => ({ words: [PYTHON, ctl, '-c', settings], environment }),
  }
}

export function newDirectory(directory: string, account: Account | undefined): string {
  mkdirSync(directory, { mode: 0o700 })
  if (account) chownSync(directory, account.uid, account.gid)
  return directory
}

interface Place {
  readonly name: string
  readonly directory: string
  readonly account: Account | undefined
  readonly port: number
  readonly rest: number
}

export interface ClusterSettings {
  readonly programs: Programs
  /** The addresses of etcd. */
  readonly hosts: string
  readonly passwords: { readonly superuser: string; readonly replicator: string; readonly rewinder: string }
  /** The ports that the other members use to reach this one. */
  readonly advertised: { readonly postgres: number; readonly rest: number }
}

/** Writes a member's settings: the documented ones, and those of its place. Returns the path of the file. */
export function writeSettings(
  place: Place,
  { programs, hosts, passwords, advertised }: ClusterSettings,
): string {
  const { name, directory, account, port, rest } = place
  const at = (value: number) => `127.0.0.1:${value}`
  const authentication = {
    superuser: { username: 'postgres', password: passwords.superuser },
    replication: { username: 'replicator', password: passwords.replicator },
    rewind: { username: 'rewinder', password: passwords.rewinder },
  }
  const own = {
    ...{ scope: SCOPE, name, etcd3: { hosts } },
    restapi: { listen: at(rest), connect_address: at(advertised.rest) },
    postgresql: {
      ...{ listen: at(port), connect_address: at(advertised.postgres), authentication },
      ...{ data_dir: join(directory, 'data'), bin_dir: programs.postgres, pgpass: join(directory, 'pgpass') },
      // Kept in its own directory, so that the remains of a killed server are removed with it.
      parameters: { unix_socket_directories: directory, dynamic_shared_memory_type: 'mmap' },
      pg_hba: [
        'host replication replicator 127.0.0.1/32 scram-sha-256',
        'host all all 127.0.0.1/32 scram-sha-256',
      ],
    },
  }
  // JSON is YAML.
  const lines = Object.entries(own).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
  const file = join(directory, 'patroni.yml')
  const initdb = '  initdb: [{encoding: UTF8}, {locale: C.UTF-8}, data-checksums]\n'
  writeFileSync(file, `${documented()}${initdb}${lines.join('')}`, { mode: 0o600 })
  if (account) chownSync(file, account.uid, account.gid)
  return file
}

/** Returns the part `bootstrap` of a member's file, as documented for operators. */
function documented(): string {
  const page = readFileSync(join(ROOT, 'docs/operations/deploy.md'), 'utf8')
  const [, settings] = /^```yaml\n(bootstrap:\n[\s\S]*?)^```$/m.exec(page) ?? []
  if (settings === undefined) throw new Error('docs/operations/deploy.md does not show any Patroni settings')
  return settings
}

interface Installed extends Pick<Programs, 'etcd' | 'postgres'> {
  readonly patronictl: readonly [string, ...string[]]
  readonly environment: Readonly<Record<string, string>>
}

function versionsOf({ etcd, postgres, patronictl: [program, ...words], environment }: Installed): string {
  const number = (output: string) => /\d+(\.\d+)+/.exec(output)?.[0] ?? '?'
  const asked = (...[command, ...rest]: [string, ...string[]]) =>
    number(execFileSync(command, rest, { encoding: 'utf8', env: environment }))
  const versions = [
    `Patroni ${asked(program, ...words, 'version')}`,
    `etcd ${asked(etcd, '--version')}`,
    `PostgreSQL ${asked(join(postgres, 'postgres'), '--version')}`,
  ]
  return versions.join(', ')
}

/** Returns the content of a file; empty if there is no such file. */
function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
