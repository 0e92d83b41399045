/**
 * Repeats work without requests in its own process, to measure the least that a request must do. The process reads a
 * line with `SECONDS` and prints its figures. This module is both the parent and the child.
 */
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { type Running, startProcess } from '../services/process.ts'
import { SERVER_CORE } from './cores.ts'
import type { Contender, Load, Sent } from './rounds.ts'
import { percentile } from './statistics.ts'

/** Repeats `work`, `clients` at a time, whenever the parent asks. Ends when its standard input ends. */
export async function repeatOnDemand(clients: number, work: () => unknown): Promise<void> {
  process.stdout.write('ready\n')
  for await (const line of createInterface({ input: process.stdin })) {
    process.stdout.write(`${JSON.stringify(await repeat(clients, work, Number(line)))}\n`)
  }
}

async function repeat(clients: number, work: () => unknown, seconds: number): Promise<Sent> {
  const times: number[] = []
  const began = performance.now()
  const client = async () => {
    for (let now = performance.now(); now - began < seconds * 1_000; ) {
      await work()
      const after = performance.now()
      times.push(after - now)
      now = after
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return {
    ...{ requests: times.length, seconds: (performance.now() - began) / 1_000 },
    ...{ p50: percentile(times, 0.5), p99: percentile(times, 0.99) },
  }
}

/** Starts a program that calls `repeatOnDemand`, on the server core. */
export async function startRepetitions(
  name: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Contender & Pick<Running, 'stop'>> {
  const running = await startProcess({
    words: [process.execPath, ...words],
    cores: SERVER_CORE,
    environment,
    ready: /^ready$/,
  })
  return { name, load: asking(running), pids: () => [running.pid], stop: running.stop }
}

function asking({ child, errors }: Running): Load {
  return {
    async run(seconds, begin) {
      await begin()
      child.stdin?.write(`${seconds}\n`)
      let text = ''
      while (!text.endsWith('\n')) {
        if (!child.stdout || child.exitCode !== null) throw new Error(`the process ended: ${errors()}`)
        const [chunk] = await once(child.stdout, 'data')
        text += chunk
      }
      return JSON.parse(text)
    },
  }
}
