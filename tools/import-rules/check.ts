import { RULES } from './rules.ts'
import { readTree } from './tree.ts'

export interface Report {
  /** The number of checked files. */
  readonly files: number
  /** A string for each finding: the place, the violation, the rule with its sentence, the advice. Sorted by file. */
  readonly findings: readonly string[]
}

/** Checks the tree at `root` (absolute). Throws an Error if it has a package that the rules do not know. */
export function check(root: string, rules = RULES): Report {
  const tree = readTree(root)
  const findings = rules.flatMap(({ name, sentence, advice, find }) =>
    [...find(tree)].map(
      ({ path, line, what }) => `${path}:${line}: ${what}\n  ${name}: "${sentence}"\n  ${advice}`,
    ),
  )
  return { files: tree.files.length + tree.tools.length, findings: findings.sort() }
}
