/** `--match` of `ratafia publishers add`: what a rule demands of each claim. */
import { UsageError } from '../context.ts'
import { harmless } from '../terminal/harmless.ts'

/**
 * `claim=text`, or `claim:=JSON` for `true`, `7`, `{"glob": "…"}`, `{"fold": "…"}` and `{"any_of": […]}`. Throws
 * {@link UsageError}.
 */
export function readMatchOptions(given: readonly string[]): Readonly<Record<string, unknown>> {
  const match = new Map<string, unknown>()
  for (const text of given) {
    const [, claim = '', json, value = ''] = /^([^=]*?)(:?)=([\s\S]*)$/.exec(text) ?? []
    if (claim === '') {
      throw new UsageError(`--match ${shown(text)} is neither claim=text nor claim:=JSON.`)
    }
    if (match.has(claim)) {
      throw new UsageError(
        `--match names ${shown(claim)} twice. For either of two texts, give :={"any_of":["one","two"]}.`,
      )
    }
    match.set(claim, json === ':' ? parsed(value, text) : value)
  }
  return Object.fromEntries(match)
}

function parsed(json: string, text: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw new UsageError(`--match ${shown(text)}: what follows := is not JSON.`)
  }
}

const shown = (text: string): string => harmless(text.length > 80 ? `${text.slice(0, 80)}…` : text)
