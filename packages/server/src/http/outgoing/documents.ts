/**
 * Fetches what an issuer publishes: its discovery document and its keys (contract/oidc.md, A19). The issuer
 * chooses some of the addresses, so nothing is trusted: neither the target, nor the duration, nor the size.
 */
import type { IncomingMessage } from 'node:http'
import { boundedBody } from '../../bounded-body.ts'
import { RequestError, Unavailable } from '../../errors.ts'
import { type DocumentSource, type Target, targetOf } from './allowed-addresses.ts'
import { answerOver, reasonOf } from './answer.ts'
import { openSocket, type SocketOptions } from './sockets.ts'

export interface DocumentOptions extends SocketOptions {
  /** How long the whole answer can take, in milliseconds. */
  readonly timeout?: number
}

/**
 * Returns the text at a URL. Throws {@link RequestError} `invalid-field` for a URL that may not be fetched, and
 * `Unavailable` for everything else: no answer, a late one, a redirect, a status other than 200, more than 256 KiB.
 */
export type FetchDocument = (url: string, from: DocumentSource) => Promise<string>

const TIMEOUT_MS = 5_000
const MOST_BYTES = 256 * 1024
const HEADERS = {
  accept: 'application/json',
  // Decompressing foreign data could take any amount of memory.
  'accept-encoding': 'identity',
  connection: 'close',
  // Some services refuse a client without a user agent.
  'user-agent': 'ratafia',
}

export const documentFetcher =
  ({ timeout = TIMEOUT_MS, ...sockets }: DocumentOptions = {}): FetchDocument =>
  async (url, from) => {
    const target = targetOf(url, from)
    const signal = AbortSignal.timeout(timeout)
    try {
      return await get(target, from, sockets, signal)
    } catch (error) {
      if (error instanceof RequestError || error instanceof Unavailable) throw error
      throw unavailable(
        target,
        signal.aborted ? `the whole answer did not arrive in ${timeout / 1000} s` : reasonOf(error),
      )
    }
  }

async function get(
  target: Target,
  from: DocumentSource,
  sockets: SocketOptions,
  signal: AbortSignal,
): Promise<string> {
  const socket = await openSocket(target, from, sockets, signal)
  try {
    const response = await answerOver(socket, { url: target.url, headers: HEADERS, signal })
    return await textOf(response, target)
  } finally {
    socket.destroy()
  }
}

async function textOf(response: IncomingMessage, target: Target): Promise<string> {
  const { statusCode = 0, headers } = response
  if (statusCode >= 300 && statusCode < 400) {
    throw unavailable(target, `it redirects (status ${statusCode}), and redirects are not followed`)
  }
  if (statusCode !== 200) throw unavailable(target, `it answered with status ${statusCode}`)
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') throw unavailable(target, 'its answer is compressed')
  const body = await boundedBody(response, MOST_BYTES)
  if (body === undefined) throw unavailable(target, `its answer has more than ${MOST_BYTES / 1024} KiB`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw unavailable(target, 'its answer is not UTF-8')
  }
}

const unavailable = ({ url }: Target, why: string): Unavailable =>
  new Unavailable(`${url.href} cannot be fetched: ${why}.`)
