/** Opens a device session, or refreshes one (contract/devices.md, decisions 5 to 8). */

import { createHash } from 'node:crypto'
import { newDeviceSessionId } from '@ratafia/api'
import type { Recognised } from '../../brands/trust/recognised.ts'
import { deviceKeyActor } from '../../change.ts'
import type { Tally } from '../../counting/tally.ts'
import { deviceRefused, RequestError } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import { isProven, lookForClones, quarantine } from '../clones/look-for-clones.ts'
import type { Caller } from '../device.ts'
import { retryLostRaces, won } from '../lost-race.ts'
import { openNonce, staleNonce } from '../nonce.ts'
import {
  checkSessionRequest,
  type DeviceAssertions,
  readSessionRequest,
  repeatedText,
  type SessionRequest,
  type SessionTexts,
} from './check-session-request.ts'
import { type DeviceSession, type FoundSession, whyNoSession } from './device-session.ts'
import { holderForSession } from './holder-for-session.ts'
import { type PresentedSession, readSession } from './presented-session.ts'
import { type ClearedSession, mintSession } from './session-macaroon.ts'

/** Checks whether the session to refresh is ours, and the device's own (contract/devices.md 1.3 and 1.6). */
interface PreviousDeps extends Stores {
  /** `ignore` after the keys were lost: a session that this service can't know then counts as absent. */
  readonly unknownSessions: 'refuse' | 'ignore'
}

/**
 * Returns the session that this device presents; it can be expired. Returns undefined if it is unknown and the setting
 * ignores that. Throws `invalid-device-session`; always for a session of ours that belongs to another device.
 */
async function checkPrevious(
  presented: PresentedSession,
  device: Pick<ClearedSession, 'brandId' | 'model' | 'serial' | 'deviceKeyId'>,
  { keyring, unknownSessions }: PreviousDeps,
): Promise<ClearedSession | undefined> {
  const read = await readSession(presented, keyring)
  if ('unknown' in read) {
    if (unknownSessions === 'ignore') return undefined
    throw invalid(`${read.unknown} Ask the operator of this service.`)
  }
  if ('refused' in read) throw invalid(read.refused)
  const same = (['brandId', 'model', 'serial', 'deviceKeyId'] as const).every(
    (name) => read.cleared[name] === device[name],
  )
  if (!same) throw invalid('It is the session of another device.')
  return read.cleared
}

const invalid = (why: string): RequestError =>
  new RequestError('invalid-device-session', `X-Device-Authorization is not valid: ${why}`)

export interface OpenSessionDeps extends Stores, PreviousDeps {
  readonly recognised: Recognised<DeviceAssertions>
  readonly tally: Tally
  /** The lifetime of sessions in milliseconds. */
  readonly sessionLifetime: number
  /** The host of the base URL. */
  readonly location: string
}

export interface SessionInput extends SessionTexts {
  /** The session to refresh, if the request presents one. */
  readonly previous: PresentedSession | undefined
  readonly caller: Caller
}

/** Each lost attempt means that another request succeeded. */
const ATTEMPTS = 10

/**
 * Throws `invalid-assertion`, `invalid-nonce`, `invalid-device-session` or `device-refused`. A refused request doesn't
 * use up its nonce.
 */
export async function openSession(
  input: SessionInput,
  deps: OpenSessionDeps,
): Promise<{ readonly macaroon: string }> {
  const repeated = repeatedText(input)
  const known = deps.recognised.find(repeated)
  const unverified = readSessionRequest(input, known)
  const nonce = await openNonce('nonce', unverified.request.fields.nonce, deps)
  const use = {
    deviceKeyId: unverified.serial.fields.deviceKeyId,
    nonceHash: nonce.hash,
    requestHash: hashRequest(input, input.previous),
  }
  try {
    if (nonce.expired) throw staleNonce('nonce', 'expired')
    const request = await checkSessionRequest(unverified, deps)
    if (!known) deps.recognised.keep(repeated, { serial: unverified.serial, model: unverified.model })
    const previous = input.previous && (await checkPrevious(input.previous, request.serial.fields, deps))
    const session = await openNew({ ...request, ...use, previous, caller: input.caller }, deps)
    return await answer(session, deps)
  } catch (error) {
    // If the nonce already opened a session, that answer takes precedence over any problem with the request.
    // A good request needs no look-up: a used nonce opens nothing.
    const opened = error instanceof RequestError && (await findOpened(use, deps))
    if (opened) return answer(opened, deps)
    throw error
  }
}

async function openNew(opening: Opening, deps: OpenSessionDeps): Promise<FoundSession> {
  const opened = await retryLostRaces(ATTEMPTS, async (attempt) => {
    const faster = attempt > 0 ? await findOpened(opening, deps) : undefined
    if (faster) return faster
    const found = await open(opening, deps)
    if (!('refused' in found)) tallyOpened(found, deps)
    return found
  })
  if (!opened) throw deviceRefused('The device keeps changing. Try again.')
  if ('refused' in opened) throw deviceRefused(opened.refused)
  return opened
}

function tallyOpened({ session, device }: FoundSession, { tally }: Pick<OpenSessionDeps, 'tally'>): void {
  tally.add('device-sessions', session.previousId === null ? 'opened' : 'refreshed', device.brandId)
}

interface Opening extends SessionRequest, NonceUse, Pick<DeviceSession, 'caller'> {
  readonly previous: ClearedSession | undefined
}

/**
 * Reads, decides and stores. Storing depends on what was read: the loser of a race throws `LostRace`. Usually
 * it stores only the session, alone or with one sighting, which needs no transaction.
 */
async function open(
  opening: Opening,
  deps: OpenSessionDeps,
): Promise<FoundSession | { readonly refused: string }> {
  const { serial, model, caller, nonceHash, requestHash } = opening
  const at = deps.clock()
  const previousId = opening.previous?.sessionId
  const found = await deps.deviceSessions.findHolder(serial.fields, { previous: previousId, at })
  const { device, enter } = await holderForSession({ serial, own: found?.device, at }, deps)
  const sessions = found?.sessions ?? []
  // A new chain begins if the database no longer has the session (it is old, or a backup was restored), or if
  // the session belongs to another row of the device's key.
  const previous = sessions.find(({ id }) => id === previousId)
  const store = model.fields.store || null
  const sightings = await lookForClones({ device, previous, sessions, store, at, caller }, deps)
  const { id: macaroonId } = await deps.keyring.mintId('device-session')
  const id = newDeviceSessionId(at)
  const session: DeviceSession = {
    id,
    deviceId: device.id,
    bucket: device.bucket,
    chainId: previous?.chainId ?? id,
    previousId: previous?.id ?? null,
    nonceHash,
    requestHash,
    macaroonId,
    store,
    openedAt: at,
    expiresAt: new Date(at.getTime() + deps.sessionLifetime),
    caller,
  }
  const quarantined =
    isProven(sightings) && (await deps.models.find(device))?.policy.quarantineClones === true
  if (!enter && !quarantined && sightings.length < 2) {
    const [seen] = sightings
    won(
      seen
        ? (await deps.deviceSessions.addSeen(session, seen)) !== undefined
        : await deps.deviceSessions.add(session),
    )
    return { session, device }
  }
  // A quarantine doesn't depend on the nonce.
  const opened = quarantined ? await findOpened(opening, deps) : undefined
  if (opened) return opened
  const author = { actor: deviceKeyActor(serial.fields.deviceKeyId), source: caller.address }
  return deps.changeBy(author)(async (on) => {
    await enter?.(on)
    if (quarantined) await quarantine(device, { sightings, at }, on)
    else won(await on.deviceSessions.add(session))
    for (const sighting of sightings)
      await on.clones.record({ ...sighting, deviceId: device.id, bucket: device.bucket, at })
    if (!quarantined) return { session, device }
    // Throwing here would roll back the evidence.
    return { refused: whyNoSession({ ...device, quarantinedAt: at }) ?? '' }
  })
}

/** Builds the answer from the stored session, so that a repeated request gets the same text. */
async function answer(
  { session, device }: FoundSession,
  { keyring, location }: Pick<OpenSessionDeps, 'keyring' | 'location'>,
): Promise<{ readonly macaroon: string }> {
  const minted = await keyring.resolve(session.macaroonId)
  // Keys are only ever added.
  if (!minted) throw new Error(`the root key of session ${session.id} is gone`)
  const { id: sessionId, macaroonId, openedAt: since, expiresAt: until } = session
  const facts = { ...device, store: session.store ?? undefined, since, until, sessionId }
  return { macaroon: mintSession(facts, { id: macaroonId, rootKey: minted.rootKey, location }) }
}

interface NonceUse extends Pick<DeviceSession, 'nonceHash' | 'requestHash'> {
  /** The device key's id, which is not verified yet. */
  readonly deviceKeyId: string
}

/** How long the same request gets the same answer. */
const RETRY_MS = 60_000

/** Hashes everything that was sent, each part with its length, to recognise a repeated request. */
function hashRequest(
  { serial, request, model }: SessionTexts,
  previous: PresentedSession | undefined,
): Uint8Array {
  const shown = previous && ('macaroon' in previous ? Buffer.from(previous.macaroon.signature) : 'unreadable')
  const parts = [serial, request, model ?? null, shown?.toString('base64url') ?? null]
  return createHash('sha256').update(JSON.stringify(parts)).digest()
}

/**
 * A nonce opens one session of a device key. The same request, repeated within a minute, gets the same session again,
 * because the first answer may have been lost (contract/devices.md, decision 5); any other second use is refused. If
 * requests of one key race with one nonce, the unique constraint on `nonce_hash` and `bucket` decides.
 *
 * Returns the session that this request has already opened; undefined for an unused nonce. Throws `invalid-nonce` if
 * another request used it, or this one too long ago, and `device-refused` if the device can't have the session any
 * more.
 */
async function findOpened(
  { deviceKeyId, nonceHash, requestHash }: NonceUse,
  { deviceSessions, clock }: Stores,
): Promise<FoundSession | undefined> {
  const found = await deviceSessions.findByNonce(nonceHash, deviceKeyId)
  if (!found) return undefined
  const age = clock().getTime() - found.session.openedAt.getTime()
  if (age > RETRY_MS || Buffer.compare(found.session.requestHash, requestHash) !== 0) {
    throw staleNonce('nonce', 'used')
  }
  const why = whyNoSession(found.device)
  if (why !== undefined) throw deviceRefused(why)
  return found
}
