/** `ratafia verify`: the checkup, which checks everything that must always be true. */
import type { Command } from 'commander'
import type { CheckResult } from '../../checkup/run-checks.ts'
import { invalidRequest } from '../../errors.ts'
import type { UnopenedInstallation } from '../../installation.ts'
import type { Sealer } from '../../keyring/sealing.ts'
import type { CommandContext, CommonOptions } from '../context.ts'
import { print, withJson } from '../output.ts'
import { withProgress } from '../progress.ts'
import { harmless } from '../terminal/harmless.ts'

export function verifyCommand(parent: Command, context: CommandContext): void {
  withJson(parent.command('verify'))
    .description(
      'check the database for damage and inconsistencies, while nodes serve; exit code 1 if a check fails',
    )
    .action(async (options: CommonOptions) => {
      const results = await context.withUnopenedInstallation('current-schema', async (unopened) =>
        verifyUnopened(unopened, await context.openSealer(), context),
      )
      print(context, options, { checks: results }, reportOf(results))
      requireNoFaults(results)
    })
}

export async function verifyUnopened(
  unopened: UnopenedInstallation,
  sealer: Sealer,
  { streams }: CommandContext,
): Promise<readonly CheckResult[]> {
  const { runChecks } = await import('../../checkup/run-checks.ts')
  return withProgress(streams, ['Verifying', 'checks'], (onProgress) =>
    unopened.atOneMoment((moment) => runChecks({ ...moment, sealer }, onProgress)),
  )
}

export function reportOf(results: readonly CheckResult[]): string {
  const lines = results.flatMap(({ name, holds, faults, examples, skipped }) => [
    `${skipped ? '?     ' : faults === 0 ? 'ok    ' : 'FAULT '} ${name}: ${skipped ? 'Not checked, because its data is missing.' : holds}`,
    ...examples.map((fault) => `         ${harmless(fault)}`),
    ...(faults > examples.length ? [`         and ${faults - examples.length} more`] : []),
  ])
  return lines.join('\n')
}

export function requireNoFaults(results: readonly CheckResult[]): void {
  const faulty = results.filter(({ faults }) => faults > 0)
  if (faulty.length === 0) return
  throw invalidRequest(
    `${faulty.length} of ${results.length} checks found problems: ${faulty.map(({ name }) => name).join(', ')}.`,
  )
}
