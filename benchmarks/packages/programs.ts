/** The programs that measure our packages and those of others; `benchmarks/setup` builds what is not JavaScript. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { onCores, SERVER_CORE } from '../harness/cores.ts'
import type { Rates } from './rates.ts'

export interface Program {
  readonly name: string
  readonly words: readonly string[]
  /** How many times its rate ours should be. */
  readonly mark: number
}

const HERE = import.meta.dirname
const INSTALLED = join(HERE, '..')
const node = (file: string) => [process.execPath, '--disable-warning=ExperimentalWarning', join(HERE, file)]

export const OURS = { name: 'ours', words: node('ours.ts') }

export const PEERS: readonly Program[] = [
  { name: 'npm macaroon', mark: 5, words: node('npm-macaroon.ts') },
  {
    ...{ name: 'pymacaroons', mark: 5 },
    words: [join(INSTALLED, '.venv/bin/python'), join(HERE, 'pymacaroons_rates.py')],
  },
  { name: 'Go macaroon.v2', mark: 1, words: [join(INSTALLED, '.bin/macaroon-go')] },
  { name: 'snapd asserts', mark: 1, words: [join(INSTALLED, '.bin/asserts-go')] },
]

/**
 * Runs it on the server core: `file` has the inputs, each work takes `seconds` of CPU time, and `works` are those wanted
 * (all). Throws an Error if it fails or is not installed.
 */
export async function ratesOf(
  { name, words }: Pick<Program, 'name' | 'words'>,
  {
    file,
    seconds,
    works,
  }: { readonly file: string; readonly seconds: number; readonly works?: readonly string[] },
): Promise<Rates> {
  if (!existsSync(words[0] ?? '')) throw new Error(`${name} is not installed: run benchmarks/setup.`)
  const wanted = works ? [works.join('|')] : []
  const [program, args] = onCores(SERVER_CORE, [...words, file, String(seconds), ...wanted])
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, GOMAXPROCS: '1' },
  })
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  if (code !== 0) throw new Error(`${name} ended with ${code}`)
  return JSON.parse(output)
}
