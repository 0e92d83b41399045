/**
 * Posts a text to an address that the operator configured, under the rules for where requests may go
 * (contract/oidc.md, A19): of the answer only the status counts, and nothing else is read.
 */
import { RequestError } from '../../errors.ts'
import { targetOf } from './allowed-addresses.ts'
import { answerOver, reasonOf } from './answer.ts'
import { openSocket, type SocketOptions } from './sockets.ts'

export interface PostOptions extends SocketOptions {
  /** Milliseconds until the status is there. */
  readonly timeout?: number
}

/** The status, whatever it is: a redirect is not followed. Or why there is none. Never rejects. */
export type PostText = (
  url: string,
  sent: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  /** Networks that are not public, but allowed. */
  privateAddresses: readonly string[],
) => Promise<{ readonly status: number } | { readonly failure: string }>

const TIMEOUT_MS = 10_000

export const textPoster =
  ({ timeout = TIMEOUT_MS, ...sockets }: PostOptions = {}): PostText =>
  async (url, { headers, body }, privateAddresses) => {
    // It is the address that the operator configured, so it is loopback only where they wrote that.
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
      if (error instanceof RequestError) return { failure: 'its address is not one that requests may go to' }
      return { failure: signal.aborted ? `it did not answer in ${timeout / 1000} s` : reasonOf(error) }
    }
  }
