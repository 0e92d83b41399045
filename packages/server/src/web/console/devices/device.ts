/** The name and the state of a device, as all pages show them. */
import type { DeviceSchema, ListedDeviceSchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { visibleText } from '../../../text/visible-text.ts'
import type { Html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { stateChip, type Tone } from '../chip.ts'

export type Device = Static<typeof DeviceSchema>
export type ListedDevice = Static<typeof ListedDeviceSchema>

const text = words.devices

/** The serial, which the device or the user who imported it chose. */
export const serialOf = ({ serial }: Pick<Device, 'serial'>): string =>
  serial === null ? text.noSerial : visibleText(serial, 80)

/** The device's name in sentences: its serial, or its id if it has none. */
export const nameOf = ({ serial, id }: Pick<Device, 'serial' | 'id'>): string =>
  serial === null ? id : visibleText(serial, 80)

/** The name that users type to confirm that they mean this device. */
export const typedNameOf = ({ serial, id }: Pick<Device, 'serial' | 'id'>): string =>
  serial !== null && /^[!-~]{1,64}$/.test(serial) ? serial : id

export const modelOf = ({ brand_id, model }: Pick<Device, 'brand_id' | 'model'>): string =>
  visibleText(`${brand_id}/${model}`, 100)

export const addressOfDevice = (id: string): string => `/console/devices/${encodeURIComponent(id)}`

const TONES: Readonly<Record<Device['status'] | 'quarantine' | 'removed', Tone>> = {
  pending: 'warn',
  rejected: 'off',
  active: 'good',
  superseded: 'off',
  revoked: 'off',
  quarantine: 'bad',
  removed: 'off',
}
const WORDS = { ...text.statuses, quarantine: text.quarantine, removed: text.removed }

interface State extends Pick<Device, 'status' | 'quarantined_at'> {
  readonly removed_at?: string | null
}

/** Returns the state that matters most. */
function stateOf({ status, quarantined_at, removed_at = null }: State): keyof typeof TONES {
  if (removed_at !== null) return 'removed'
  return isQuarantined({ status, quarantined_at }) ? 'quarantine' : status
}

export function deviceChip(device: State): Html {
  const state = stateOf(device)
  return stateChip(TONES[state], WORDS[state])
}

/** The state in a sentence: `is active`. */
export const isNow = (device: State): string => text.isNow[stateOf(device)]

/** A device that is revoked or superseded cannot open sessions anyway. */
export const isQuarantined = ({
  status,
  quarantined_at,
}: Pick<State, 'status' | 'quarantined_at'>): boolean => quarantined_at !== null && status === 'active'
