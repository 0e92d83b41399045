/** A CI job for `ratafia ci`: stubs of the service and the platform, which record their requests. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { json, loginStubs, type Respond, type Routes } from './login-stubs.ts'
import { type CommandOptions, type Finished, runHere, type Variables } from './program.ts'

export interface Seen {
  readonly method: string
  /** The path with the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

export interface CiJob {
  /** The URL of both the service and the platform. */
  readonly url: string
  readonly seen: readonly Seen[]
  /** The parameters of each exchange. */
  exchanges(): readonly URLSearchParams[]
  /** Runs `ci login` with the URL of the service, and with only this environment. */
  login(words: readonly string[], environment?: Variables, options?: CommandOptions): Promise<Finished>
}

export interface CiJobs {
  /** The directory for the files of the test, removed after the suite. */
  readonly directory: string
  /** Starts the stubs, which listen until the test has ended. `routes` replaces some of the usual answers. */
  start(routes?: Routes): Promise<CiJob>
}

/** Creates CI jobs. Call it inside a suite. */
export function ciJobs(): CiJobs {
  const { serve } = loginStubs()
  let directory = ''
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ratafia-ci-'))
  })
  after(() => rm(directory, { recursive: true, force: true }))

  async function start(routes: Routes = {}): Promise<CiJob> {
    const seen: Seen[] = []
    const kept = ([path, respond]: [string, Respond]): [string, Respond] => [
      path,
      (request, response, body) => {
        const { method = '', url = '', headers } = request
        seen.push({ method, path: url, headers, body })
        return respond(request, response, body)
      },
    ]
    const all = Object.entries({ ...WORKS, ...routes }).map(kept)
    const url = await serve(Object.fromEntries(all))
    return {
      url,
      seen,
      exchanges: () =>
        seen
          .filter(({ method, path }) => method === 'POST' && path === '/api/v2/tokens/oidc')
          .map(({ body }) => new URLSearchParams(body)),
      login: (words, environment = {}, options = {}) =>
        runHere(['ci', 'login', '--url', url, ...words], {
          ...options,
          environment: { ...NOWHERE, ...environment },
        }),
    }
  }
  return {
    get directory() {
      return directory
    },
    start,
  }
}

/** Keeps tests from asking the metadata server of the machine they run on. */
export const NOWHERE = { GCE_METADATA_HOST: '127.0.0.1:1' }

let count = 0

/** Returns an ID token without a valid signature, a different one each time. */
export function idTokenFor(audience: unknown): string {
  const parts = [{ alg: 'RS256' }, { aud: audience, jti: `${++count}` }].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  )
  return `${parts.join('.')}.c2lnbmF0dXJl`
}

export const TOKEN = `AgEX${'a'.repeat(40)}`
export const CREDENTIALS = Buffer.from(`{"t": "macaroon", "v": "${TOKEN}"}`).toString('base64')
export const SESSION = '567487c8-0c1d-4e8e-9bb0-1d7a1bcd3a2f'

export const MINTED = {
  access_token: TOKEN,
  issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
  token_type: 'Bearer',
  expires_in: 900,
  scope: 'package_upload',
  session_id: SESSION,
  rule: 'hello-release',
  credentials: CREDENTIALS,
}

const audienceIn = (url = ''): string => new URL(url, 'http://x').searchParams.get('audience') ?? ''

const WORKS: Routes = {
  'GET /api/v2/tokens/oidc': (request, response) =>
    json({ audience: `http://${request.headers.host}` })(request, response, ''),
  'POST /api/v2/tokens/oidc': json(MINTED),
  'GET /actions/idtoken': (request, response) =>
    json({ value: idTokenFor(audienceIn(request.url)) })(request, response, ''),
  'POST /azure/oidctoken': (request, response) =>
    json({ oidcToken: idTokenFor('api://AzureADTokenExchange') })(request, response, ''),
  'GET /': (_, response) =>
    void response.writeHead(200, { 'metadata-flavor': 'Google' }).end('computeMetadata/'),
  'GET /computeMetadata/v1/instance/service-accounts/default/identity': (request, response) =>
    void response.end(idTokenFor(audienceIn(request.url))),
}

/** The variables that GitHub sets for a job that may request ID tokens at `url`. */
export const onGitHub = (url: string): Variables => ({
  GITHUB_ACTIONS: 'true',
  ACTIONS_ID_TOKEN_REQUEST_URL: `${url}/actions/idtoken?api-version=2.0`,
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'request-token',
})
