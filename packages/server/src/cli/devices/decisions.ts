/** `ratafia devices approve`, `reject`, `revoke` and `release`: decisions about one device or many. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import { type Command, Option } from 'commander'
import type { JsonObject } from '../../foreign-json.ts'
import { confirmTyped, withNeededYes, withYes } from '../confirm.ts'
import { type CommandContext, UsageError } from '../context.ts'
import { print, withJson } from '../output.ts'
import type { Service } from '../service/service.ts'
import { goes, withService } from '../service/ways.ts'
import { type ChoiceOptions, choiceOf } from './chosen-devices.ts'
import type { BulkDecision, DecideOptions } from './decide-many.ts'
import { withDeviceFilters } from './filter-options.ts'
import { describeRecord, findDevice } from './one-device.ts'

interface DecisionOptions extends DecideOptions, ChoiceOptions {
  readonly reason?: string
  readonly serial?: string
}

interface Decision extends BulkDecision {
  readonly name: string
  readonly description: string
  /** The operation that decides about one device. Its body has the option's value, under the option's name. */
  readonly operation: 'approveDevice' | 'rejectDevice' | 'revokeDevice' | 'releaseDevice'
  readonly option?: Option
  /** Returns the outcome for a device, after its name, from its record afterwards. */
  readonly told: (record: JsonObject) => string
}

const PENDING: Pick<Decision, 'prefer' | 'about' | 'those' | 'undoable'> = {
  ...{ prefer: ['pending', 'rejected'], about: { status: ['pending'] } },
  ...{ those: 'pending devices', undoable: true },
}

const DECISIONS: readonly Decision[] = [
  {
    ...{ name: 'approve', kind: 'devices.approve', decided: 'approved', ...PENDING },
    operation: 'approveDevice',
    description: 'approve pending or rejected devices, which then get their serials',
    option: new Option(
      '--serial <serial>',
      'the serial number for a single device, even if it proposed another',
    ),
    told: () => 'gets its serial the next time it asks.',
  },
  {
    ...{ name: 'reject', kind: 'devices.reject', decided: 'rejected', ...PENDING },
    operation: 'rejectDevice',
    description: 'reject pending devices, with a reason',
    option: new Option('--reason <text>', 'one line, shown on the device').makeOptionMandatory(),
    told: ({ reason }) => `will not get a serial: ${reason}`,
  },
  {
    ...{ name: 'revoke', kind: 'devices.revoke', decided: 'revoked', prefer: ['active', 'revoked'] },
    ...{ about: { status: ['active'] }, those: 'active devices', undoable: false },
    operation: 'revokeDevice',
    description: 'permanently revoke devices and their sessions; their serials are never reused',
    option: new Option('--reason <text>', 'one line, for the register'),
    told: ({ decided_at, decided_by }) => `was revoked at ${decided_at} by ${decided_by}.`,
  },
  {
    ...{ name: 'release', kind: 'devices.release', decided: 'released', prefer: ['active'] },
    ...{ about: { quarantined: true }, those: 'devices in quarantine', undoable: true },
    operation: 'releaseDevice',
    description: 'release devices from quarantine',
    told: () => 'can open sessions again.',
  },
]

export function decisionCommands(devices: Command, context: CommandContext): void {
  for (const decision of DECISIONS) {
    const { name, description, operation, option, those, undoable } = decision
    const command = withJson(devices.command(`${name} [devices...]`))
    const plain = (undoable ? withYes : withNeededYes)(command)
      .description(description)
      .option(
        '--file <file>',
        'the devices in a file: one per line, or the column id of a .csv or .json file; - is standard input',
      )
      .option('--all', `all ${those}, or all of them that match the filters below`)
      .option('--dry-run', 'show what would happen, and change nothing')
      .option('--no-wait', 'create the job, and do not wait for it')
    goes(plain, 'both', [operation, 'devices', 'device', 'makeJob', 'job', 'jobItems'])
    // `--serial` of an approval sets the serial number, so it is not a filter.
    withDeviceFilters(plain, 'serial')
    if (option) plain.addOption(option)
    plain.action((names: readonly string[], options: DecisionOptions) =>
      decide(names, decision, options, context),
    )
  }
}

async function decide(
  names: readonly string[],
  decision: Decision,
  options: DecisionOptions,
  context: CommandContext,
): Promise<void> {
  // `--serial` sets the serial number of an approval; it does not select devices.
  const { serial, ...choosing } = options
  const { reason } = options
  // Checks here, so that the message names the broken rule instead of a limit of the API's schema.
  if (reason !== undefined) (await import('../../devices/find-device.ts')).checkReason(reason)
  const choice = await choiceOf(names, decision.about, choosing, context)
  const [only, ...more] = choice.kind === 'arguments' ? choice.names : []
  if (only !== undefined && more.length === 0) {
    return withService(context, options, 'change', (service) =>
      decideOne(only, decision, service, options, context),
    )
  }
  if (serial !== undefined) throw new UsageError('--serial works for one device. Name only that device.')
  const { decideMany } = await import('./decide-many.ts')
  await withService(context, options, 'change', (service) =>
    decideMany({ ...decision, choice, reason }, service, options, context),
  )
}

async function decideOne(
  name: string,
  { operation, prefer, decided, undoable, told }: Decision,
  service: Service,
  { serial, reason, ...options }: DecisionOptions,
  context: CommandContext,
): Promise<void> {
  const { record: before, etag } = await findDevice(service, name, prefer)
  const asking = {
    id: String(before['id']),
    body: { ...(serial !== undefined && { serial }), ...(reason !== undefined && { reason }) },
  }
  if (options.dryRun) {
    const record = await service.recordOf(api[operation], { ...asking, query: { dry_run: true } })
    return print(context, options, record, `${describeRecord(before)} would be ${decided}.`)
  }
  if (!undoable) {
    await confirmTyped(context, options, () => ({
      told: `${describeRecord(before)} loses its sessions, and can neither register nor open sessions again. This cannot be undone.`,
      type: String(before['serial'] ?? before['id']),
    }))
  }
  // A confirmation only counts for the version of the device that the user saw.
  const record = await service.recordOf(api[operation], { ...asking, ifMatch: undoable ? undefined : etag })
  print(context, options, record, `${describeRecord(record)} ${told(record)}`)
}
