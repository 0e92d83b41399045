/** Creates a service that lets in the jobs of a test issuer, with their platform and their machines. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { macaroonsIn } from '../../../packages/server/src/http/credentials/presented.ts'
import type { Fresh } from '../../../packages/server/test/support/databases.ts'
import { type JobsLetIn, letJobsIn } from '../../../packages/server/test/support/jobs-let-in.ts'
import { call, presenting, testService } from '../../../packages/server/test/support/service.ts'
import { testIssuer } from '../../../packages/server/test/support/test-issuer.ts'
import { type Environment, type Finished, type JobMachine, jobMachine } from './job.ts'
import { platform } from './platform.ts'
import { type Unreliable, unreliable } from './unreliable.ts'

export interface World {
  /** The service's URL. */
  readonly url: string
  readonly rule: string
  /** The rule for jobs of Azure DevOps. */
  readonly azureRule: string
  /** The unreliable proxy in front of the service. */
  readonly proxy: Unreliable
  /** The platform's host and port. */
  readonly platformHost: string
  platformIsBusyFor(requests: number): void
  /** Returns a new ID token each time. */
  idToken(claims?: Readonly<Record<string, unknown>>): string
  /** Returns the variables that the platform sets for a job that can request ID tokens. */
  onActions(): Environment
  onAzure(): Environment
  newJob(): Promise<JobMachine>
  /** Returns the text of an example, with the address of this service. */
  example(name: string): Promise<string>
  countSessions(): Promise<number>
  assertWorks(credential: string): Promise<void>
  assertNoSecretInArguments(machine: JobMachine): Promise<void>
  /** Checks that the job has uploaded with a valid credential, and printed it nowhere. */
  assertPublished(machine: JobMachine, finished: Finished): Promise<void>
}

const EXAMPLES = join(import.meta.dirname, '..')
/** The service's address in the examples. */
const STORE = 'https://store.example.com'

/** Creates the world inside a suite with a database. `curl` is a command line. */
export function exampleWorld(fresh: Pick<Fresh, 'target'>, curl: string): World {
  const service = testService(fresh)
  const issuer = testIssuer()
  const azureIssuer = testIssuer()
  const ready = <T>(value: T | undefined): T => value ?? assert.fail('the service runs during the tests')
  let jobs: JobsLetIn | undefined
  let azureJobs: JobsLetIn | undefined
  before(async () => {
    jobs = await letJobsIn(service, issuer)
    azureJobs = await letJobsIn(service, azureIssuer, 'api://AzureADTokenExchange')
  })
  const idToken: World['idToken'] = (claims) => ready(jobs).idToken(claims)
  const platforms = platform({
    idToken: (audience) => idToken({ aud: audience }),
    azureToken: () => ready(azureJobs).idToken(),
  })
  const proxy = unreliable(() => service.baseUrl)
  const machines: JobMachine[] = []
  after(() => Promise.all(machines.map((machine) => machine.remove())))

  async function assertWorks(credential: string): Promise<void> {
    const headers = presenting(macaroonsIn(credential)[0])
    const { status, body } = await call(service, 'GET', '/api/v2/tokens/whoami', { headers })
    assert.equal(status, 200, JSON.stringify(body))
    assert.ok([jobs?.username, azureJobs?.username].includes(body.account.username))
  }
  async function assertNoSecretInArguments(machine: JobMachine): Promise<void> {
    const calls = await machine.calls()
    assert.ok(calls.some((line) => line.startsWith('curl ')))
    for (const line of calls) assert.doesNotMatch(line, /ey[\w-]{20,}|secret-of-/)
  }

  return {
    get url() {
      return service.baseUrl
    },
    get rule() {
      return ready(jobs).rule
    },
    get azureRule() {
      return ready(azureJobs).rule
    },
    proxy,
    get platformHost() {
      return new URL(platforms.url).host
    },
    platformIsBusyFor: platforms.beBusyFor,
    idToken,
    onActions: () => ({
      GITHUB_ACTIONS: 'true',
      ACTIONS_ID_TOKEN_REQUEST_URL: `${platforms.url}/idtoken?placeholder=true`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'secret-of-actions',
    }),
    onAzure: () => ({
      TF_BUILD: 'True',
      SYSTEM_OIDCREQUESTURI: `${platforms.url}/oidctoken`,
      SYSTEM_ACCESSTOKEN: 'secret-of-azure',
    }),
    newJob: async () => {
      const machine = await jobMachine({ curl, idToken: idToken() })
      machines.push(machine)
      return machine
    },
    example: async (name) =>
      (await readFile(join(EXAMPLES, name), 'utf8')).replaceAll(STORE, service.baseUrl),
    countSessions: async () =>
      (await service.installation.tokenSessions.list({ activeAt: undefined, limit: 1000 })).length,
    assertWorks,
    assertNoSecretInArguments,
    assertPublished: async (machine, { code, stdout, stderr }) => {
      assert.equal(code, 0, stderr)
      const { words = '', credentials = '', store } = (await machine.published()) ?? {}
      assert.match(words, /^upload --release=latest\/edge (\S+\/)?hello\.snap$/)
      assert.deepEqual(store, {
        STORE_DASHBOARD_URL: service.baseUrl,
        UBUNTU_ONE_SSO_URL: service.baseUrl,
        STORE_UPLOAD_URL: 'https://uploads.example.com',
      })
      await assertWorks(credentials)
      const unmasked = stderr.replaceAll(/^(::add-mask::|##vso\[task\.setsecret\]).*$/gm, '')
      assert.ok(!`${stdout}${unmasked}`.includes(credentials))
      await assertNoSecretInArguments(machine)
    },
  }
}
