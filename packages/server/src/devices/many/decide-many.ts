/**
 * Decides about many devices, some at a time: each batch is one transaction, so that a run that is interrupted keeps
 * what it did, and the next run goes on from there.
 */
import type { ManagementPermission } from '@ratafia/api'
import { type Authority, requireForBrand } from '../../authority.ts'
import { RequestError } from '../../errors.ts'
import type { Device, DeviceStatus } from '../device.ts'
import type { DeviceStore } from '../device-store.ts'
import { findDevice } from '../find-device.ts'
import type { DeviceTransferStore, TransferFilter } from '../transfer/device-transfer-store.ts'

/** What became of one device. */
export interface Outcome {
  /** `already`: it was decided that way before, and stays as it was. */
  readonly result: 'done' | 'already' | 'failed'
  /** As the operator wrote it, or the id. */
  readonly name: string
  /** As it is now; undefined if there is no such device. */
  readonly device: Device | undefined
  /** Why it failed: a sentence. */
  readonly message: string | null
}

/** The devices that are named, or all those that the filter fits and the decision is about. */
export type Chosen =
  | { readonly names: readonly string[] }
  | {
      readonly filter: Pick<TransferFilter, 'brandId' | 'model'>
      /** Further picks among these. Default: all. */
      readonly pick?: (devices: readonly Device[]) => Promise<readonly Device[]>
    }

/** A kind of decision. */
export interface ManyDecision {
  /** Which devices it is about, where a filter chooses. */
  readonly about: DeviceStatus
  /** Which of several rows of one name is meant. */
  readonly prefer: readonly DeviceStatus[]
  /** What a device is after it. */
  readonly becomes: DeviceStatus
  /** The permission that it takes for the brand of each. */
  readonly needs: ManagementPermission
  readonly authority: Authority
  /** Decides about at most {@link BATCH} devices. In their order, and each outcome has the id as its name. */
  readonly decide: (batch: readonly Device[]) => Promise<readonly Outcome[]>
}

interface ManyDeps {
  readonly devices: DeviceStore
  readonly deviceTransfers: DeviceTransferStore
}

/** Signing a batch takes a second or so. */
const BATCH = 100

/** Yields the outcomes of each batch once it is stored. Throws `Unavailable`: what was yielded before is done. */
export async function* decideMany(
  chosen: Chosen,
  decision: ManyDecision,
  deps: ManyDeps,
): AsyncGenerator<readonly Outcome[]> {
  if (!('names' in chosen)) {
    for await (const batch of batchesOf(chosen, decision.about, deps)) {
      for (const { brandId } of batch) requireForBrand(decision.authority, decision.needs, brandId)
      if (batch.length > 0) yield decision.decide(batch)
    }
    return
  }
  const names = [...new Set(chosen.names)]
  for (let start = 0; start < names.length; start += BATCH) {
    const found = await Promise.all(
      names.slice(start, start + BATCH).map((name) => find(name, decision, deps)),
    )
    const open = new Map<string, Device>()
    for (const one of found) {
      if (!('result' in one)) open.set(one.device.id, one.device)
    }
    const decided = open.size === 0 ? [] : await decision.decide([...open.values()])
    const byId = new Map(decided.map((outcome) => [outcome.name, outcome]))
    yield found.map((one) => {
      if ('result' in one) return one
      const outcome = byId.get(one.device.id)
      if (!outcome) throw new TypeError(`nothing was decided about the device ${one.device.id}`)
      return { ...outcome, name: one.name }
    })
  }
}

/** In the order of registration. */
async function* batchesOf(
  { filter, pick }: Exclude<Chosen, { readonly names: readonly string[] }>,
  status: DeviceStatus,
  { deviceTransfers }: ManyDeps,
): AsyncGenerator<readonly Device[]> {
  for (let after: Device | undefined; ; ) {
    const page = await deviceTransfers.page({ ...filter, status }, { after: after?.id, limit: BATCH })
    const devices = page.map(({ device }) => device)
    yield pick ? await pick(devices) : devices
    after = devices.at(-1)
    if (devices.length < BATCH) return
  }
}

async function find(
  name: string,
  { prefer, becomes, needs, authority }: ManyDecision,
  deps: ManyDeps,
): Promise<Outcome | { readonly name: string; readonly device: Device }> {
  try {
    const device = await findDevice({ name, prefer, authority }, deps)
    requireForBrand(authority, needs, device.brandId)
    return device.status === becomes ? { result: 'already', name, device, message: null } : { name, device }
  } catch (error) {
    return failed(name, undefined, error)
  }
}

/** For a refusal; throws anything else. */
export function failed(name: string, device: Device | undefined, error: unknown): Outcome {
  if (!(error instanceof RequestError)) throw error
  return { result: 'failed', name, device, message: error.message }
}

export const done = (device: Device): Outcome => ({
  result: 'done',
  name: device.id,
  device,
  message: null,
})
