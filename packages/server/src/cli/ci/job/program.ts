/** Runs a program of the platform. Everybody on the machine can read its arguments, so they have no secret. */
import { execFile } from 'node:child_process'
import type { JobEnvironment } from '../../../config/job-environment.ts'
import { ServiceRefusal } from '../../context.ts'

interface Options {
  readonly job: JobEnvironment
  /** Default: none. */
  readonly input?: string
}

const PATIENCE_MS = 30_000

/** What it writes to standard output. Throws {@link ServiceRefusal} if it is not there, fails or takes too long. */
export function runProgram(
  name: string,
  words: readonly string[],
  { job, input = '' }: Options,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env: job.whole, timeout: PATIENCE_MS, encoding: 'utf8' } as const
    const child = execFile(name, words, options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout)
      reject(new ServiceRefusal(`${name} ${words.slice(0, 3).join(' ')} ${failureOf(error, stderr)}`))
    })
    // It may end without reading.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}

/** Standard error is about the platform. Standard output has the token, so it is left out. */
function failureOf(
  { code, killed }: { code?: string | number | null; killed?: boolean },
  stderr: string,
): string {
  if (code === 'ENOENT') return 'cannot be started, because it is not installed.'
  if (killed) return `did not end within ${PATIENCE_MS / 1000} seconds.`
  const said = stderr.trim().split('\n').at(-1)?.slice(0, 300) ?? ''
  return `fails (${code ?? 'ended by a signal'})${said === '' ? '.' : `: ${said}`}`
}
