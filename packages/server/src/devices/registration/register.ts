/**
 * `POST devices`: a device asks for its serial (contract/devices.md 2). What is looked up before the signature only
 * saves work and explains a refusal; what holds is decided by the constraints in the transaction at the end, and
 * whoever loses there looks again.
 */
import { createHash } from 'node:crypto'
import { decode, encodeStream, verifyTrust } from '@ratafia/assertions'
import { type StoredModel, showModelName } from '../../brands/models/model-policy.ts'
import type { ModelStore } from '../../brands/models/model-store.ts'
import { findAssertion, type TrustDeps, trustContext } from '../../brands/trust/trust.ts'
import { type ChangingBy, deviceKeyActor } from '../../change.ts'
import { RequestError, Unavailable } from '../../errors.ts'
import type { Caller, SerialAssertion } from '../device.ts'
import { explainedAsync } from '../explained.ts'
import { LostRace } from '../lost-race.ts'
import { type NonceDependencies, openNonce, staleNonce } from '../nonce.ts'
import { type FindRegisteredDeps, findByKey, findRepeated } from './find-registered.ts'
import { readRegistration } from './read-registration.ts'
import { type EnterDeps, enter } from './register-new.ts'
import type { RegisterStores } from './register-stores.ts'
import type { Ask, Outcome } from './registration.ts'

type SettleDeps = NonceDependencies &
  TrustDeps & { models: Pick<ModelStore, 'find'> } & FindRegisteredDeps &
  EnterDeps

export interface RegisterDeps extends Omit<SettleDeps, 'change'> {
  readonly changeBy: ChangingBy<RegisterStores>
}

export interface RegisterInput {
  /** The body: serial-request, model and, at a remodel, the original serial. */
  readonly stream: Uint8Array
  /** The header `api-key`. */
  readonly apiKey: string | undefined
  /** Whether the device takes more than the serial. */
  readonly serialStream: boolean
  readonly caller: Caller
}

/** More lost races than there can be between devices that ask for one serial at one moment. */
const ATTEMPTS = 20

/**
 * The encoded answer; undefined while somebody has to approve the device. The same request (request-id, key and all
 * else that is signed) has the answer it led to, however late it comes. Throws {@link RequestError} `invalid-assertion`,
 * `invalid-nonce`, `registration-refused` or `invalid-api-key`, and then nothing was used up; `Unavailable` when too
 * many wait.
 */
export async function registerDevice(
  { stream, apiKey, serialStream, caller }: RegisterInput,
  { changeBy, ...given }: RegisterDeps,
): Promise<Uint8Array | undefined> {
  const parts = readRegistration(stream)
  const { requestId, deviceKeyId } = parts.request.fields
  const author = { actor: deviceKeyActor(deviceKeyId), source: caller.address }
  const deps = { ...given, change: changeBy(author) }
  const { hash: requestIdHash, expired } = await openNonce('request-id', requestId, deps)
  const requestHash = createHash('sha256').update(parts.request.content).digest()
  const ask: Ask = { ...parts, apiKey, caller, requestIdHash, requestHash }
  let outcome = await findRepeated(ask, deps)
  if (!outcome) {
    if (expired) throw staleNonce('request-id', 'expired')
    outcome = await settle(ask, await admittedModel(ask, deps), deps)
  }
  if (outcome === 'wait') return undefined
  return serialStream ? withSigner(outcome, deps) : outcome.encoded
}

/** The model as the operator set it up, once the model assertion is found good. */
async function admittedModel({ model }: Ask, deps: SettleDeps): Promise<StoredModel> {
  const stored = await deps.models.find(model.fields)
  if (!stored) throw unknownModel(model.fields)
  await explainedAsync(
    async () => verifyTrust(model, await trustContext(deps)),
    'could not validate model assertion',
  )
  return stored
}

function unknownModel(name: { readonly brandId: string; readonly model: string }): RequestError {
  const shown = showModelName(name).slice(0, 128)
  // The account that signs for systems without a brand of their own (contract/devices.md 2.4).
  const message =
    name.brandId === 'generic'
      ? `Serials of the brand generic are signed by Canonical alone, so ${shown} cannot be registered here. Give the device a model of your own brand.`
      : `This service registers no devices of ${shown}. Its operator adds the model with \`ratafia models add\`.`
  return new RequestError('registration-refused', message)
}

async function settle(ask: Ask, model: StoredModel, deps: SettleDeps): Promise<Outcome> {
  const present = async () => (await findRepeated(ask, deps)) ?? (await findByKey(ask, deps))
  // Whether it is the same request was asked just before.
  let look = () => findByKey(ask, deps)
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      // The operator may be who was faster.
      const current = attempt === 0 ? model : await admittedModel(ask, deps)
      return (await look()) ?? (await enter(ask, current, present, deps))
    } catch (error) {
      look = present
      if (error instanceof LostRace) continue
      // It may be refused for what the same request, sent twice at once, has just done: then that is the answer.
      const meanwhile = error instanceof RequestError ? await lookAgain(present) : undefined
      if (meanwhile === undefined) throw error
      if (meanwhile !== 'lost') return meanwhile
    }
  }
  throw new Unavailable(`a registration lost ${ATTEMPTS} races`)
}

async function lookAgain(present: () => Promise<Outcome | undefined>): Promise<Outcome | 'lost' | undefined> {
  try {
    return await present()
  } catch (error) {
    if (error instanceof LostRace) return 'lost'
    throw error
  }
}

/** Serial, account-key and account, so that the device need not ask for them (contract/devices.md 2.3). */
async function withSigner(serial: SerialAssertion, deps: TrustDeps): Promise<Uint8Array> {
  const accountKey = await findAssertion('account-key', [serial.signingKeyId], deps)
  const account = await findAssertion('account', [serial.authorityId], deps)
  // Of one that was signed elsewhere they may be missing: then the device looks for them.
  if (!accountKey || !account) return serial.encoded
  return encodeStream([decode(serial.encoded), accountKey, account])
}
