// Defines rules, and the most common kind: a limit on the imports and uses of some files.

import type { Place } from './places.ts'
import type { Target, Tree } from './tree.ts'

export interface Finding {
  readonly path: string
  readonly line: number
  /** The violation: `imports packages/…`, `uses process.env`. */
  readonly what: string
}

export interface Rule {
  readonly name: string
  /** The sentence of the design that the rule enforces. */
  readonly sentence: string
  /** The last line of the message: the fix, or what is allowed. */
  readonly advice: string
  find(tree: Tree): Iterable<Finding>
}

export type Who = (place: Place) => boolean
export type What = (target: Target, from: Place, typeOnly: boolean) => boolean

interface Limits {
  readonly name: string
  readonly sentence: string
  readonly advice: string
  readonly who: Who
  /** The only modules of our own that may be imported. Libraries and Node are exempt. Absent: no restriction. */
  readonly may?: readonly What[]
  /** Forbidden imports, of our own modules and of others. */
  readonly mayNot?: readonly What[]
  /** Selects forbidden uses by their name from parse.ts. */
  readonly uses?: (name: string) => boolean
}

/** Returns a rule that limits the imports and uses of the files that `who` selects. */
export function limit({ name, sentence, advice, who, may, mayNot = [], uses = () => false }: Limits): Rule {
  function* find({ files }: Tree): Iterable<Finding> {
    for (const { place, imports, uses: used } of files.filter((file) => who(file.place))) {
      const { path } = place
      for (const { line, target, typeOnly } of imports) {
        const among = (list: readonly What[]) => list.some((what) => what(target, place, typeOnly))
        const unlisted = target.kind === 'ours' && may !== undefined && !among(may)
        if (unlisted || among(mayNot)) {
          yield { path, line, what: `imports ${nameOf(target)}` }
        }
      }
      for (const use of used) if (uses(use.name)) yield { path, line: use.line, what: `uses ${use.name}` }
    }
  }
  return { name, sentence, advice, find }
}

export function nameOf(target: Target): string {
  return target.kind === 'ours' ? target.place.path : target.name
}
