/** The options that choose devices: the parameters of the operation `devices`, spelled as options. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { addressRange } from '../../addresses/address-classes.ts'
import { CLONE_EVIDENCE_KINDS } from '../../devices/clones/clone-evidence.ts'
import { DEVICE_ORIGINS, DEVICE_STATUSES } from '../../devices/device.ts'
import { UsageError } from '../context.ts'
import { readInstant } from '../option-values.ts'

interface Filter {
  readonly flags: string
  readonly told: string
  readonly choices?: readonly string[]
  /** It repeats: of its values a device has one. */
  readonly several?: true
}

const FILTERS = {
  q: {
    flags: '--search <text>',
    told: 'only those with this anywhere in their serial number, or with a key that begins like this (8 characters or more)',
  },
  brand: { flags: '--brand <account-id>', told: 'only those of one brand', several: true },
  model: { flags: '--model <brand/model>', told: 'only those of one model', several: true },
  serial: { flags: '--serial <serial>', told: 'only those with this serial number' },
  serial_prefix: {
    flags: '--serial-prefix <text>',
    told: 'only those whose serial number begins like this',
  },
  key: { flags: '--key <id>', told: 'only those with this device key' },
  key_prefix: {
    flags: '--key-prefix <text>',
    told: 'only those whose device key has an id that begins like this',
  },
  status: {
    ...{ flags: '--status <status>', told: 'only those with this status' },
    ...{ choices: DEVICE_STATUSES, several: true },
  },
  quarantined: { flags: '--quarantined', told: 'only those in quarantine' },
  origin: {
    ...{ flags: '--origin <origin>', told: 'only those that came into the register like this' },
    ...{ choices: DEVICE_ORIGINS, several: true },
  },
  decided_by: {
    flags: '--decided-by <account>',
    told: 'only those that this account decided about last',
    several: true,
  },
  registered_since: {
    flags: '--registered-since <time>',
    told: 'only those registered since this time, or since 7d ago',
  },
  registered_until: { flags: '--registered-until <time>', told: 'only those registered before' },
  seen_since: { flags: '--seen-since <time>', told: 'only those last seen since this time' },
  seen_until: { flags: '--seen-until <time>', told: 'only those last seen before' },
  never_seen: {
    flags: '--never-seen',
    told: 'only those that neither registered here nor opened a session',
  },
  session_since: {
    flags: '--session-since <time>',
    told: 'only those that opened a session since this time',
  },
  session_until: {
    flags: '--session-until <time>',
    told: 'only those whose last session was opened before',
  },
  without_session: { flags: '--without-session', told: 'only those that never opened a session' },
  address: {
    flags: '--address <network>',
    told: 'only those last seen from an address or network, such as 203.0.113.0/24',
    several: true,
  },
  past_address: {
    flags: '--past-address <address>',
    told: 'only those that ever registered, or opened a session, from this address',
  },
  evidence: { flags: '--evidence', told: 'only those with evidence of a clone' },
  evidence_kind: {
    ...{ flags: '--evidence-kind <kind>', told: 'only those with this kind of it' },
    ...{ choices: CLONE_EVIDENCE_KINDS, several: true },
  },
} as const satisfies Readonly<Record<string, Filter>>

type FilterName = keyof typeof FILTERS

/** By their parameters. */
export type DeviceFilters = { readonly [Name in FilterName]?: string | boolean | readonly string[] }

const OPTIONS = Object.entries<Filter>(FILTERS).map(([name, filter]) => ({
  name,
  filter,
  option: optionOf(filter),
}))

function optionOf({ flags, told, choices, several }: Filter): Option {
  const option = new Option(flags, told)
  if (choices) option.choices(choices)
  if (!several) return option
  return option.argParser((value: string, before: readonly string[] = []) => {
    if (choices && !choices.includes(value)) {
      throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`)
    }
    return [...before, value]
  })
}

/** Without those that the command uses for something else. */
export function withDeviceFilters(command: Command, ...left: readonly FilterName[]): Command {
  for (const { name, filter } of OPTIONS) {
    if (!left.some((one) => one === name)) command.addOption(optionOf(filter))
  }
  return command
}

/** What a command was given. Throws {@link UsageError} for what is not a time, or not a network. */
export function filtersIn(options: object, now: Date): DeviceFilters {
  const given = new Map<string, unknown>(Object.entries(options))
  const wrong = [given.get('address') ?? []].flat().find((text) => !addressRange(String(text)))
  if (wrong !== undefined) {
    throw new UsageError(`--address ${wrong} is neither an address nor a network such as 203.0.113.0/24.`)
  }
  return Object.fromEntries(
    OPTIONS.flatMap(({ name, option }) => {
      const value = given.get(option.attributeName())
      if (value === undefined) return []
      const isInstant = /_(since|until)$/.test(name) && typeof value === 'string'
      const instant = isInstant
        ? readInstant(String(option.long), value, { now, direction: 'ago' })
        : undefined
      return [[name, instant?.toISOString() ?? value]]
    }),
  )
}

/** The devices that a list in this order can have. */
function listedBy(sort: string): string {
  if (sort.endsWith('seen')) return 'device that was ever seen'
  return sort === '-evidence' ? 'device with evidence of a clone' : 'device'
}

/** Returns the text for a list without devices, which repeats the filters. */
export function nothingFound({ q, ...filters }: DeviceFilters, sort: string): string {
  const device = listedBy(sort)
  const others = Object.entries(filters)
    .map(([name, value]) => [OPTIONS.find((one) => one.name === name)?.option.long, value])
    .map(([flag, value]) => (value === true ? flag : `${flag} ${[value].flat().join(', ')}`))
  const fits = others.length === 0 ? '' : ` fits ${others.join(' ')}`
  if (typeof q !== 'string') return others.length === 0 ? `There is no ${device}.` : `No ${device}${fits}.`
  const key = q.length < 8 ? '' : `, or a key that begins with it${fits === '' ? '' : ','}`
  return `No ${device}${fits === '' ? ' has' : ' with'} a serial that contains ${JSON.stringify(q)}${key}${fits}.`
}
