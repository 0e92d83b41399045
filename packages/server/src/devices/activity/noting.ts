/** Stores that report each device they see to the recorder: devices that register, open a session, or refresh one. */
import type { ActivityRecorder } from '../../activity/activity-recorder.ts'
import type { RegistrationStore } from '../registration/registration-store.ts'
import type { DeviceSession } from '../sessions/device-session.ts'
import type { DeviceSessionStore } from '../sessions/device-session-store.ts'
import type { SeenDevice } from './device-activity.ts'

type Recorder = Pick<ActivityRecorder<SeenDevice>, 'saw'>

/** Works on a transaction as well. If that is rolled back, the device still contacted the service. */
export const notingSessions = (sessions: DeviceSessionStore, { saw }: Recorder): DeviceSessionStore => {
  const note = ({ deviceId: id, bucket, openedAt: at, caller: { address } }: DeviceSession) =>
    saw({ id, bucket, at, address })
  return {
    ...sessions,
    async add(session) {
      const added = await sessions.add(session)
      if (added) note(session)
      return added
    },
    async addSeen(session, sighting) {
      const added = await sessions.addSeen(session, sighting)
      if (added) note(session)
      return added
    },
  }
}

/** Does the same for registrations. */
export const notingRegistrations = (
  registrations: RegistrationStore,
  { saw }: Recorder,
): RegistrationStore => ({
  ...registrations,
  async add(row) {
    const outcome = await registrations.add(row)
    if (outcome === 'stored') {
      saw({ id: row.deviceId, bucket: row.bucket, at: row.at, address: row.caller.address })
    }
    return outcome
  },
})
