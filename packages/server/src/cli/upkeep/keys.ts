/** `ratafia keys`: the root keys of macaroons and the key pairs of the bakery. Secret parts are never shown. */
import type { Command } from 'commander'
import type { KeyDescription } from '../../keyring/keyring.ts'
import type { Rotatable } from '../../keyring/rotate.ts'
import type { CommandContext, CommonOptions } from '../context.ts'
import { print, printList, type RowOf, withJson, withList } from '../output.ts'

const COLUMNS = ['kind', 'id', 'state', 'created_at', 'public_key'] as const

export function keyCommands(parent: Command, context: CommandContext): void {
  const keys = parent.command('keys').description('manage the keys that macaroons are created with')

  withList(keys.command('list'), COLUMNS)
    .description('list all keys, newest first; older keys only verify existing macaroons')
    .action(async (options: CommonOptions) => {
      const rows = await context.readInstallation(async (installation) =>
        (await installation.keyring.list()).map(row),
      )
      printList(context, options, rows, {
        columns: COLUMNS,
        empty: 'No keys yet.',
      })
    })

  withJson(keys.command('rotate'))
    .description('add a root key for new macaroons; running nodes use it within a second')
    .option(
      '--discharger',
      'add a key pair of the identity service instead; other issuers notice it automatically',
    )
    .action(async (options: CommonOptions & { readonly discharger?: boolean }) => {
      const { rotate } = await import('../../keyring/rotate.ts')
      const kind: Rotatable = options.discharger ? 'discharger' : 'root'
      const added = await context.withInstallation(async (installation) =>
        (await rotate({ kinds: [kind], authority: installation.authority }, installation)).map(row),
      )
      const told = `Added the ${kind} key ${added[0]?.['id']}, which is now in use. Everything created with older keys stays valid.`
      print(context, options, added[0], told)
    })
}

const row = ({ kind, id, active, createdAt, publicKey }: KeyDescription): RowOf<typeof COLUMNS> => ({
  kind,
  id,
  state: active ? 'active' : 'verifies',
  created_at: createdAt.toISOString(),
  public_key: publicKey === undefined ? null : Buffer.from(publicKey).toString('base64'),
})
