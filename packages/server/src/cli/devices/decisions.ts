/** `ratafia devices approve`, `reject` and `revoke`: decisions about one device, or about many. */
import type { Command } from 'commander'
import type { ManyDecision } from '../../devices/many/decide-many.ts'
import { confirm, confirmTyped, withNeededYes, withYes, type YesOption } from '../confirm.ts'
import { type CommandContext, UsageError } from '../context.ts'
import type { Installation } from '../installation.ts'
import { type JsonOption, print, withJson } from '../output.ts'
import { goes, serviceOf, type WayOptions } from '../service/ways.ts'
import { type Choice, type ChoiceOptions, choiceOf, countChosen, describeChoice } from './chosen-devices.ts'
import type { DecisionOver } from './decide-over.ts'
import { decideOne, describeRecord, OPERATIONS } from './one-device.ts'

interface DecisionOptions extends JsonOption, YesOption, ChoiceOptions, WayOptions {
  readonly dryRun?: boolean
  /** False with `--no-wait`. */
  readonly wait?: boolean
}

export function decisionCommands(devices: Command, context: CommandContext): void {
  goes(withChoice(devices.command('approve [devices...]'), true), 'both', [
    'approveDevice',
    'devices',
    'device',
    'makeJob',
    'job',
    'jobItems',
  ])
    .description('give waiting or rejected devices their serials')
    .option('--serial <serial>', 'this serial number, even if it proposed another; for one device')
    .action(async (names: readonly string[], options: DecisionOptions & { serial?: string }) => {
      const choice = await choiceOf(names, options, context)
      const name = onlyOne(choice, options)
      if (name === undefined) {
        if (options.serial !== undefined) {
          throw new UsageError('--serial is for one device: name only that, and leave --dry-run out.')
        }
        const { approvingMany } = await import('../../devices/many/approve-many.ts')
        await decideMany(
          { choice, kind: 'devices.approve', decided: 'approved' },
          options,
          context,
          (installation) =>
            approvingMany(
              { authority: installation.authority, dryRun: options.dryRun === true },
              installation,
            ),
        )
        return
      }
      const { serial } = options
      const record = await decideOne(
        {
          name,
          prefer: ['pending', 'rejected'],
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
    })

  goes(withChoice(devices.command('reject [devices...]'), true), 'both', [
    'rejectDevice',
    'devices',
    'device',
    'makeJob',
    'job',
    'jobItems',
  ])
    .description('refuse waiting devices and tell them why')
    .requiredOption('--reason <text>', 'one line, shown on the device')
    .action(async (names: readonly string[], options: DecisionOptions & { reason: string }) => {
      const choice = await choiceOf(names, options, context)
      const name = onlyOne(choice, options)
      const { reason, dryRun = false } = options
      if (name === undefined) {
        const { rejectingMany } = await import('../../devices/many/reject-many.ts')
        await decideMany(
          { choice, kind: 'devices.reject', reason, decided: 'rejected' },
          options,
          context,
          (installation) =>
            rejectingMany({ authority: installation.authority, reason, dryRun }, installation),
        )
        return
      }
      const record = await decideOne(
        {
          name,
          prefer: ['pending', 'rejected'],
          operation: OPERATIONS.reject,
          body: { reason },
          directly: async (installation) => {
            const { rejectDevice } = await import('../../devices/registration/approval/reject.ts')
            return (await rejectDevice({ name, reason, authority: installation.authority }, installation))
              .device
          },
        },
        options,
        context,
      )
      print(context, options, record, `${describeRecord(record)} gets no serial: ${record['reason']}`)
    })

  goes(withChoice(devices.command('revoke [devices...]'), false), 'both', [
    'revokeDevice',
    'devices',
    'device',
    'makeJob',
    'job',
    'jobItems',
  ])
    .description('end devices and their sessions for good; their serials are never given to others')
    .option('--reason <text>', 'one line, for the register')
    .action(async (names: readonly string[], options: DecisionOptions & { reason?: string }) => {
      const choice = await choiceOf(names, options, context)
      const name = onlyOne(choice, options)
      const { reason, dryRun = false } = options
      if (name === undefined) {
        const { revokingMany } = await import('../../devices/many/revoke-many.ts')
        await decideMany(
          { choice, kind: 'devices.revoke', reason, decided: 'revoked' },
          options,
          context,
          (installation) => revokingMany({ authority: installation.authority, reason, dryRun }, installation),
        )
        return
      }
      const record = await decideOne(
        {
          name,
          prefer: ['active', 'revoked'],
          operation: OPERATIONS.revoke,
          body: reason === undefined ? {} : { reason },
          directly: async (installation) => {
            const { revokeDevice } = await import('../../devices/revoke.ts')
            return (await revokeDevice({ name, reason, authority: installation.authority }, installation))
              .device
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
    })
}

function withChoice(command: Command, waiting: boolean): Command {
  const whole = (waiting ? withYes : withNeededYes)(withJson(command))
    .option(
      '--file <file>',
      'the devices in a file: one a line, or the column id of a .csv or .json; - is standard input',
    )
    .option(
      '--model <brand/model>',
      waiting ? 'all waiting devices of one model' : 'all active devices of one model',
    )
    .option('--all', waiting ? 'all waiting devices of every model' : 'all active devices of every model')
    .option('--dry-run', 'only show what would happen')
    .option('--no-wait', 'at a service: make the job, and do not wait for its end')
  return waiting
    ? whole.option(
        '--from <network>',
        'of these, those that asked from an address or network, such as 203.0.113.0/24',
      )
    : whole
}

/** The name, if this is about one device and the answer is that device. */
function onlyOne(choice: Choice, { dryRun }: DecisionOptions): string | undefined {
  if (dryRun || choice.kind !== 'arguments' || choice.names.length !== 1) return undefined
  return choice.names[0]
}

async function decideMany(
  many: DecisionOver,
  options: DecisionOptions,
  context: CommandContext,
  decisionOn: (installation: Installation) => ManyDecision,
): Promise<void> {
  const { choice, decided } = many
  const service = await serviceOf(options, context)
  if (service) {
    const { decideOver } = await import('./decide-over.ts')
    await decideOver(service, many, options, context)
    return
  }
  if (options.wait === false) {
    throw new UsageError('--no-wait is for a service: on the database the command itself does the work.')
  }
  const { decideAndReport } = await import('./decision-report.ts')
  await context.withInstallation(async (installation) => {
    const decision = decisionOn(installation)
    const revokes = decision.becomes === 'revoked'
    // Whoever named the devices one by one knows which they are.
    const what = async () => `${await describeChoice(choice, decision, installation)} will be ${decided}.`
    if (!options.dryRun && revokes) {
      await confirmTyped(context, options, async () => ({
        told: `${await what()} They lose their sessions and get nothing any more. This cannot be undone.`,
        type: await countChosen(choice, decision, installation),
      }))
    } else if (!options.dryRun && choice.kind === 'filter') await confirm(context, options, what)
    await decideAndReport({ choice, decision, decided }, options, installation, context)
  })
}
