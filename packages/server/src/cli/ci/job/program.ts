/** Runs a program of the platform. Its arguments contain no secret, because all users of the machine can read them. */
import { execFile } from 'node:child_process'
import type { JobEnvironment } from '../../../config/command-environment.ts'
import { ServiceRefusal } from '../../context.ts'

interface Options {
  readonly job: JobEnvironment
  /** Default: none. */
  readonly input?: string
}

const PATIENCE_MS = 30_000

/** Returns the program's standard output. Throws {@link ServiceRefusal} if it is missing, fails or takes too long. */
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
    // The program may exit without reading its input.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}

/** Quotes standard error, which is about the platform, but not standard output, which may contain the token. */
function failureOf(
  { code, killed }: { code?: string | number | null; killed?: boolean },
  stderr: string,
): string {
  if (code === 'ENOENT') return 'cannot be started, because it is not installed.'
  if (killed) return `did not finish within ${PATIENCE_MS / 1000} seconds.`
  const said = stderr.trim().split('\n').at(-1)?.slice(0, 300) ?? ''
  return `failed (${code ?? 'killed by a signal'})${said === '' ? '.' : `: ${said}`}`
}
