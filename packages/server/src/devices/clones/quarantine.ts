/**
 * Decides when a device goes into quarantine. A device in quarantine cannot open a session until its operator
 * releases it.
 */
import type { Recording } from '../../change.ts'
import type { TransactionStores } from '../../stores.ts'
import type { Device } from '../device.ts'
import type { Sighting } from './clone-evidence.ts'

/** Only two chains in use prove that two devices have the key: the other kinds of evidence can be innocent. */
const isProof = ({ kind }: Sighting): boolean => kind === 'two-chains'

/** If so, the policy of the device's model decides. */
export const isProven = (sightings: readonly Sighting[]): boolean => sightings.some(isProof)

/** Runs in a transaction. Changes nothing if the device is already in quarantine. */
export async function quarantine(
  device: Device,
  { sightings, at }: { readonly sightings: readonly Sighting[]; readonly at: Date },
  { devices, record }: TransactionStores & Recording,
): Promise<void> {
  if (!(await devices.setQuarantine(device, at))) return
  const chains = sightings.filter(isProof).map(({ subject }) => subject)
  await record({ action: 'device.quarantine', subject: device.id, details: { 'other-chains': chains } })
}
