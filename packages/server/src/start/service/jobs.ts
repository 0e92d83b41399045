/** The periodic work of the service: linking the audit log, counting devices, removing expired rows, and more. */
import { hostname } from 'node:os'
import { linkEntries } from '../../audit/link.ts'
import { removeOldEntries } from '../../audit/remove-old.ts'
import type { Changing } from '../../change.ts'
import { refreshOldKeys } from '../../ci/issuers/keys/refresh-keys.ts'
import { foldHours } from '../../counting/fold.ts'
import { recountDevices } from '../../devices/counts/recount.ts'
import { GUARD_MS } from '../../devices/nonce.ts'
import { removeOldWaiting } from '../../devices/registration/approval/remove-old-waiting.ts'
import type { Installation } from '../../installation.ts'
import { type RetentionTask, removeExpired } from '../../jobs/remove-expired.ts'
import type { Job } from '../../jobs/run-jobs.ts'
import { periodicJobs } from '../../management/jobs/run-jobs.ts'
import type { Senders } from '../../reminders/run-reminders.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Telemetry } from '../../telemetry/telemetry.ts'
import { jobOfReminders } from './reminders.ts'

/** Returns the jobs. Each runs in the process that has its lease. `senders` send reminders. */
export function jobsOf(
  installation: Installation,
  log: Log,
  { metrics }: Telemetry,
  senders: Senders = { mail: undefined, webhook: undefined },
): readonly Job[] {
  const { clock } = installation
  const onRun = (table: string, outcome: 'ok' | 'failed', removed: number) => {
    metrics.retained(table, outcome, removed)
    if (removed > 0) log.debug({ table, removed }, 'removed expired rows')
  }
  const onFailed = (issuer: string, why: string) =>
    log.warn({ issuer, why }, 'could not fetch the keys of an issuer')
  const change = installation.changeBy({ actor: 'service', source: hostname() })
  const tasks = retentionTasks(installation, change)
  const reminders = jobOfReminders(installation, senders, { log, metrics })
  return [
    { name: 'audit-link', everyMs: 1_000, run: async (goOn) => void (await linkEntries(installation, goOn)) },
    {
      name: 'issuer-keys',
      everyMs: 60_000,
      run: (goOn) => refreshOldKeys({ ...installation, change, goOn, onFailed }),
    },
    periodicJobs(installation),
    {
      name: 'device-counts',
      everyMs: 60_000,
      run: (goOn) => recountDevices({ ...installation, goOn }),
    },
    {
      name: 'counters',
      everyMs: 600_000,
      run: (goOn) => foldHours({ ...installation, counters: installation.counts, goOn }),
    },
    ...(reminders ? [reminders] : []),
    { name: 'retention', everyMs: 600_000, run: (goOn) => removeExpired(tasks, { clock, goOn, onRun }) },
  ]
}

const DAY_MS = 86_400_000
/** Longer than a reminder is retried, and than its period: until then, the row keeps it from being queued again. */
const REMINDERS_MS = 30 * DAY_MS

function retentionTasks(on: Installation, change: Changing): readonly RetentionTask[] {
  const { retention } = on.config
  const { audit } = retention
  return [
    // Kept for a day after they expire, because the database's clock can be set back.
    { table: 'completed_login', keepMs: DAY_MS, remove: on.completedLogins.removeExpired },
    { table: 'sign_in_session', keepMs: DAY_MS, remove: on.signInSessions.removeExpired },
    { table: 'used_time_step', keepMs: DAY_MS, remove: on.secondFactors.removeUsedSteps },
    { table: 'reset_link', keepMs: DAY_MS, remove: on.oneTimeLinks.removeExpired },
    { table: 'kept_form', keepMs: DAY_MS, remove: on.keptForms.removeExpired },
    { table: 'idempotent_request', keepMs: DAY_MS, remove: on.repeats.removeOld },
    { table: 'job', keepMs: retention.jobs, remove: on.jobs.removeOld },
    { table: 'reminder', keepMs: REMINDERS_MS, remove: on.reminders.removeOld },
    // No upload of a file takes longer.
    { table: 'job_part', keepMs: DAY_MS, remove: on.jobs.removeUploading },
    { table: 'counter', keepMs: retention.counters, remove: on.counts.removeOld },
    { table: 'used_workload_token', keepMs: DAY_MS, remove: on.usedTokens.removeExpired },
    // Kept while a node whose clock is behind could open it again from its root, so that a revocation stays known.
    {
      table: 'token_session',
      keepMs: Math.max(DAY_MS, retention.tokenSessions),
      remove: on.tokenSessions.removeEnded,
    },
    { table: 'device_session', keepMs: retention.deviceSessions, remove: on.deviceSessions.removeExpired },
    { table: 'device_registration', keepMs: retention.registrations, remove: on.registrations.removeSettled },
    { table: 'used_request_id', keepMs: GUARD_MS, remove: on.registrations.removeUsed },
    {
      table: 'device',
      keepMs: retention.waitingDevices,
      remove: (before, limit) => removeOldWaiting(before, limit, change),
    },
    { table: 'clone_evidence', keepMs: retention.cloneEvidence, remove: on.clones.removeOld },
    ...(audit === undefined
      ? []
      : [
          {
            table: 'audit_entry',
            keepMs: audit,
            remove: (before: Date, limit: number) => removeOldEntries(before, limit, change),
          },
        ]),
  ]
}
