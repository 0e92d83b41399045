/** `ratafia devices approve`, `reject`, `revoke` and `release`: decisions about one device or many. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import type { JsonObject } from '../../foreign-json.ts'
import { confirmTyped, withNeededYes, withYes } from '../confirm.ts'
import { type CommandContext, type CommonOptions, UsageError } from '../context.ts'
import { print, withJson } from '../output.ts'
import { goes, withService } from '../service/ways.ts'
import { APPROVAL, type BulkDecision, REJECTION, RELEASE, REVOCATION } from './bulk-decision.ts'
import { type ChoiceOptions, choiceOf } from './chosen-devices.ts'
import type { DecideOptions } from './decide-many.ts'
import { withDeviceFilters } from './filter-options.ts'
import { decideOne, describeRecord, type SingleDecision } from './one-device.ts'

interface DecisionOptions extends DecideOptions, ChoiceOptions, CommonOptions {
  readonly reason?: string
  readonly serial?: string
}

/** The decision about one device, which is answered with that device. */
interface Single extends Pick<SingleDecision, 'operation' | 'body' | 'confirm'> {
  /** Describes the outcome, from the record of the device afterwards. */
  readonly told: (record: JsonObject) => string
}

export function decisionCommands(devices: Command, context: CommandContext): void {
  command(devices, 'approve [devices...]', 'approveDevice', APPROVAL)
    .description('approve pending or rejected devices, which then get their serials')
    .option('--serial <serial>', 'the serial number for a single device, even if it proposed another')
    .action((names: readonly string[], options: DecisionOptions) => {
      const { serial } = options
      const single: Single = {
        operation: api.approveDevice,
        body: serial === undefined ? {} : { serial },
        told: (record) => `${describeRecord(record)} gets its serial the next time it asks.`,
      }
      return decide(names, { ...APPROVAL, single }, options, context)
    })

  command(devices, 'reject [devices...]', 'rejectDevice', REJECTION)
    .description('reject pending devices, with a reason')
    .requiredOption('--reason <text>', 'one line, shown on the device')
    .action((names: readonly string[], options: DecisionOptions & { readonly reason: string }) => {
      const { reason } = options
      const single: Single = {
        operation: api.rejectDevice,
        body: { reason },
        told: (record) => `${describeRecord(record)} will not get a serial: ${record['reason']}`,
      }
      return decide(names, { ...REJECTION, single }, options, context)
    })

  command(devices, 'revoke [devices...]', 'revokeDevice', REVOCATION)
    .description('permanently revoke devices and their sessions; their serials are never reused')
    .option('--reason <text>', 'one line, for the register')
    .action((names: readonly string[], options: DecisionOptions) => {
      const { reason } = options
      const single: Single = {
        operation: api.revokeDevice,
        body: reason === undefined ? {} : { reason },
        confirm: (found) =>
          confirmTyped(context, options, () => ({
            told: `${describeRecord(found)} loses its sessions, and can neither register nor open sessions again. This cannot be undone.`,
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
        told: (record) => `${describeRecord(record)} can open sessions again.`,
      }
      return decide(names, { ...RELEASE, single }, options, context)
    })
}

function command(devices: Command, words: string, operation: string, decision: BulkDecision): Command {
  const { those, undoable } = decision
  const plain = (undoable ? withYes : withNeededYes)(withJson(devices.command(words)))
    .option(
      '--file <file>',
      'the devices in a file: one per line, or the column id of a .csv or .json file; - is standard input',
    )
    .option('--all', `all ${those}, or all of them that match the filters below`)
    .option('--dry-run', 'show what would happen, and change nothing')
    .option('--no-wait', 'create the job, and do not wait for it')
  const operations = [operation, 'devices', 'device', 'makeJob', 'job', 'jobItems']
  // `--serial` of an approval sets the serial number, so it is not a filter.
  return withDeviceFilters(goes(plain, 'both', operations), 'serial')
}

async function decide(
  names: readonly string[],
  { single, ...decision }: BulkDecision & { readonly single: Single },
  options: DecisionOptions,
  context: CommandContext,
): Promise<void> {
  // Checks here, so that the message names the broken rule instead of a limit of the API's schema.
  if (options.reason !== undefined) (await import('../../devices/find-device.ts')).checkReason(options.reason)
  // `--serial` sets the serial number of an approval; it does not select devices.
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
  if (serial !== undefined) throw new UsageError('--serial works for one device. Name only that device.')
  const { decideMany } = await import('./decide-many.ts')
  await withService(context, options, 'change', (service) =>
    decideMany({ ...decision, choice, reason: options.reason }, service, options, context),
  )
}
