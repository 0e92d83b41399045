/** `ratafia tokens shorten`: makes one of the user's own sessions expire earlier. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import { systemClock } from '../../clock.ts'
import { type CommandContext, type CommonOptions, UsageError } from '../context.ts'
import { readAhead } from '../option-values.ts'
import { print } from '../output.ts'
import { openService } from '../service/open-service.ts'
import { addressOf } from '../service/ways.ts'

/** Shortens the session. Throws {@link UsageError}, `ServiceRefusal`, `ServiceAway`. */
export async function shorten(
  id: string,
  { until: given, ...options }: CommonOptions & { readonly until: string },
  context: CommandContext,
): Promise<void> {
  const until = readAhead('--until', given, systemClock())
  if (until === undefined) throw new UsageError('Pass --until with the time when the session should expire.')
  const service = await openService(await addressOf(options, context), context)
  const { record } = await service.call(api.shortenMyToken, { id, body: { until: until.toISOString() } })
  print(context, options, record, `The session ${id} now expires at ${record['valid_until']}.`)
}
