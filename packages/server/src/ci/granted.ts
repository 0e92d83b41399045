/** Decides how much of a rule's grants a request gets: all, unless it asks for less (contract/oidc.md, A10, A11). */
import { MAX_ATTENUATION_BYTES } from '@ratafia/api'
import {
  type Attenuations,
  ConditionError,
  intersectAttenuations,
  PatternBudget,
  UNRESTRICTED,
} from '@ratafia/macaroon/conditions'
import { RequestError } from '../errors.ts'
import type { PackageReference } from '../package-directory/resolve.ts'
import { extraCaveat } from '../tokens/wanted-limits.ts'
import type { ExchangeRequest } from './exchange-request.ts'
import { ExchangeRefusal } from './refusal.ts'
import type { Grants, Rule } from './rules/rule.ts'

export interface Granted {
  readonly permissions: readonly string[]
  readonly limits: Attenuations
  /** The caveat with the same limits. */
  readonly extra: string
  /** The token's lifetime in milliseconds. */
  readonly lifetime: number
}

export interface GrantedDeps {
  readonly snapIds: (packages: readonly PackageReference[]) => Promise<readonly string[]>
  /** The value of RATAFIA_CI_MAX_LIFETIME in milliseconds, which can be shorter now than when the rule was created. */
  readonly mostLifetime: number
}

type Asked = Pick<ExchangeRequest, 'permissions' | 'packages' | 'channels' | 'lifetime'>

/** Throws {@link ExchangeRefusal} `wider-than-rule` and {@link RequestError} `limit-exceeded`. */
export async function grantedOf(asked: Asked, rule: Rule, deps: GrantedDeps): Promise<Granted> {
  const { grants } = rule
  const lifetime = lifetimeOf(asked, Math.min(rule.lifetime, deps.mostLifetime))
  const permissions = within('scope', asked.permissions, grants.permissions)
  const packages = await packagesOf(asked, grants, deps)
  const channels = channelsOf(asked, grants)
  const { storeIds } = grants
  const limits = { permissions, channels, packages, storeIds }
  const extra = extraCaveat(limits)
  if (extra !== undefined) return { permissions, limits, extra, lifetime }
  throw new RequestError(
    'limit-exceeded',
    `scope, packages and channels together have over ${MAX_ATTENUATION_BYTES} bytes. Request fewer.`,
  )
}

/** The message does not reveal what the rule would grant. */
const wider = (name: string) =>
  new ExchangeRefusal(
    'wider-than-rule',
    `"${name}" requests more than this job is granted. Request less, or leave it out.`,
  )

function lifetimeOf({ lifetime: asked }: Asked, most: number): number {
  if (asked === undefined || asked <= most) return asked ?? most
  throw new ExchangeRefusal('wider-than-rule', wider('lifetime').message, { code: 'invalid-request' })
}

function within(name: string, asked: readonly string[] | undefined, granted: readonly string[]) {
  if (asked?.every((one) => granted.includes(one)) ?? true) return asked ?? granted
  throw wider(name)
}

/** Refuses an unknown package like one that the rule does not grant. */
async function packagesOf(
  { packages: asked }: Asked,
  { packages: granted }: Grants,
  { snapIds }: GrantedDeps,
): Promise<readonly string[]> {
  if (asked === undefined) return granted
  const ids = asked.filter((one) => granted.includes(one))
  const names = asked.filter((one) => !granted.includes(one))
  if (names.length === 0) return ids
  try {
    return [
      ...new Set([...ids, ...within('packages', await snapIds(names.map((name) => ({ name }))), granted)]),
    ]
  } catch (error) {
    throw error instanceof RequestError ? wider('packages') : error
  }
}

function channelsOf({ channels: asked }: Asked, { channels: granted }: Grants): readonly string[] | null {
  if (asked === undefined) return granted
  const ofBoth = common({ channels: granted }, { channels: asked })
  if (asked.every((one) => ofBoth?.includes(one))) return asked
  throw wider('channels')
}

type Channels = Pick<Grants, 'channels'>

function common(granted: Channels, asked: Channels): readonly string[] | null {
  try {
    return intersectAttenuations(
      { ...UNRESTRICTED, ...granted },
      { ...UNRESTRICTED, ...asked },
      new PatternBudget(),
    ).channels
  } catch (error) {
    if (!(error instanceof ConditionError)) throw error
    throw new RequestError('limit-exceeded', `channels: ${error.message}.`)
  }
}
