export { ATTENUATION_LIMITS, type Attenuations, permits, UNRESTRICTED, type Use } from './attenuations.ts'
export {
  type Checker,
  type Checkers,
  checkConditions,
  STANDARD_CHECKERS,
  type StandardContext,
  TOKEN_CHECKERS,
} from './check-conditions.ts'
export {
  checkDeclared,
  declaredValues,
  formatDeclared,
  formatNeedDeclared,
  type NeedDeclared,
  parseDeclared,
  parseNeedDeclared,
} from './declared.ts'
export { ConditionError, type ConditionErrorCode, type ConditionErrorDetails } from './errors.ts'
export { formatExtra, parseExtra } from './extra.ts'
export { effectiveAttenuations, intersectAttenuations } from './intersect.ts'
export { includesPattern, matchesPattern, PatternBudget } from './pattern-includes.ts'
export { formatSessionId, parseSessionId } from './session-id.ts'
export { type SplitCondition, splitCondition } from './split-condition.ts'
export {
  checkTimeBefore,
  checkTimeSince,
  earliestTimeBefore,
  formatTimeBefore,
  formatTimeSince,
  latestTimeSince,
} from './time.ts'
export { formatTimestamp, parseTimestamp } from './timestamp.ts'
