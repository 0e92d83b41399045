/** `ratafia tokens revoke --mine --all`: revokes all of the user's own sessions, or all except some. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import { confirmTyped } from '../confirm.ts'
import type { CommandContext, CommonOptions } from '../context.ts'
import { counted, print } from '../output.ts'
import { openService } from '../service/open-service.ts'
import { addressOf } from '../service/ways.ts'

/** Revokes the sessions. Throws `UsageError`, `Declined`, `ServiceRefusal`, `ServiceAway`. */
export async function revokeMine(
  { allBut = [], ...options }: CommonOptions & { readonly allBut?: readonly string[] },
  context: CommandContext,
): Promise<void> {
  const service = await openService(await addressOf(options, context), context)
  const isAll = allBut.length === 0
  await confirmTyped(context, options, async () => ({
    told: isAll
      ? 'This permanently revokes all your tokens, including this login and logins that are not used yet.'
      : `This permanently revokes all your tokens, except those of ${counted(allBut.length, 'session')}.`,
    type: String((await service.call(api.me)).record['username']),
  }))
  // The service may require a recent sign-in. The dry run triggers it, and the new login continues.
  await service.call(api.revokeMyTokens, { query: { dry_run: true }, body: { all_but: allBut } })
  const { record: me } = await service.call(api.me)
  const own = String(me['session_id'])
  let revoked = 0
  const revoke = async (except: readonly string[]): Promise<boolean> => {
    const { record } = await service.call(api.revokeMyTokens, { body: { all_but: except } })
    revoked += Number(record['revoked'])
    return record['more'] === true
  }
  // The command's own session comes last, because it revokes the others.
  while (await revoke([...allBut, own]));
  if (!allBut.includes(own)) await revoke(allBut)
  print(context, options, { username: me['username'], revoked }, `Revoked ${counted(revoked, 'session')}.`)
}
