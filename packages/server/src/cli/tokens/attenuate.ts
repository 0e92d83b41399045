/** `ratafia tokens attenuate`: a narrower copy of a token, made by its holder alone. No service is asked. */
import {
  addFirstPartyCaveat,
  decodeBinary,
  encodeBinary,
  type Macaroon,
  MacaroonError,
} from '@ratafia/macaroon'
import {
  type Attenuations,
  ConditionError,
  earliestTimeBefore,
  effectiveAttenuations,
  formatTimeBefore,
  includesPattern,
} from '@ratafia/macaroon/conditions'
import { systemClock } from '../../clock.ts'
import type { RoleLimits } from '../../grants/manage-caveat.ts'
import { extraCaveat, readLimits } from '../../tokens/wanted-limits.ts'
import { type CommandContext, ServiceRefusal, UsageError } from '../context.ts'
import { readCredential } from '../login/read-credential.ts'
import { readInstant } from '../option-values.ts'
import { conditionsOf, type HeldToken, heldToken, textOfHeld } from './held-token.ts'
import type { LimitOptions } from './limit-options.ts'
import { type RoleOptions, roleCaveat, wantedRoles } from './narrow-roles.ts'

export interface AttenuateOptions extends LimitOptions, RoleOptions {
  readonly until?: string
}

/** Throws `UsageError`, `FileError`, {@link ServiceRefusal}. */
export async function attenuate(
  from: string,
  options: AttenuateOptions,
  context: CommandContext,
): Promise<void> {
  const wanted = { limits: wantedLimits(options), roles: wantedRoles(options) }
  const until = readInstant('--until', options.until, { now: systemClock(), direction: 'ahead' })
  if (!wanted.limits && !wanted.roles && !until) {
    throw new UsageError(
      'Give what to limit the token to: --until; --permission, --channel, --package or --store; or of a management token --role, --brand or --read-only.',
    )
  }
  const held = heldToken(await readCredential(from, context))
  const narrower = narrowed(held, wanted, until)
  context.streams.stdout.write(`${textOfHeld(held, narrower)}\n`)
}

interface Wanted {
  readonly limits: Attenuations | undefined
  readonly roles: RoleLimits | undefined
}

function narrowed(held: HeldToken, { limits, roles }: Wanted, until: Date | undefined): Macaroon {
  const { macaroon, discharge } = held
  const conditions = conditionsOf(macaroon)
  const isManagement = conditions.some((condition) => condition.startsWith('manage '))
  if (isManagement ? limits : roles) {
    throw new ServiceRefusal(
      isManagement
        ? 'This is a management token, which has no permissions, channels, packages or stores: --role, --brand, --read-only and --until limit it.'
        : 'This is a developer token, which has no roles: --permission, --channel, --package, --store and --until limit it.',
    )
  }
  return readable(() => {
    if (until) requireEarlier(until, earliestTimeBefore(conditions))
    if (limits) {
      // What an agent is limited to is in its discharge.
      requireWithin(
        limits,
        effectiveAttenuations([...conditions, ...(discharge ? conditionsOf(discharge) : [])]),
      )
    }
    const more = [
      until && formatTimeBefore(until),
      limits && extraCaveat(limits),
      roles && roleCaveat(roles, conditions),
    ]
    const result = more.filter((one) => one !== undefined).reduce(addFirstPartyCaveat, macaroon)
    // Throws for more than a service takes.
    decodeBinary(encodeBinary(result))
    return result
  })
}

/** Undefined without any. Throws {@link UsageError}. */
function wantedLimits(options: LimitOptions): Attenuations | undefined {
  const { permission, channel, package: packages, store } = options
  const { limits, problems } = readLimits({
    ...{ permissions: permission, channels: channel, packages, storeIds: store },
  })
  const [problem] = problems
  if (problem) throw new UsageError(problem.message)
  return Object.values(limits).every((list) => list === null) ? undefined : limits
}

function requireEarlier(until: Date, end: Date | undefined): void {
  if (end === undefined || until < end) return
  throw new ServiceRefusal(
    `The token ends at ${end.toISOString()} already: nothing that its holder adds makes it last longer.`,
  )
}

/** Limits that leave nothing, or less than was asked for, would be noticed only when the token is used. */
function requireWithin(wanted: Attenuations, has: Attenuations): void {
  const within = (values: readonly string[] | null) => (value: string) => !values || values.includes(value)
  const checks = [
    ['permission', wanted.permissions, has.permissions, within(has.permissions)],
    [
      'channel',
      wanted.channels,
      has.channels,
      (value: string) => !has.channels || has.channels.some((wide) => includesPattern(wide, value)),
    ],
    ['package', wanted.packages, has.packages, within(has.packages)],
    ['store', wanted.storeIds, has.storeIds, within(has.storeIds)],
  ] as const
  for (const [name, values, limit, isWithin] of checks) {
    const outside = values?.find((value) => !isWithin(value))
    if (outside === undefined) continue
    throw new ServiceRefusal(
      `--${name} ${JSON.stringify(outside)} is outside of what the token is limited to: ${limit?.join(', ')}. Nothing that its holder adds makes it wider.`,
    )
  }
}

function readable<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof ConditionError || error instanceof MacaroonError)) throw error
    throw new ServiceRefusal(`The token cannot be narrowed: ${error.message}.`, { cause: error })
  }
}
