/** Adds an issuer of ID tokens, with its current keys or given ones (contract/oidc.md, A4, A18). */
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
  /** A JSON Web Key Set with the issuer's keys, which are then not fetched. */
  readonly jwks?: string | undefined
  readonly authority: Authority
}

export interface AddedIssuer {
  readonly issuer: Issuer
  readonly keys: IssuerKeys
  /** The URL that the keys were fetched from; undefined if they were given. */
  readonly jwksUri: string | undefined
  /** Sentences about the risks that the operator accepts. */
  readonly warnings: readonly string[]
}

/**
 * Adds an issuer. Only operators can. Throws `permission-denied`; `invalid-field` for an invalid issuer, or one that
 * exists; `Unavailable` if its documents cannot be fetched.
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
    // Leaves out the cause, which would look like a database error.
    if (error instanceof Unavailable) throw new Unavailable(`${error.message} ${ADVICE}`)
    throw error
  }
}

const ADVICE = 'No issuer was added. If the service cannot reach it, give its keys in a file: --jwks FILE.'

/** Returns the details, with the names of the options. */
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
      `Its ID tokens are for the audience ${audience}, not only for this service: anyone else who receives one from a job can use it here.`,
    audience === null &&
      kind === 'azure-devops' &&
      `${title} writes the same audience into every ID token. Without --audience api://AzureADTokenExchange, each is refused.`,
    url.startsWith('http:') &&
      'Its keys come over http from this machine: any program that listens on that port can sign ID tokens.',
    namesCanBeReused &&
      'Its rules may match only names: if a name becomes free, anyone who registers it gets what the rule grants.',
    keys.length === 0 &&
      'It has no key yet that can verify ID tokens. Each is refused until it publishes one.',
    leftOutText(leftOut),
  ].filter((warning) => typeof warning === 'string')
}

const alreadyThere = ({ url }: Issuer) =>
  invalidField(
    `There is already an issuer ${url}. To change it, remove it first, which also removes its rules.`,
    { field: 'url' },
  )
