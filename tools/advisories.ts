/**
 * Asks the npm registry for advisories on the packages in package-lock.json: `npm run check:advisories`. Fails if a
 * shipped package has one. Many mirrors do not serve advisories; then nothing is checked, and the output reports this.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

export interface Outcome {
  readonly failed: boolean
  readonly lines: readonly string[]
}

interface Vulnerability {
  readonly name: string
  readonly severity: string
  readonly range: string
  readonly via: readonly (string | { readonly title: string; readonly url: string })[]
}

/** Reads two outputs of `npm audit --json`: of all packages, and without development dependencies (`shipped`). */
export function readAudit(printed: string, shipped: string): Outcome {
  const audit = parsed(printed)
  if (audit.vulnerabilities === undefined) {
    const reason = typeof audit.message === 'string' ? audit.message : 'npm audit did not print a report'
    return { failed: false, lines: [`Advisories are unchecked: ${reason}.`] }
  }
  const affected = Object.values(audit.vulnerabilities)
  if (affected.length === 0) return { failed: false, lines: ['No advisories.'] }
  // If the second output has no answer, any package may be shipped.
  const names = new Set(Object.keys(parsed(shipped).vulnerabilities ?? audit.vulnerabilities))
  return {
    failed: affected.some(({ name }) => names.has(name)),
    lines: affected.map((one) => {
      const use = names.has(one.name) ? 'shipped' : 'development only'
      return `${one.severity}, ${use}: ${one.name} ${one.range}: ${one.via.map(described).join('; ')}`
    }),
  }
}

const described = (via: Vulnerability['via'][number]): string =>
  typeof via === 'string' ? `through ${via}` : `${via.title} ${via.url}`

function parsed(text: string): {
  readonly message?: unknown
  readonly vulnerabilities?: Readonly<Record<string, Vulnerability>>
} {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

function audit(...options: readonly string[]): string {
  const cwd = join(import.meta.dirname, '..')
  // The exit code is 1 both for advisories and for an unreachable registry, so only the output counts.
  return spawnSync('npm', ['audit', '--json', ...options], { cwd, encoding: 'utf8' }).stdout
}

if (import.meta.main) {
  const { failed, lines } = readAudit(audit(), audit('--omit=dev'))
  process.stdout.write(`${lines.join('\n')}\n`)
  process.exitCode = failed ? 1 : 0
}
