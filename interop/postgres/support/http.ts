/** Requests to programs on this machine that may be down, stopped or cut off. */

const PATIENCE_MS = 1_000

export interface Answered {
  readonly status: number
  readonly body: string
}

/** Sends a `GET` to a port of 127.0.0.1. Returns undefined without an answer within a second. */
export async function answers(port: number, path: string): Promise<Answered | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    return { status: response.status, body: await response.text() }
  } catch {
    return undefined
  }
}
