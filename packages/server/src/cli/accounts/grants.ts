/** `ratafia grants`: the roles of accounts for administering the service. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import { ROLE_NAMES, ROLES } from '@ratafia/api/roles'
import { type Command, Option } from 'commander'
import type { JsonObject } from '../../foreign-json.ts'
import { withYes } from '../confirm.ts'
import type { CommandContext, CommonOptions } from '../context.ts'
import { readAhead } from '../option-values.ts'
import { note, print, withJson, withList } from '../output.ts'
import { listRecords, printRecord } from '../service/records.ts'
import { goes, withService } from '../service/ways.ts'

const COLUMNS = ['account', 'role', 'brand', 'granted_at', 'granted_by', 'expires_at', 'id', 'account_id']
const SHOWN = COLUMNS.slice(0, 6)
const MOST = 10_000

interface GrantOptions extends CommonOptions {
  readonly brand?: string
  readonly expires?: string
  readonly withAgent?: readonly string[]
}

interface ListOptions extends CommonOptions {
  readonly account?: string
  readonly role?: string
  readonly brand?: string
}

const ROLES_HELP = `
Roles:
${ROLE_NAMES.map((role) => `  ${role.padEnd(16)} ${ROLES[role].meaning}${ROLES[role].scope === 'brand' ? '; for one brand or all' : ''}`).join('\n')}`

export function grantCommands(parent: Command, context: CommandContext): void {
  const grants = parent
    .command('grants')
    .description('manage the roles of accounts for administering the service')
    .addHelpText('after', ROLES_HELP)

  goes(withList(grants.command('list'), COLUMNS), 'both', ['grants'])
    .description('list grants: which account has which role')
    .option('--account <username>', 'only grants of one account')
    .addOption(new Option('--role <role>', 'only grants of this role').choices([...ROLE_NAMES]))
    .option('--brand <id>', 'only grants for one brand')
    .action(({ account, role, brand, ...options }: ListOptions) =>
      listRecords(context, options, {
        ...{ operation: api.grants, name: 'grants', asking: { query: { account, role, brand } }, most: MOST },
        ...{ columns: SHOWN, empty: 'No grants.', filters: { account, role, brand } },
        more: `Only the first ${MOST} are shown. Narrow the list with --account, --role and --brand.`,
      }),
    )

  goes(withJson(grants.command('add <username> <role>')), 'both', ['addGrant', 'accountAgents'])
    .description('grant a role to an account; on the host, this creates the first operator')
    .option('--brand <id>', 'grant the role only for this brand')
    .option('--expires <time>', 'when the grant expires, such as 2027-01-31T12:00:00Z or 90d')
    .option(
      '--with-agent <name...>',
      'existing agents of the account that also get the role; agents that you add later always get it',
    )
    .addHelpText('after', ROLES_HELP)
    .action((username: string, role: string, options: GrantOptions) => add(username, role, options, context))

  goes(withYes(withJson(grants.command('remove <username> <role>'))), 'both', ['removeGrant', 'grants'])
    .description('remove a role from an account; this takes effect within a second')
    .option('--brand <id>', 'the grant for this brand')
    .action((account: string, role: string, { brand, ...options }: GrantOptions) =>
      printRecord(
        context,
        options,
        'change',
        async (service) => {
          const query = { account, role, brand }
          const { records } = await service.list(api.grants, 'grants', { query, most: MOST })
          const found = records.find((one) => one['role'] === role && one['brand'] === (brand ?? null))
          const named = [account, role, ...(brand === undefined ? [] : [brand])].join(':')
          return service.recordOf(api.removeGrant, { id: String(found?.['id'] ?? named) })
        },
        (record) => `${record['account']} no longer has the role ${roleOf(record)}.`,
      ),
    )
}

async function add(
  username: string,
  role: string,
  { brand, withAgent: agents, expires: given, ...options }: GrantOptions,
  context: CommandContext,
): Promise<void> {
  const { grant, all } = await withService(context, options, 'change', async (service) => {
    const expires = readAhead('--expires', given, service.clock())?.toISOString() ?? null
    const body = { account: username, role, brand: brand ?? null, expires, ...(agents && { agents }) }
    return {
      grant: await service.recordOf(api.addGrant, { body }),
      all: await service.list(api.accountAgents, 'agents', { id: username, most: MOST }),
    }
  })
  const until = grant['expires_at'] === null ? '' : ` until ${grant['expires_at']}`
  print(context, options, grant, `${grant['account']} now has the role ${roleOf(grant)}${until}.`)
  const without = all.records.map(({ name }) => String(name)).filter((name) => !agents?.includes(name))
  if (without.length === 0) return
  note(
    context.streams,
    `These agents of ${username} existed already and do not get the role: ${without.join(', ')}. To grant it to them, add the agents again, or remove the grant and add it again with --with-agent.`,
  )
}

const roleOf = ({ role, brand }: JsonObject): string =>
  `${role}${typeof brand === 'string' ? ` for ${brand}` : ''}`
