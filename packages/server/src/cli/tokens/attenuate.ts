/** `ratafia tokens attenuate`: prints a narrower copy of a token, without a request to any service. */
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
import { extraCaveat } from '../../tokens/wanted-limits.ts'
import { type CommandContext, ServiceRefusal, UsageError } from '../context.ts'
import { conditionsOf, readCredential } from '../login/read-credential.ts'
import { readAhead } from '../option-values.ts'
import { type HeldToken, heldToken, textOfHeld } from './held-token.ts'
import type { LimitOptions } from './limit-options.ts'
import { type RoleOptions, roleCaveat, wantedRoles } from './narrow-roles.ts'
import { wantedLimits } from './read-limit-options.ts'

export interface AttenuateOptions extends LimitOptions, RoleOptions {
  readonly until?: string
}

/** Prints the narrower token. Throws `UsageError`, `FileError`, {@link ServiceRefusal}. */
export async function attenuate(
  from: string,
  options: AttenuateOptions,
  context: CommandContext,
): Promise<void> {
  const wanted = { limits: wantedLimits(options), roles: wantedRoles(options) }
  const until = readAhead('--until', options.until, systemClock())
  if (!wanted.limits && !wanted.roles && !until) {
    throw new UsageError(
      'Pass at least one limit: --until; --permission, --channel, --package or --store; or, for a management token, --role, --brand or --read-only.',
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
        ? 'This is a management token, which has no permissions, channels, packages or stores. Limit it with --role, --brand, --read-only and --until.'
        : 'This is a developer token, which has no roles. Limit it with --permission, --channel, --package, --store and --until.',
    )
  }
  return readable(() => {
    if (until) requireEarlier(until, earliestTimeBefore(conditions))
    if (limits) {
      // The limits of an agent are in its discharge.
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
    // Throws if the token is larger than a service accepts.
    decodeBinary(encodeBinary(result))
    return result
  })
}

function requireEarlier(until: Date, end: Date | undefined): void {
  if (end === undefined || until < end) return
  throw new ServiceRefusal(`The token already expires at ${end.toISOString()}. A holder can only shorten it.`)
}

/** Refuses limits outside the token's own: users would notice only on using the token that they do not get them. */
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
      `--${name} ${JSON.stringify(outside)} is outside the token's limits: ${limit?.join(', ')}. A holder can only narrow a token.`,
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
