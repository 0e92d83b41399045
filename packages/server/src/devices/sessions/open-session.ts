/** Opens a device session, or refreshes one (contract/devices.md, decisions 5 to 8). */
import { createHash } from 'node:crypto'
import { newDeviceSessionId } from '@ratafia/api'
import type { ModelDeps } from '../../brands/models/find-model.ts'
import type { TrustDeps } from '../../brands/trust/trust.ts'
import { deviceKeyActor, type Recording } from '../../change.ts'
import { RequestError } from '../../errors.ts'
import type { Keyring } from '../../keyring/keyring.ts'
import type { Caller, Device } from '../device.ts'
import { retryLostRaces, won } from '../lost-race.ts'
import { type NonceDependencies, openNonce, staleNonce } from '../nonce.ts'
import {
  checkSessionRequest,
  readSessionRequest,
  type SessionRequest,
  type SessionTexts,
} from './check-session-request.ts'
import { type DeviceSession, type FoundSession, type SessionDevice, whyNoSession } from './device-session.ts'
import type { DeviceSessionStore } from './device-session-store.ts'
import { admit } from './holder-for-session.ts'
import { lookForClones, type Sighting } from './look-for-clones.ts'
import { checkPrevious, type PreviousDeps, type PreviousSession } from './previous-session.ts'
import { type ClearedSession, mintSession } from './session-macaroon.ts'
import type { InSessionsBy, SessionStores } from './session-transaction.ts'

export interface OpenSessionDeps extends TrustDeps, PreviousDeps, NonceDependencies {
  readonly keyring: PreviousDeps['keyring'] & NonceDependencies['keyring'] & Pick<Keyring, 'mintId'>
  readonly models: Pick<ModelDeps['models'], 'find'>
  readonly sessions: Pick<DeviceSessionStore, 'findByNonce'>
  readonly inSessionsBy: InSessionsBy
  /** Milliseconds. */
  readonly sessionLifetime: number
  /** The host of the base URL. */
  readonly location: string
}

export interface SessionInput extends SessionTexts {
  /** The session to refresh, where one was shown. */
  readonly previous: PreviousSession | undefined
  readonly caller: Caller
}

export interface OpenedSession {
  readonly macaroon: string
}

/** For so long the same request has the same answer: the first may have been lost on its way. */
const RETRY_MS = 60_000
/** Each attempt loses to somebody who has won. */
const ATTEMPTS = 10

/**
 * Throws {@link RequestError} `invalid-assertion`, `invalid-nonce`, `invalid-device-session` or `device-refused`; a
 * refused request does not use its nonce up.
 */
export async function openSession(input: SessionInput, deps: OpenSessionDeps): Promise<OpenedSession> {
  const unverified = readSessionRequest(input)
  const nonce = await openNonce('nonce', unverified.request.fields.nonce, deps)
  const requestHash = hashOf(input)
  const repeated = await answerAgain({ nonceHash: nonce.hash, requestHash }, deps)
  if (repeated) return repeated
  if (nonce.expired) throw staleNonce('nonce', 'expired')

  const request = await checkSessionRequest(unverified, deps)
  const previous = input.previous && (await checkPrevious(input.previous, request.serial.fields, deps))
  const model = await deps.models.find(request.serial.fields)
  const session = await retryLostRaces(ATTEMPTS, async (attempt) => {
    const faster = attempt > 0 && (await answerAgain({ nonceHash: nonce.hash, requestHash }, deps))
    if (faster) return faster
    const opened = await open(
      {
        ...request,
        previous,
        nonceHash: nonce.hash,
        requestHash,
        caller: input.caller,
        quarantineClones: model?.policy.quarantineClones ?? false,
      },
      deps,
    )
    if ('refused' in opened) throw new RequestError('device-refused', opened.refused)
    return answer(opened.session, opened.device, deps)
  })
  if (session) return session
  throw new RequestError('device-refused', 'The device changes all the time. Try again.')
}

/** Of all that was sent, so that a repetition is known by it; each part with its length. */
function hashOf({ serial, request, model, previous }: SessionInput): Uint8Array {
  const shown = previous && ('macaroon' in previous ? Buffer.from(previous.macaroon.signature) : 'unreadable')
  const parts = [serial, request, model ?? null, shown?.toString('base64url') ?? null]
  return createHash('sha256').update(JSON.stringify(parts)).digest()
}

/** Undefined for a nonce that was not used. Throws `invalid-nonce` for one that was used otherwise, or too long ago. */
async function answerAgain(
  { nonceHash, requestHash }: Pick<DeviceSession, 'nonceHash' | 'requestHash'>,
  deps: OpenSessionDeps,
): Promise<OpenedSession | undefined> {
  const found = await deps.sessions.findByNonce(nonceHash)
  if (!found) return undefined
  const { session, device } = found
  const age = deps.clock().getTime() - session.openedAt.getTime()
  if (age > RETRY_MS || Buffer.compare(session.requestHash, requestHash) !== 0) {
    throw staleNonce('nonce', 'used')
  }
  const why = whyNoSession(device)
  if (why !== undefined) throw new RequestError('device-refused', why)
  return answer(session, device, deps)
}

interface Opening extends SessionRequest, Pick<DeviceSession, 'nonceHash' | 'requestHash' | 'caller'> {
  readonly previous: ClearedSession | undefined
  readonly quarantineClones: boolean
}

type Opened = { readonly session: DeviceSession; readonly device: Device } | { readonly refused: string }

async function open(opening: Opening, deps: OpenSessionDeps): Promise<Opened> {
  const { serial, model, caller, nonceHash, requestHash } = opening
  const at = deps.clock()
  const { id: macaroonId } = await deps.keyring.mintId('device-session')
  const id = newDeviceSessionId()
  const author = { actor: deviceKeyActor(serial.fields.deviceKeyId), source: caller.address }
  return deps.inSessionsBy(author)(async (stores) => {
    const device = await admit({ serial, at }, stores)
    const previous = await refreshed(opening.previous, device, stores)
    const sightings = await lookForClones({ device, previous, at, caller }, stores)
    const quarantined = opening.quarantineClones && sightings.some(({ kind }) => kind === 'two-chains')
    const session: DeviceSession = {
      id,
      deviceId: device.id,
      chainId: previous?.chainId ?? id,
      previousId: previous?.id ?? null,
      nonceHash,
      requestHash,
      macaroonId,
      store: model.fields.store || null,
      openedAt: at,
      expiresAt: new Date(at.getTime() + deps.sessionLifetime),
      caller,
    }
    if (quarantined) await quarantine(device, at, sightings, stores)
    else won(await stores.sessions.add(session))
    for (const sighting of sightings) await stores.clones.record({ ...sighting, deviceId: device.id, at })
    if (!quarantined) return { session, device }
    // The evidence is kept, so this is no error inside of the transaction.
    return { refused: whyNoSession({ ...device, quarantinedAt: at }) ?? '' }
  })
}

async function quarantine(
  device: Device,
  at: Date,
  sightings: readonly Sighting[],
  { devices, record }: Pick<SessionStores, 'devices'> & Recording,
): Promise<void> {
  if (!(await devices.setQuarantine(device.id, at))) return
  const chains = sightings.filter(({ kind }) => kind === 'two-chains').map(({ subject }) => subject)
  await record({ action: 'device.quarantine', subject: device.id, details: { 'other-chains': chains } })
}

/**
 * The row of the session that was shown. Undefined where the database has none any more (it was restored, or long ago),
 * or where the key had its serial under another row: a new chain begins.
 */
async function refreshed(
  previous: ClearedSession | undefined,
  device: Device,
  { sessions }: Pick<SessionStores, 'sessions'>,
): Promise<DeviceSession | undefined> {
  const found: FoundSession | undefined = previous && (await sessions.find(previous.sessionId))
  return found?.session.deviceId === device.id ? found.session : undefined
}

/** Made from what is stored, so that a repeated request has the same text. */
async function answer(
  session: DeviceSession,
  { brandId, model, serial, deviceKeyId }: SessionDevice,
  { keyring, location }: Pick<OpenSessionDeps, 'keyring' | 'location'>,
): Promise<OpenedSession> {
  const minted = await keyring.resolve(session.macaroonId)
  // Keys are only ever added.
  if (!minted) throw new Error(`the root key of session ${session.id} is gone`)
  const macaroon = mintSession(
    {
      brandId,
      model,
      serial,
      store: session.store ?? undefined,
      deviceKeyId,
      since: session.openedAt,
      until: session.expiresAt,
      sessionId: session.id,
    },
    { id: session.macaroonId, rootKey: minted.rootKey, location },
  )
  return { macaroon }
}
