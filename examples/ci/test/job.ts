/** Simulates the machine of a CI job: a directory, its own programs, and a shell that runs the steps. */
import { execFile } from 'node:child_process'
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Finished {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export type Environment = Readonly<Record<string, string>>

/** The arguments and variables of a call of snapcraft. */
export interface Published {
  readonly words: string
  readonly credentials: string
  /** The variables that name the store. Without them, snapcraft would send the credential to its default store. */
  readonly store: Readonly<Record<string, string>>
}

export interface JobMachine {
  readonly directory: string
  /** Runs a program; `words` are its name and its arguments. */
  run(words: readonly string[], environment: Environment): Promise<Finished>
  /** Returns the call of snapcraft; undefined if it was not called. */
  published(): Promise<Published | undefined>
  /** Returns the name and arguments of each called program, a line each. */
  calls(): Promise<readonly string[]>
  remove(): Promise<void>
}

export interface MachineOptions {
  /** The command line of curl, without its arguments. */
  readonly curl: string
  /** The ID token that the platform's programs print. */
  readonly idToken: string
}

const SCRIPT = join(import.meta.dirname, '../ratafia-login.sh')

/** Creates a machine with the script as `ci/ratafia-login.sh`. */
export async function jobMachine({ curl, idToken }: MachineOptions): Promise<JobMachine> {
  const directory = await mkdtemp(join(tmpdir(), 'ratafia-job-'))
  const programs = join(directory, 'programs')
  const calls = join(directory, 'calls')
  await mkdir(programs)
  await mkdir(join(directory, 'ci'))
  await copyFile(SCRIPT, join(directory, 'ci/ratafia-login.sh'))
  await writeFile(calls, '')
  const add = async (name: string, lines: string) => {
    const note = `{ printf '%s ' '${name}' "$@"; echo; } >> '${calls}'`
    await writeFile(join(programs, name), `#!/bin/sh\n${note}\n${lines}\n`)
    await chmod(join(programs, name), 0o755)
  }
  await add('curl', `exec ${curl} "$@"`)
  // Tests don't wait between retries.
  await add('sleep', 'exit 0')
  await add('circleci', `echo '${idToken}'`)
  await add(
    'buildkite-agent',
    `case $1 in redactor) cat >> '${directory}/redacted' ;; *) echo '${idToken}' ;; esac`,
  )
  await add(
    'snapcraft',
    `printf %s "$*" > '${directory}/words'; printf %s "$SNAPCRAFT_STORE_CREDENTIALS" > '${directory}/credentials'
env | grep -E '^(STORE_DASHBOARD|UBUNTU_ONE_SSO|STORE_UPLOAD)_URL=' > '${directory}/store'; exit 0`,
  )
  // For `sudo snap install snapcraft --classic`.
  await add('sudo', 'exit 0')

  const read = (name: string) => readFile(join(directory, name), 'utf8')
  return {
    directory,
    run: ([program = '', ...words], environment) =>
      new Promise((resolve) => {
        const env = { PATH: `${programs}:/usr/bin:/bin`, GCE_METADATA_HOST: '127.0.0.1:1', ...environment }
        execFile(program, words, { env, cwd: directory }, (error, stdout, stderr) => {
          resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr })
        })
      }),
    published: async () => {
      const words = await read('words').catch(() => undefined)
      if (words === undefined) return undefined
      const lines = (await read('store')).split('\n').filter(Boolean)
      const store = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s, 2)))
      return { words, credentials: await read('credentials'), store }
    },
    calls: async () => (await read('calls')).split('\n').filter(Boolean),
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}

export const scriptText = (): Promise<string> => readFile(SCRIPT, 'utf8')
