/** Finds the worker processes of a running program, and sends requests over kept-alive connections. */
import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { eventually } from './eventually.ts'
import type { RunningProgram } from './program.ts'

interface Line {
  readonly msg: string
  readonly worker?: number
  readonly exitCode?: number
}

/** Returns the lines of the log with this message. */
export const logged = (program: RunningProgram, message: string): readonly Line[] =>
  program
    .stderr()
    .split('\n')
    // The last line may be incomplete.
    .slice(0, -1)
    .filter((line) => line.includes(`"msg":"${message}"`))
    .map((line) => JSON.parse(line) as Line)

/** Returns the process ids of the listening workers. */
export function workersOf(program: RunningProgram): readonly number[] {
  const died = new Set(logged(program, 'a worker died and will be replaced').map(({ worker }) => worker))
  return logged(program, 'a worker is listening')
    .map(({ worker }) => worker ?? assert.fail('a worker without an id'))
    .filter((pid) => !died.has(pid))
}

/** Waits until the log shows `count` live workers, and returns their process ids. */
export const crewOf = (program: RunningProgram, count = 2) =>
  eventually(`there are ${count} workers`, () => {
    const pids = workersOf(program)
    return pids.length === count ? pids : undefined
  })

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** The result of a request: its status, or the error of the connection. */
export interface Outcome {
  readonly status?: number
  readonly body?: string
  readonly error?: string
  /** Whether its connection had already served another request. */
  readonly reused: boolean
}

export interface RequestOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly agent?: Agent
}

/** Sends a request. Never rejects. Without an agent, it uses a new connection. */
export function send(url: string, options: RequestOptions = {}): Promise<Outcome> {
  const { method = 'GET', headers = {}, body, agent = false } = options
  return new Promise((resolve) => {
    const sent = request(url, { method, headers: { ...headers }, agent }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      const reused = sent.reusedSocket
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text, reused }))
      response.on('error', (error) => resolve({ error: codeOf(error), reused }))
    })
    sent.on('error', (error) => resolve({ error: codeOf(error), reused: sent.reusedSocket }))
    sent.end(body)
  })
}

const codeOf = (error: NodeJS.ErrnoException) => error.code ?? error.message

/** Returns an agent that reuses its connections. */
export const keepAlive = (connections: number) => new Agent({ keepAlive: true, maxSockets: connections })
