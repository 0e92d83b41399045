/**
 * Posts a body to an address that the operator configured, under the rules for outgoing requests
 * (contract/oidc.md, A19). Only the status of the answer matters; nothing else is read.
 */
import { RequestError } from '../../errors.ts'
import { targetOf } from './allowed-addresses.ts'
import { answerOver, reasonOf } from './answer.ts'
import { openSocket, type SocketOptions } from './sockets.ts'

export interface PostOptions extends SocketOptions {
  /** How long the status can take, in milliseconds. */
  readonly timeout?: number
}

/** Returns the status, or the reason why there is none. Does not follow redirects, and never rejects. */
export type PostText = (
  url: string,
  sent: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  /** Networks that are not public, but that are allowed. */
  privateAddresses: readonly string[],
) => Promise<{ readonly status: number } | { readonly failure: string }>

const TIMEOUT_MS = 10_000

export const textPoster =
  ({ timeout = TIMEOUT_MS, ...sockets }: PostOptions = {}): PostText =>
  async (url, { headers, body }, privateAddresses) => {
    // The operator configured this address, so it is loopback only if they wrote it so.
    const from = { issuer: url, privateAddresses }
    const signal = AbortSignal.timeout(timeout)
    try {
      const target = targetOf(url, from)
      const socket = await openSocket(target, from, sockets, signal)
      try {
        const { statusCode = 0 } = await answerOver(socket, {
          ...{ method: 'POST', url: target.url, signal, body },
          headers: {
            connection: 'close',
            'user-agent': 'ratafia',
            'content-length': String(Buffer.byteLength(body)),
            ...headers,
          },
        })
        return { status: statusCode }
      } finally {
        socket.destroy()
      }
    } catch (error) {
      if (error instanceof RequestError) return { failure: 'requests to its address are not allowed' }
      return { failure: signal.aborted ? `it did not answer in ${timeout / 1000} s` : reasonOf(error) }
    }
  }
