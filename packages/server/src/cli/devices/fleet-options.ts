/** The options that choose devices of the register, for `devices list` and `devices export`. */
import { isIP } from 'node:net'
import { type Command, Option } from 'commander'
import { plainAddress } from '../../addresses/address.ts'
import { parseModelName } from '../../brands/models/model-policy.ts'
import { CLONE_EVIDENCE_KINDS, type CloneEvidenceKind } from '../../devices/clones/clone-evidence.ts'
import { DEVICE_STATUSES, type DeviceStatus } from '../../devices/device.ts'
import type { FleetFilter } from '../../devices/fleet/fleet-filter.ts'
import { UsageError } from '../context.ts'
import { readInstant, requireText } from '../option-values.ts'

/** Filters that a service has too. */
export interface FilterOptions {
  readonly brand?: string
  readonly model?: string
  readonly serialPrefix?: string
  readonly key?: string
  readonly keyPrefix?: string
  readonly status?: DeviceStatus
  readonly quarantined?: boolean
  readonly clones?: CloneEvidenceKind | true
  readonly registeredAfter?: string
  readonly registeredBefore?: string
}

export interface FleetOptions extends FilterOptions {
  readonly serial?: string
  readonly sessionAfter?: string
  readonly sessionBefore?: string
  readonly withoutSession?: boolean
  readonly address?: string
}

export const withFilterOptions = (command: Command): Command =>
  command
    .option('--brand <account-id>', 'only those of one brand')
    .option('--model <brand/model>', 'only those of one model')
    .option('--serial-prefix <text>', 'only those whose serial number begins like this')
    .option('--key <id>', 'only those with this device key')
    .option('--key-prefix <text>', 'only those whose device key has an id that begins like this')
    .addOption(new Option('--status <status>', 'only those with this status').choices([...DEVICE_STATUSES]))
    .option('--quarantined', 'only those in quarantine')
    .option('--registered-after <time>', 'only those registered since this time, or since 7d ago')
    .option('--registered-before <time>', 'only those registered before')

export const withFleetOptions = (command: Command): Command =>
  withFilterOptions(command)
    .option('--serial <serial>', 'only those with this serial number')
    .addOption(
      new Option('--clones [kind]', 'only those with evidence of a clone, or with this kind of it').choices([
        ...CLONE_EVIDENCE_KINDS,
      ]),
    )
    .option('--session-after <time>', 'only those that opened a session since this time, or since 7d ago')
    .option('--session-before <time>', 'only those whose last session was opened before')
    .option('--without-session', 'only those that never opened a session')
    .option('--address <address>', 'only those that registered, or opened a session, from this address')

/** What only a search of the whole database can do. */
export const SEARCHED: readonly (readonly [string, (options: FleetOptions) => boolean])[] = [
  ['--session-after', ({ sessionAfter }) => sessionAfter !== undefined],
  ['--session-before', ({ sessionBefore }) => sessionBefore !== undefined],
  ['--without-session', ({ withoutSession }) => withoutSession === true],
  ['--address', ({ address }) => address !== undefined],
  ['--clones with a kind', ({ clones }) => clones !== undefined && clones !== true],
]

/** Throws {@link UsageError} for what no device has. */
export function fleetFilterOf(options: FleetOptions, now: Date): FleetFilter {
  const { brand, model, serial, key, status, quarantined, clones, serialPrefix, keyPrefix } = options
  const name = model === undefined ? undefined : parseModelName(model)
  if (name && brand !== undefined && brand !== name.brandId) {
    throw new UsageError(`--model ${model} is not a model of --brand ${brand}.`)
  }
  requireText([brand, model, serial, key, serialPrefix, keyPrefix])
  const { registeredAfter, registeredBefore, sessionAfter, sessionBefore, withoutSession } = options
  if (withoutSession && (sessionAfter !== undefined || sessionBefore !== undefined)) {
    throw new UsageError('--without-session cannot be combined with --session-after or --session-before.')
  }
  const instant = (option: string, text: string | undefined) =>
    readInstant(option, text, { now, direction: 'ago' })
  return {
    brandId: name?.brandId ?? brand,
    model: name?.model,
    serial,
    serialPrefix,
    deviceKeyId: key,
    keyPrefix,
    status,
    quarantined,
    evidence: clones === true ? 'any' : clones,
    registeredSince: instant('--registered-after', registeredAfter),
    registeredBefore: instant('--registered-before', registeredBefore),
    sessionSince: instant('--session-after', sessionAfter),
    sessionBefore: instant('--session-before', sessionBefore),
    hadSession: withoutSession ? false : undefined,
    address: addressIn(options.address),
  }
}

/** As the register writes it. */
function addressIn(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const plain = plainAddress(text)
  if (isIP(plain) === 0) throw new UsageError(`--address ${text} is not an IP address.`)
  // The canonical form of IPv6, in which addresses of connections are.
  return isIP(plain) === 6 ? new URL(`http://[${plain}]`).hostname.slice(1, -1) : plain
}
