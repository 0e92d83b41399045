import { type Attenuations, UNRESTRICTED } from './attenuations.ts'
import { parseExtra } from './extra.ts'
import { absorbs, type ParsedPattern, PatternBudget } from './pattern-includes.ts'

/**
 * Returns attenuations that permit only what both `a` and `b` permit. They can be narrower than necessary: if neither
 * of two channel patterns includes the other, such as `*\/edge` and `2.*`, their overlap is left out. An empty list
 * in the result permits nothing. Pass the same `budget` for a whole request. Throws {@link ConditionError}
 * `limit-exceeded` if comparing the channels would take too long.
 */
export function intersectAttenuations(
  a: Attenuations,
  b: Attenuations,
  budget: PatternBudget = new PatternBudget(),
): Attenuations {
  return {
    channels: intersectWith(a.channels, b.channels, (x, y) => commonChannels(x, y, budget)),
    packages: intersectWith(a.packages, b.packages, commonItems),
    permissions: intersectWith(a.permissions, b.permissions, commonItems),
    storeIds: intersectWith(a.storeIds, b.storeIds, commonItems),
  }
}

/**
 * Returns the intersection of all `extra` conditions in a set; unrestricted if there are none. Pass the same `budget`
 * for all sets of a request. Throws {@link ConditionError} `malformed-condition` or `limit-exceeded`.
 */
export function effectiveAttenuations(
  conditions: Iterable<string>,
  budget: PatternBudget = new PatternBudget(),
): Attenuations {
  let effective = UNRESTRICTED
  for (const condition of conditions) {
    if (condition !== 'extra' && !condition.startsWith('extra ')) continue
    effective = intersectAttenuations(effective, parseExtra(condition.slice('extra '.length)), budget)
  }
  return effective
}

type List = readonly string[]

function intersectWith(a: List | null, b: List | null, common: (a: List, b: List) => List): List | null {
  if (a === null) return b
  return b === null ? a : common(a, b)
}

function commonItems(a: List, b: List): List {
  const inB = new Set(b)
  return a.filter((item) => inB.has(item))
}

/** Returns the patterns of either list that a pattern of the other list includes. */
function commonChannels(a: List, b: List, budget: PatternBudget): List {
  const inA = comparable(a, budget)
  const inB = comparable(b, budget)
  return [...new Set([...within(inA, inB, budget), ...within(inB, inA, budget)])]
}

interface Comparable {
  readonly patterns: readonly ParsedPattern[]
  readonly texts: ReadonlySet<string>
  /** The text of each pattern without wildcards. Long lists mostly consist of these, and a single look-up finds any. */
  readonly literals: ReadonlySet<string>
  readonly wildcards: readonly ParsedPattern[]
}

function comparable(list: List, budget: PatternBudget): Comparable {
  const patterns = list.map((text) => budget.parse(text))
  return {
    patterns,
    texts: new Set(list),
    literals: new Set(patterns.filter(({ isLiteral }) => isLiteral).map(({ start }) => start)),
    wildcards: patterns.filter(({ isLiteral }) => !isLiteral),
  }
}

function within({ patterns }: Comparable, others: Comparable, budget: PatternBudget): List {
  const included = ({ text, tokens, start, isLiteral }: ParsedPattern): boolean => {
    if (others.texts.has(text) || (isLiteral && others.literals.has(start))) return true
    budget.spend(others.wildcards.length)
    return others.wildcards.some(
      (other) => start.startsWith(other.start) && absorbs(other.tokens, tokens, budget),
    )
  }
  return patterns.filter(included).map(({ text }) => text)
}
