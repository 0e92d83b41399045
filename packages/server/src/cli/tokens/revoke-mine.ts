/** `ratafia tokens revoke --mine --all`: ends all of one's own sessions, or all but some. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import { confirmTyped, type YesOption } from '../confirm.ts'
import type { CommandContext } from '../context.ts'
import { counted, type JsonOption, print } from '../output.ts'
import { openService } from '../service/open-service.ts'
import { addressOf, type WayOptions } from '../service/ways.ts'

/** Throws `UsageError`, `Declined`, `ServiceRefusal`, `ServiceAway`. */
export async function revokeMine(
  { allBut = [], ...options }: JsonOption & YesOption & WayOptions & { readonly allBut?: readonly string[] },
  context: CommandContext,
): Promise<void> {
  const service = await openService(await addressOf(options, context), context)
  const isAll = allBut.length === 0
  await confirmTyped(context, options, async () => ({
    told: isAll
      ? 'Every token of yours stops working for good, this login and logins that were not used yet included.'
      : `Every token of yours stops working for good, but for those of ${counted(allBut.length, 'session')}.`,
    type: String((await service.call(api.me)).record['username']),
  }))
  // It may take a login of just now, which is then the one to go on with.
  await service.call(api.revokeMyTokens, { query: { dry_run: true }, body: { all_but: allBut } })
  const { record: me } = await service.call(api.me)
  const own = String(me['session_id'])
  let revoked = 0
  const revoke = async (except: readonly string[]): Promise<boolean> => {
    const { record } = await service.call(api.revokeMyTokens, { body: { all_but: except } })
    revoked += Number(record['revoked'])
    return record['more'] === true
  }
  // The own session last: it asks for the others to end.
  while (await revoke([...allBut, own]));
  if (!allBut.includes(own)) await revoke(allBut)
  print(
    context,
    options,
    { username: me['username'], revoked },
    `Revoked ${counted(revoked, 'session')} of yours.`,
  )
}
