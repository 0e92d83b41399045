/** Adds an issuer of ID tokens, with the keys that it has now or those that are given (contract/oidc.md, A4, A18). */
import { randomUUID } from 'node:crypto'
import { type Authority, requireForAll } from '../../authority.ts'
import { invalidField, RequestError, Unavailable } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import { type IssuerKeys, importIssuerKeys, leftOutText } from '../id-token/issuer-keys.ts'
import { checkIssuer, type WantedIssuer } from './check-issuer.ts'
import type { Issuer } from './issuer.ts'
import { type FetchDocument, type FetchedKeys, fetchKeys, givenKeys } from './keys/fetch-keys.ts'
import { KINDS } from './kinds.ts'

export interface AddIssuerInput extends WantedIssuer {
  /** A JSON Web Key Set: the issuer's keys, in place of those that would be fetched. */
  readonly jwks?: string | undefined
  readonly authority: Authority
}

export interface AddedIssuer {
  readonly issuer: Issuer
  readonly keys: IssuerKeys
  /** Where the keys were; undefined where they were given. */
  readonly jwksUri: string | undefined
  /** Sentences about what the operator accepts with it. */
  readonly warnings: readonly string[]
}

/**
 * Issuers belong to operators. Throws `permission-denied`; `invalid-field` for what cannot be an issuer, and for one that is there already; `Unavailable` if its documents
 * cannot be fetched.
 */
export async function addIssuer(
  { jwks, authority, ...wanted }: AddIssuerInput,
  stores: Stores,
): Promise<AddedIssuer> {
  requireForAll(authority, 'roles:manage')
  const createdAt = stores.clock()
  const issuer: Issuer = { id: randomUUID(), ...checkIssuer(wanted), createdAt }
  if (await stores.issuers.findByUrl(issuer.url)) throw alreadyThere(issuer)
  const found = jwks === undefined ? await fetchFirst(issuer, stores.fetchDocument) : givenKeys(jwks)
  const { jwksUri, ...stored }: Partial<FetchedKeys> & typeof found = found
  const keys = await importIssuerKeys(stored)
  if (keys.algorithms.length === 0) {
    throw invalidField('The issuer signs ID tokens only with algorithms that this service does not accept.', {
      field: 'url',
    })
  }
  const inserted = await stores.changeBy(authority.author)(async ({ issuers, issuerKeys, record }) => {
    if (!(await issuers.insert(issuer))) return false
    await issuerKeys.insert(issuer.id, stored, {
      at: createdAt,
      by: jwks === undefined ? 'issuer' : 'operator',
    })
    await record({
      action: 'issuer.add',
      subject: issuer.url,
      details: detailsOf(issuer, jwks !== undefined),
    })
    return true
  })
  if (!inserted) throw alreadyThere(issuer)
  return { issuer, keys, jwksUri, warnings: warningsOf(issuer, keys) }
}

async function fetchFirst(issuer: Issuer, fetchDocument: FetchDocument): Promise<FetchedKeys> {
  try {
    return await fetchKeys(issuer, fetchDocument)
  } catch (error) {
    if (error instanceof RequestError) throw invalidField(`${error.message} ${ADVICE}`, { field: 'url' })
    // Without its cause, which would read as a fault of the database.
    if (error instanceof Unavailable) throw new Unavailable(`${error.message} ${ADVICE}`)
    throw error
  }
}

const ADVICE = 'No issuer was added. If the service cannot reach it, give its keys in a file: --jwks FILE.'

/** Named as the options are. */
function detailsOf({ id, kind, settings }: Issuer, pinned: boolean) {
  return {
    ...{ id, kind, pinned, audience: settings.audience, other_audiences: settings.otherAudiences },
    ...{ private_addresses: settings.privateAddresses, stable_claims: settings.stableClaims },
    names_can_be_reused: settings.namesCanBeReused,
    longest_life_seconds: settings.longestLife / 1000,
  }
}

function warningsOf({ url, kind, settings }: Issuer, { keys, leftOut }: IssuerKeys): readonly string[] {
  const { audience, namesCanBeReused } = settings
  const { title } = KINDS[kind]
  return [
    audience !== null &&
      `Its ID tokens are for the audience ${audience}, not for this service alone: anyone else who gets one from a job can use it here.`,
    audience === null &&
      kind === 'azure-devops' &&
      `${title} writes the same audience into every ID token: without --audience api://AzureADTokenExchange each is refused.`,
    url.startsWith('http:') &&
      'Its keys come over http from this machine: whatever listens on that port can sign ID tokens.',
    namesCanBeReused &&
      'Its rules may match names alone: whoever registers a name again that was given up gets what the rule grants.',
    keys.length === 0 &&
      'It has no key yet that can verify ID tokens: each is refused until it publishes one.',
    leftOutText(leftOut),
  ].filter((warning) => typeof warning === 'string')
}

const alreadyThere = ({ url }: Issuer) =>
  invalidField(
    `There is an issuer ${url} already. Remove it first to change it: that removes its rules, too.`,
    { field: 'url' },
  )
