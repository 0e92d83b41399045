/** Load by single requests: `wrk` sends them from a prepared file over 32 connections that stay open. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { endWithThisProcess } from '../../faults/world/processes.ts'
import type { Load, Sent } from './rounds.ts'

const CONNECTIONS = 32
const SCRIPT = join(import.meta.dirname, 'requests.lua')

export interface Prepared {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Writes requests to a file for `requests.lua`. */
export async function prepare(
  file: string,
  requests: Iterable<Prepared> | AsyncIterable<Prepared>,
): Promise<void> {
  async function* bytes() {
    for await (const request of requests) {
      const text = Buffer.from(httpText(request))
      yield Buffer.concat([Buffer.from(`${text.length}\n`), text])
    }
  }
  await pipeline(bytes, createWriteStream(file))
}

export function httpText({ method, path, headers = {}, body }: Prepared): string {
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
  const lines = Object.entries({ Host: '127.0.0.1', ...headers, ...length })
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body ?? ''}`
}

export interface WrkOptions {
  readonly port: number
  /** The file that {@link prepare} wrote. */
  readonly file: string
  /** Sends each request only once: each round continues where the last one ended, and sends at most `most`. */
  readonly once?: { readonly most: number }
}

export function wrk({ port, file, once: single }: WrkOptions): Load {
  let next = 0
  return {
    async run(seconds, begin) {
      const child = endWithThisProcess(
        spawn(
          'wrk',
          [
            ...['--threads', '1', '--connections', String(CONNECTIONS), '--duration', `${seconds}s`],
            ...['--timeout', '30s', '--script', SCRIPT, `http://127.0.0.1:${port}/`, '--'],
            ...[file, String(next), String(single?.most ?? 0)],
          ],
          { stdio: ['pipe', 'pipe', 'inherit'] },
        ),
      )
      const ended = once(child, 'close')
      let figures: Figures | undefined
      for await (const line of createInterface({ input: child.stdout })) {
        if (line === 'ready') {
          await begin()
          child.stdin.write('go\n')
        } else if (line.startsWith('{')) figures = JSON.parse(line)
      }
      await ended
      if (!figures) throw new Error('wrk ended without figures: is it installed? Run benchmarks/setup.')
      if (single) next = figures.next
      return sentOf(figures)
    },
  }
}

interface Figures {
  readonly requests: number
  readonly microseconds: number
  readonly p50: number
  readonly p99: number
  /** The number of responses other than 2xx and 3xx. */
  readonly status: number
  readonly broken: number
  readonly next: number
}

function sentOf({ requests, microseconds, p50, p99, status, broken }: Figures): Sent {
  if (status + broken > 0) {
    throw new Error(`of ${requests} requests, ${status} were refused and ${broken} got no response`)
  }
  return { requests, seconds: microseconds / 1e6, p50: p50 / 1e3, p99: p99 / 1e3 }
}
