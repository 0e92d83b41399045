/** `ratafia devices approve`, `reject`, `revoke` and `release`: decisions about one device, or about many. */
import type { Command } from 'commander'
import { confirmTyped, withNeededYes, withYes } from '../confirm.ts'
import { type CommandContext, UsageError } from '../context.ts'
import { print, withJson } from '../output.ts'
import { eitherWay, goes, type WayOptions } from '../service/ways.ts'
import { APPROVAL, type BulkDecision, REJECTION, RELEASE, REVOCATION } from './bulk-decision.ts'
import { type ChoiceOptions, choiceOf, withChoiceFilters } from './chosen-devices.ts'
import type { DecideOptions, DecidingWay } from './decide-many.ts'
import { decideOne, describeRecord, findOver, OPERATIONS } from './one-device.ts'

interface DecisionOptions extends DecideOptions, ChoiceOptions, WayOptions {
  readonly reason?: string
  readonly serial?: string
}

export function decisionCommands(devices: Command, context: CommandContext): void {
  command(devices, 'approve [devices...]', 'approveDevice', APPROVAL)
    .description('give waiting or rejected devices their serials')
    .option('--serial <serial>', 'this serial number, even if it proposed another; for one device')
    .action((names: readonly string[], options: DecisionOptions) => {
      const { serial } = options
      const one = async (name: string) => {
        const record = await decideOne(
          {
            name,
            prefer: APPROVAL.prefer,
            operation: OPERATIONS.approve,
            body: serial === undefined ? {} : { serial },
            directly: async (installation) => {
              const { approveDevice } = await import('../../devices/registration/approval/approve.ts')
              const approval = { name, serial, authority: installation.authority }
              return (await approveDevice(approval, installation)).device
            },
          },
          options,
          context,
        )
        const told = `${describeRecord(record)} has a serial, and fetches it when it next registers.`
        print(context, options, record, told)
      }
      return decide({ names, decision: APPROVAL, one }, options, context)
    })

  command(devices, 'reject [devices...]', 'rejectDevice', REJECTION)
    .description('refuse waiting devices and tell them why')
    .requiredOption('--reason <text>', 'one line, shown on the device')
    .action((names: readonly string[], options: DecisionOptions & { readonly reason: string }) => {
      const { reason } = options
      const one = async (name: string) => {
        const record = await decideOne(
          {
            name,
            prefer: REJECTION.prefer,
            operation: OPERATIONS.reject,
            body: { reason },
            directly: async (installation) => {
              const { rejectDevice } = await import('../../devices/registration/approval/reject.ts')
              const { authority } = installation
              return (await rejectDevice({ name, reason, authority }, installation)).device
            },
          },
          options,
          context,
        )
        print(context, options, record, `${describeRecord(record)} gets no serial: ${record['reason']}`)
      }
      return decide({ names, decision: REJECTION, one }, options, context)
    })

  command(devices, 'revoke [devices...]', 'revokeDevice', REVOCATION)
    .description('end devices and their sessions for good; their serials are never given to others')
    .option('--reason <text>', 'one line, for the register')
    .action((names: readonly string[], options: DecisionOptions) => {
      const { reason } = options
      const one = async (name: string) => {
        const record = await decideOne(
          {
            name,
            prefer: REVOCATION.prefer,
            operation: OPERATIONS.revoke,
            body: reason === undefined ? {} : { reason },
            directly: async (installation) => {
              const { revokeDevice } = await import('../../devices/revoke.ts')
              const { authority } = installation
              return (await revokeDevice({ name, reason, authority }, installation)).device
            },
            confirm: (found) =>
              confirmTyped(context, options, () => ({
                told: `${describeRecord(found)} loses its sessions and gets nothing any more. This cannot be undone.`,
                type: String(found['serial'] ?? found['id']),
              })),
          },
          options,
          context,
        )
        const when = `${record['decided_at']} by ${record['decided_by']}`
        print(context, options, record, `${describeRecord(record)} was revoked at ${when}.`)
      }
      return decide({ names, decision: REVOCATION, one }, options, context)
    })

  command(devices, 'release [devices...]', 'releaseDevice', RELEASE)
    .description('release devices from quarantine')
    .action((names: readonly string[], options: DecisionOptions) => {
      const one = async (name: string) => {
        const record = await decideOne(
          {
            name,
            prefer: RELEASE.prefer,
            operation: OPERATIONS.release,
            body: {},
            directly: async (installation) => {
              const { releaseDevice } = await import('../../devices/release.ts')
              return (await releaseDevice({ name, authority: installation.authority }, installation)).device
            },
          },
          options,
          context,
        )
        print(context, options, record, `${describeRecord(record)} may have sessions.`)
      }
      return decide({ names, decision: RELEASE, one }, options, context)
    })
}

function command(devices: Command, words: string, operation: string, decision: BulkDecision): Command {
  const { those, undoable } = decision
  const plain = (undoable ? withYes : withNeededYes)(withJson(devices.command(words)))
    .option(
      '--file <file>',
      'the devices in a file: one a line, or the column id of a .csv or .json; - is standard input',
    )
    .option('--all', `all ${those}, or of these all that fit the filters below`)
    .option('--dry-run', 'only show what would happen')
    .option('--no-wait', 'make the job, and leave it to the service')
  const operations = [operation, 'devices', 'device', 'makeJob', 'job', 'jobItems']
  return withChoiceFilters(goes(plain, 'both', operations))
}

interface Deciding {
  readonly names: readonly string[]
  readonly decision: BulkDecision
  /** Decides about one device, and prints that. */
  readonly one: (name: string) => Promise<void>
}

async function decide(
  { names, decision, one }: Deciding,
  options: DecisionOptions,
  context: CommandContext,
): Promise<void> {
  // An approval gives the serial number; it chooses none.
  const { serial, ...choosing } = options
  const choice = await choiceOf(names, decision.about, choosing, context)
  const [only, ...more] = choice.kind === 'arguments' ? choice.names : []
  if (only !== undefined && more.length === 0 && !options.dryRun) return one(only)
  if (serial !== undefined) {
    throw new UsageError('--serial is for one device: name only that, and leave --dry-run out.')
  }
  const { decideMany } = await import('./decide-many.ts')
  const by = (way: DecidingWay) =>
    decideMany({ ...decision, choice, reason: options.reason }, way, options, context)
  await eitherWay(context, options, 'change', {
    directly: async (installation) => {
      const { jobsDirectly } = await import('../jobs/jobs-directly.ts')
      const { findDevice } = await import('../../devices/find-device.ts')
      const { authority } = installation
      const { prefer } = decision
      return by({
        jobs: jobsDirectly(installation, context.streams),
        idOf: async (name) => (await findDevice({ name, prefer, authority }, installation)).id,
      })
    },
    over: async (service) => {
      const { jobsOver } = await import('../jobs/job-way.ts')
      return by({
        jobs: jobsOver(service, context.streams),
        idOf: async (name) => String((await findOver(service, name, decision.prefer)).record['id']),
      })
    },
  })
}
