/** Starts the bare Fastify, which returns the responses that the service has just returned. */
import { join } from 'node:path'
import { SERVER_CORE } from '../harness/cores.ts'
import type { Prepared } from '../harness/wrk.ts'
import { ANSWERS } from './bare.ts'
import { type Running, startProcess } from './process.ts'

export async function startBare(
  port: number,
  ...requests: readonly (Prepared | undefined)[]
): Promise<Running> {
  const answers: Record<string, unknown> = {}
  for (const request of requests) {
    if (!request) throw new TypeError('there is no request')
    const { method, path, headers = {}, body } = request
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      ...{ method, headers: { ...headers } },
      ...(body !== undefined && { body }),
    })
    if (!answer.ok) throw new Error(`${method} ${path} got ${answer.status}`)
    answers[`${method} ${path}`] = await answer.json()
  }
  return startProcess({
    words: [process.execPath, join(import.meta.dirname, 'bare.ts')],
    cores: SERVER_CORE,
    environment: { [ANSWERS]: JSON.stringify(answers) },
  })
}
