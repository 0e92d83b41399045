/** Reads the options that limit a token. Apart from their declaration, because that is loaded for every help text. */
import type { Attenuations } from '@ratafia/macaroon/conditions'
import { readLimits } from '../../tokens/wanted-limits.ts'
import { UsageError } from '../context.ts'
import type { LimitOptions } from './limit-options.ts'

/** Returns the limits, or undefined without any. Throws {@link UsageError}. */
export function wantedLimits(options: LimitOptions): Attenuations | undefined {
  const { permission, channel, package: packages, store } = options
  const { limits, problems } = readLimits({
    ...{ permissions: permission, channels: channel, packages, storeIds: store },
  })
  const [problem] = problems
  if (problem) throw new UsageError(problem.message)
  return Object.values(limits).every((list) => list === null) ? undefined : limits
}
