/** Requests to platforms that return a job's ID token (contract/oidc.md, "Commands and pipelines"). */
import type { JobEnvironment } from '../../../config/command-environment.ts'
import { ServiceRefusal } from '../../context.ts'
import { type Answer, ask, placeOf, type Question } from '../../login/ask.ts'
import { throwIfBusy } from './retry.ts'
import { requireConfidential } from './service-address.ts'

/** Gets a token from GitHub or Forgejo. `advice`: a sentence about what is missing if the job may not request one. */
export const fromActions =
  (advice: string) =>
  async ({ job, audience, patience }: Asking): Promise<string> => {
    const [url, token] = needed(
      ['ACTIONS_ID_TOKEN_REQUEST_URL', 'ACTIONS_ID_TOKEN_REQUEST_TOKEN'],
      job,
      advice,
    )
    const asked = addressIn('ACTIONS_ID_TOKEN_REQUEST_URL', url)
    asked.searchParams.set('audience', audience)
    const answer = await answerOf(
      asked,
      { headers: bearing(token), patience },
      'ACTIONS_ID_TOKEN_REQUEST_URL',
    )
    return textAt('value', answer)
  }

/** Gets a token from Azure DevOps, which chooses the audience itself. */
export async function fromAzure({ job, patience }: Asking): Promise<string> {
  const advice = 'Add `env: {SYSTEM_ACCESSTOKEN: $(System.AccessToken)}` to the step.'
  const [url, token] = needed(['SYSTEM_OIDCREQUESTURI', 'SYSTEM_ACCESSTOKEN'], job, advice)
  const asked = addressIn('SYSTEM_OIDCREQUESTURI', url)
  asked.searchParams.set('api-version', '7.1')
  const headers = { ...bearing(token), 'content-type': 'application/json' }
  return textAt(
    'oidcToken',
    await answerOf(asked, { method: 'POST', headers, patience }, 'SYSTEM_OIDCREQUESTURI'),
  )
}

/** Gets a token from the machine's metadata server. The request goes over plain http and contains no secret. */
export async function fromGoogle({ job, audience, patience }: Asking): Promise<string> {
  const asked = metadataServer(job.variable('GCE_METADATA_HOST'))
  asked.pathname = '/computeMetadata/v1/instance/service-accounts/default/identity'
  asked.searchParams.set('audience', audience)
  asked.searchParams.set('format', 'full')
  return (await answerOf(asked, { headers: GOOGLE, patience }, 'GCE_METADATA_HOST')).text
}

/** Returns whether a metadata server answers within a second. */
export async function isMetadataServerThere(host: string | undefined): Promise<boolean> {
  try {
    const { headers } = await ask(metadataServer(host).href, { headers: GOOGLE, patience: 1000 })
    return headers.get('metadata-flavor') === 'Google'
  } catch {
    return false
  }
}

const GOOGLE = { 'metadata-flavor': 'Google' }

function metadataServer(host = 'metadata.google.internal'): URL {
  if (!/^[\w.:[\]-]+$/.test(host)) throw new ServiceRefusal('GCE_METADATA_HOST is not a host.')
  return new URL(`http://${host}`)
}

const bearing = (token: string) => ({ authorization: `Bearer ${token}` })

function needed(
  names: readonly [string, string],
  job: Asking['job'],
  advice: string,
): readonly [string, string] {
  const [first, second] = names.map((name) => job.variable(name))
  if (first !== undefined && second !== undefined) return [first, second]
  const missing = first === undefined ? names[0] : names[1]
  throw new ServiceRefusal(
    `The platform does not offer this job an ID token: ${missing} is not set. ${advice}`,
  )
}

function addressIn(name: string, text: string): URL {
  requireConfidential(text, name)
  return new URL(text)
}

async function answerOf(url: URL, question: Question, addressIn: string): Promise<Answer> {
  const answer = await ask(url.href, { ...question, addressIn })
  throwIfBusy(answer)
  if (answer.status === 200) return answer
  // Its body could contain anything, and must not get into a log.
  throw new ServiceRefusal(
    `${placeOf(url.href)} refused to issue an ID token: it answered with status ${answer.status}.`,
  )
}

function textAt(name: string, { url, body }: Answer): string {
  const value = body?.[name]
  if (typeof value === 'string') return value
  throw new ServiceRefusal(`${placeOf(url)} did not return an ID token: its answer has no "${name}".`)
}

export interface Asking {
  readonly job: JobEnvironment
  /** The required audience of the token. */
  readonly audience: string
  /** How long a request can take, in milliseconds. */
  readonly patience: number
}
