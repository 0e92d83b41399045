/** Runs commands without settings of a service, except its URL and a token. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'
import type { Words } from './cases.ts'
import { startCommand } from './login-command.ts'
import { giveRoles, managementToken, type SignedIn } from './managers.ts'
import type { Finished, Program, Variables } from './program.ts'
import { whileJobsRun } from './running-jobs.ts'
import { addPerson, type TestService } from './service.ts'

export interface OverHttp {
  readonly service: TestService
  /** A directory for the test's files. */
  readonly home: string
  /** Writes a token of a new account with this role to a file, and returns its path. Default: signed in just now. */
  tokenOf(role: string, how?: SignedIn): Promise<string>
  over(words: Words, tokenFile: string, url?: string): Promise<Finished>
  /** Returns the environment of these commands. */
  environment(tokenFile: string, url?: string): Variables
}

/** Starts the service of the program before the suite's tests. */
export function overHttp(program: Program): OverHttp {
  const state: { service?: TestService; home?: string } = {}
  let tokens = 0
  const ready = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('the service runs only while the tests of its suite do')
    return value
  }
  before(async () => {
    state.home = await mkdtemp(join(tmpdir(), 'ratafia-home-'))
    state.service = await program.serve()
  })
  after(() => rm(ready(state.home), { recursive: true, force: true }))
  const environment = (tokenFile: string, url = ready(state.service).baseUrl) => ({
    ...{ XDG_CONFIG_HOME: ready(state.home), RATAFIA_URL: url, RATAFIA_TOKEN_FILE: tokenFile },
  })
  return {
    get service() {
      return ready(state.service)
    },
    get home() {
      return ready(state.home)
    },
    tokenOf: async (role, how) => {
      const service = ready(state.service)
      const account = await addPerson(service, `${role.split(' ')[0]}-${++tokens}`)
      await giveRoles(service, account, role)
      const path = join(ready(state.home), `token-${tokens}`)
      await writeFile(path, await managementToken(service, account, {}, how))
      return path
    },
    environment,
    over: (words, tokenFile, url) =>
      whileJobsRun(
        ready(state.service).installation,
        () => startCommand(words, environment(tokenFile, url)).finished,
      ),
  }
}
