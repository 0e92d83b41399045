/** What a proxy in front of a service answers by itself: a page, where the service would give a reason. */
import { ServiceAway, ServiceRefusal } from '../context.ts'

/** Of an answer, and of the request before it. */
interface InFront {
  readonly status: number
  /** Undefined if it is not a JSON object. */
  readonly body: object | undefined
  readonly credentialBytes: number
  readonly bodyBytes: number
}

/** A proxy that does not reach the service. */
class NotBehind extends ServiceAway {
  override readonly aboutAddress = true
}

/** Undefined for an answer that may be the service's own, or another program's. `where`: the address, for people. */
export function refusedInFront(
  { status, body, credentialBytes, bodyBytes }: InFront,
  where: string,
): ServiceRefusal | ServiceAway | undefined {
  if (body !== undefined) return undefined
  const begin = `${where}: something in front of the service`
  if (status === 400 || status === 431) {
    const size =
      credentialBytes === 0
        ? ''
        : ` The token in it has ${credentialBytes} bytes: does the proxy take headers as long? nginx does with large_client_header_buffers.`
    return new ServiceRefusal(`${begin} refuses the request with status ${status}.${size} Its log says why.`)
  }
  if (status === 413) {
    return new ServiceRefusal(
      `${begin} refuses a body of ${bodyBytes} bytes with status 413. Raise its limit: nginx has client_max_body_size.`,
    )
  }
  if (status === 401 || status === 403 || status === 407 || status === 451) {
    return new ServiceRefusal(
      `${begin} refuses the request with status ${status}: a firewall, or a proxy that asks for another login. Ask who runs it to let this path through.`,
    )
  }
  if (status === 429)
    return new ServiceAway(`${begin} allows no more requests now (status 429). Try again later.`)
  if (status >= 502 && status <= 504) {
    const why = status === 504 ? 'the service did not answer it in time' : 'it does not reach the service'
    return new NotBehind(
      `${begin} answers with status ${status}: ${why}. Is the service running, and does the proxy pass this path to its address?`,
    )
  }
  return undefined
}
