/** Approves many devices: their serials are signed side by side, and each batch is stored in one transaction. */
import pLimit from 'p-limit'
import type { Authority } from '../../authority.ts'
import { signerOrFault } from '../../brands/keys/signer-for.ts'
import { showModelName } from '../../brands/models/model-policy.ts'
import { invalidField } from '../../errors.ts'
import { type Device, showSerialName } from '../device.ts'
import { LostRace } from '../lost-race.ts'
import {
  type ApprovalDeps,
  approveDevice,
  modelOfWaiting,
  prepareApproval,
  type ReadyApproval,
  serialTakenBy,
  storeApproval,
  wantsSameSerial,
} from '../registration/approval/approve.ts'
import { type IssueDeps, planSerial } from '../registration/issue-serial.ts'
import { done, failed, type ManyDecision, type Outcome } from './decide-many.ts'

/** Node has four threads for signatures. */
const AT_ONCE = 4

/** With `dryRun` nothing is signed or stored, and no number of a template is used up. */
export function approvingMany(
  { authority, dryRun }: { readonly authority: Authority; readonly dryRun: boolean },
  deps: ApprovalDeps,
): ManyDecision {
  const issuing = { ...deps, change: deps.changeBy(authority.author) }
  return {
    about: 'pending',
    prefer: ['pending', 'rejected'],
    becomes: 'active',
    needs: 'devices:decide',
    authority,
    decide: (batch) => (dryRun ? wouldApprove(batch, issuing) : approve(batch, authority, issuing)),
  }
}

type Issuing = ApprovalDeps & IssueDeps

async function approve(
  batch: readonly Device[],
  authority: Authority,
  deps: Issuing,
): Promise<readonly Outcome[]> {
  const limit = pLimit(AT_ONCE)
  const once = readingOnce(deps)
  const prepared = await Promise.all(batch.map((device) => limit(() => prepare(device, authority.by, once))))
  const ready = prepared.filter((one) => 'plan' in one)
  // Two that want one number, and what takes it from a holder, are settled one after the other below.
  const simple = ready.filter(({ plan }, index) => !plan.holder && isFirst(ready, plan.serial, index))
  const stored = await storeTogether(simple, deps)
  const outcomes: Outcome[] = []
  for (const one of prepared) {
    if ('result' in one) outcomes.push(one)
    else
      outcomes.push(
        stored.has(one.device.id) ? done(one.device) : await approveAlone(one.device, authority, deps),
      )
  }
  return outcomes
}

/**
 * Reads keys and chains once for a batch, because every serial of it needs the same ones. Whether the signing key may
 * still be used is checked when a serial is stored.
 */
const readingOnce = (deps: IssueDeps): IssueDeps => ({
  ...deps,
  assertions: {
    ...deps.assertions,
    find: once(deps.assertions.find),
    roots: once(deps.assertions.roots),
  },
  brands: { ...deps.brands, keys: once(deps.brands.keys) },
})

function once<Given extends readonly unknown[], T>(
  read: (...given: Given) => Promise<T>,
): (...given: Given) => Promise<T> {
  const known = new Map<string, Promise<T>>()
  return (...given) => {
    const name = JSON.stringify(given)
    const value = known.get(name) ?? read(...given)
    known.set(name, value)
    return value
  }
}

const isFirst = (ready: readonly ReadyApproval[], serial: string, index: number): boolean =>
  ready.findIndex(({ plan }) => plan.serial === serial) === index

async function prepare(found: Device, by: string, deps: IssueDeps): Promise<ReadyApproval | Outcome> {
  try {
    const model = await modelOfWaiting(found, deps)
    return await prepareApproval({ found, model, by }, deps)
  } catch (error) {
    return failed(found.id, found, error)
  }
}

/** The ids of those that are stored: all or none. */
async function storeTogether(
  ready: readonly ReadyApproval[],
  { change }: Pick<IssueDeps, 'change'>,
): Promise<ReadonlySet<string>> {
  try {
    await change(async (stores) => {
      for (const one of ready) await storeApproval(one, stores)
    })
    return new Set(ready.map(({ device }) => device.id))
  } catch (error) {
    if (error instanceof LostRace) return new Set()
    throw error
  }
}

async function approveAlone(found: Device, authority: Authority, deps: ApprovalDeps): Promise<Outcome> {
  const { id } = found
  try {
    const { device, before } = await approveDevice({ name: id, authority }, deps)
    // By another command, at the same moment.
    return before ? { result: 'already', name: id, device, message: null } : done(device)
  } catch (error) {
    return failed(id, await deps.devices.find(found), error)
  }
}

async function wouldApprove(batch: readonly Device[], deps: IssueDeps): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  const signers = new Map<string, Awaited<ReturnType<typeof signerOrFault>>>()
  for (const device of batch) {
    try {
      const model = await modelOfWaiting(device, deps)
      const name = showModelName(model)
      const signer = signers.get(name) ?? (await signerOrFault(model, deps))
      signers.set(name, signer)
      if ('fault' in signer) throw invalidField(signer.fault)
      if (device.serial === '') outcomes.push(done(device))
      else {
        const plan = await planSerial({ model, proposed: device.serial }, deps)
        if ('taken' in plan) throw serialTakenBy(plan.taken)
        const twin = outcomes.find(
          ({ result, device: other }) =>
            result === 'done' && other && showSerialName(other) === showSerialName(device),
        )
        if (twin) throw wantsSameSerial(twin.name)
        outcomes.push(done(device))
      }
    } catch (error) {
      outcomes.push(failed(device.id, device, error))
    }
  }
  return outcomes
}
