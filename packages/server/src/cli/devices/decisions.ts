/** `ratafia devices approve`, `reject`, `revoke` and `release`: decisions about one device, or about many. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import type { JsonObject } from '../../foreign-json.ts'
import { confirmTyped, withNeededYes, withYes } from '../confirm.ts'
import { type CommandContext, UsageError } from '../context.ts'
import { print, withJson } from '../output.ts'
import { goes, type WayOptions, withService } from '../service/ways.ts'
import { APPROVAL, type BulkDecision, REJECTION, RELEASE, REVOCATION } from './bulk-decision.ts'
import { type ChoiceOptions, choiceOf } from './chosen-devices.ts'
import type { DecideOptions } from './decide-many.ts'
import { withDeviceFilters } from './filter-options.ts'
import { decideOne, describeRecord, type SingleDecision } from './one-device.ts'

interface DecisionOptions extends DecideOptions, ChoiceOptions, WayOptions {
  readonly reason?: string
  readonly serial?: string
}

/** The same decision about one device, whose answer is that device. */
interface Single extends Pick<SingleDecision, 'operation' | 'body' | 'confirm'> {
  /** For a person, of the device as it is then. */
  readonly told: (record: JsonObject) => string
}

export function decisionCommands(devices: Command, context: CommandContext): void {
  command(devices, 'approve [devices...]', 'approveDevice', APPROVAL)
    .description('give waiting or rejected devices their serials')
    .option('--serial <serial>', 'this serial number, even if it proposed another; for one device')
    .action((names: readonly string[], options: DecisionOptions) => {
      const { serial } = options
      const single: Single = {
        operation: api.approveDevice,
        body: serial === undefined ? {} : { serial },
        told: (record) => `${describeRecord(record)} has a serial, and fetches it when it next registers.`,
      }
      return decide(names, { ...APPROVAL, single }, options, context)
    })

  command(devices, 'reject [devices...]', 'rejectDevice', REJECTION)
    .description('refuse waiting devices and tell them why')
    .requiredOption('--reason <text>', 'one line, shown on the device')
    .action((names: readonly string[], options: DecisionOptions & { readonly reason: string }) => {
      const { reason } = options
      const single: Single = {
        operation: api.rejectDevice,
        body: { reason },
        told: (record) => `${describeRecord(record)} gets no serial: ${record['reason']}`,
      }
      return decide(names, { ...REJECTION, single }, options, context)
    })

  command(devices, 'revoke [devices...]', 'revokeDevice', REVOCATION)
    .description('end devices and their sessions for good; their serials are never given to others')
    .option('--reason <text>', 'one line, for the register')
    .action((names: readonly string[], options: DecisionOptions) => {
      const { reason } = options
      const single: Single = {
        operation: api.revokeDevice,
        body: reason === undefined ? {} : { reason },
        confirm: (found) =>
          confirmTyped(context, options, () => ({
            told: `${describeRecord(found)} loses its sessions and gets nothing any more. This cannot be undone.`,
            type: String(found['serial'] ?? found['id']),
          })),
        told: (record) =>
          `${describeRecord(record)} was revoked at ${record['decided_at']} by ${record['decided_by']}.`,
      }
      return decide(names, { ...REVOCATION, single }, options, context)
    })

  command(devices, 'release [devices...]', 'releaseDevice', RELEASE)
    .description('release devices from quarantine')
    .action((names: readonly string[], options: DecisionOptions) => {
      const single: Single = {
        operation: api.releaseDevice,
        body: {},
        told: (record) => `${describeRecord(record)} may have sessions.`,
      }
      return decide(names, { ...RELEASE, single }, options, context)
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
  // An approval gives a serial.
  return withDeviceFilters(goes(plain, 'both', operations), 'serial')
}

async function decide(
  names: readonly string[],
  { single, ...decision }: BulkDecision & { readonly single: Single },
  options: DecisionOptions,
  context: CommandContext,
): Promise<void> {
  // In the words of its rule, before the limits of the wire.
  if (options.reason !== undefined) (await import('../../devices/find-device.ts')).checkReason(options.reason)
  // An approval gives the serial number; it chooses none.
  const { serial, ...choosing } = options
  const choice = await choiceOf(names, decision.about, choosing, context)
  const [only, ...more] = choice.kind === 'arguments' ? choice.names : []
  if (only !== undefined && more.length === 0) {
    const { told, ...rest } = single
    const { dryRun } = options
    const one = { ...rest, name: only, prefer: decision.prefer, dryRun }
    const { before, record } = await withService(context, options, 'change', (service) =>
      decideOne(one, service),
    )
    const text = dryRun ? `${describeRecord(before)} would be ${decision.decided}.` : told(record)
    return print(context, options, record, text)
  }
  if (serial !== undefined) throw new UsageError('--serial is for one device: name only that.')
  const { decideMany } = await import('./decide-many.ts')
  await withService(context, options, 'change', (service) =>
    decideMany({ ...decision, choice, reason: options.reason }, service, options, context),
  )
}
