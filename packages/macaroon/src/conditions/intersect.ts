import { type Attenuations, UNRESTRICTED } from './attenuations.ts'
import { parseExtra } from './extra.ts'
import { parsePattern } from './pattern.ts'
import { absorbs, PatternBudget } from './pattern-includes.ts'

/**
 * What both `a` and `b` permit. Never wider than either; for two channel patterns of which neither includes the other
 * it is narrower than it could be: the overlap of `*\/edge` and `2.*` is left out. An empty list in the result permits
 * nothing. Throws {@link ConditionError} `limit-exceeded` when comparing the channels would take too long.
 */
export function intersectAttenuations(a: Attenuations, b: Attenuations): Attenuations {
  return intersect(a, b, new PatternBudget())
}

/**
 * What a set of conditions permits: the intersection of all its `extra` conditions, unrestricted when there is none.
 * Throws {@link ConditionError} `malformed-condition` or `limit-exceeded`.
 */
export function effectiveAttenuations(conditions: Iterable<string>): Attenuations {
  const budget = new PatternBudget()
  let effective = UNRESTRICTED
  for (const condition of conditions) {
    if (condition !== 'extra' && !condition.startsWith('extra ')) continue
    effective = intersect(effective, parseExtra(condition.slice('extra '.length)), budget)
  }
  return effective
}

function intersect(a: Attenuations, b: Attenuations, budget: PatternBudget): Attenuations {
  return {
    channels: intersectWith(a.channels, b.channels, (x, y) => commonChannels(x, y, budget)),
    packages: intersectWith(a.packages, b.packages, commonItems),
    permissions: intersectWith(a.permissions, b.permissions, commonItems),
    storeIds: intersectWith(a.storeIds, b.storeIds, commonItems),
  }
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

/** The patterns of either list that one pattern of the other list includes. */
function commonChannels(a: List, b: List, budget: PatternBudget): List {
  const inA = a.map(parsePattern)
  const inB = b.map(parsePattern)
  const within = (list: List, parsed: typeof inA, others: typeof inA, same: List): List =>
    list.filter((text, i) => {
      if (same.includes(text)) return true
      budget.spend(others.length)
      return others.some((other) => absorbs(other, parsed[i] ?? [], budget))
    })
  return [...new Set([...within(a, inA, inB, b), ...within(b, inB, inA, a)])]
}
