/** Checks whether the service answers at a URL. */
import type { Answer } from './read-status.ts'

const PATIENCE_MS = 3_000

/** `address` is the URL of the socket, without a trailing slash. Never rejects. */
export async function askService(address: string): Promise<Answer> {
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const response = await fetch(`${address}/health/ready`, { signal, redirect: 'manual' })
    if (response.ok) return { url: address, ready: true }
    return { url: address, ready: false, why: `it answers ${response.status} to /health/ready.` }
  } catch (error) {
    const isSlow = error instanceof Error && error.name === 'TimeoutError'
    return isSlow
      ? { url: address, ready: false, why: 'it does not answer within three seconds.' }
      : { url: address, ready: undefined }
  }
}
