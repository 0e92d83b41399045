/** `ratafia tokens shorten`: makes one of the user's own sessions expire earlier. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import { systemClock } from '../../clock.ts'
import { type CommandContext, UsageError } from '../context.ts'
import { readInstant } from '../option-values.ts'
import { type JsonOption, print } from '../output.ts'
import { openService } from '../service/open-service.ts'
import { addressOf, type WayOptions } from '../service/ways.ts'

/** Shortens the session. Throws {@link UsageError}, `ServiceRefusal`, `ServiceAway`. */
export async function shorten(
  id: string,
  { until: given, ...options }: JsonOption & WayOptions & { readonly until: string },
  context: CommandContext,
): Promise<void> {
  const until = readInstant('--until', given, { now: systemClock(), direction: 'ahead' })
  if (until === undefined) throw new UsageError('Pass --until with the time when the session should expire.')
  const service = await openService(await addressOf(options, context), context)
  const { record } = await service.call(api.shortenMyToken, { id, body: { until: until.toISOString() } })
  print(context, options, record, `The session ${id} now expires at ${record['valid_until']}.`)
}
