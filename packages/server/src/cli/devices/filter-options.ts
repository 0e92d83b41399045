/** The options that select devices: the parameters of the operation `devices`. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { addressRange } from '../../addresses/address-classes.ts'
import { CLONE_EVIDENCE_KINDS } from '../../devices/clones/clone-evidence.ts'
import { DEVICE_ORIGINS, DEVICE_STATUSES } from '../../devices/device.ts'
import { UsageError } from '../context.ts'
import { readAgo } from '../option-values.ts'
import { flagsOf } from '../output.ts'

interface Filter {
  readonly flags: string
  /** The description, after "only devices". */
  readonly told: string
  /** Whether the option can repeat, or the values that it can repeat with; a device must have one of them. */
  readonly several?: true | readonly string[]
}

const FILTERS = {
  q: {
    flags: '--search <text>',
    told: 'with this text in their serial number, or at the start of their key id (8 characters or more)',
  },
  brand: { flags: '--brand <account-id>', told: 'of this brand', several: true },
  model: { flags: '--model <brand/model>', told: 'of this model', several: true },
  serial: { flags: '--serial <serial>', told: 'with this serial number' },
  serial_prefix: { flags: '--serial-prefix <text>', told: 'whose serial number begins with this text' },
  key: { flags: '--key <id>', told: 'with this device key' },
  key_prefix: { flags: '--key-prefix <text>', told: 'whose key id begins with this text' },
  status: { flags: '--status <status>', told: 'with this status', several: DEVICE_STATUSES },
  quarantined: { flags: '--quarantined', told: 'in quarantine' },
  origin: { flags: '--origin <origin>', told: 'with this origin', several: DEVICE_ORIGINS },
  decided_by: {
    flags: '--decided-by <account>',
    told: 'about which this account made the latest decision',
    several: true,
  },
  registered_since: {
    flags: '--registered-since <time>',
    told: 'registered since this time, or since a duration ago such as 7d',
  },
  registered_until: { flags: '--registered-until <time>', told: 'registered before this time' },
  seen_since: { flags: '--seen-since <time>', told: 'last seen since this time' },
  seen_until: { flags: '--seen-until <time>', told: 'last seen before this time' },
  never_seen: { flags: '--never-seen', told: 'that neither registered here nor opened a session' },
  session_since: { flags: '--session-since <time>', told: 'that opened a session since this time' },
  session_until: {
    flags: '--session-until <time>',
    told: 'whose latest session was opened before this time',
  },
  without_session: { flags: '--without-session', told: 'that never opened a session' },
  address: {
    flags: '--address <network>',
    told: 'last seen from this address or network, such as 203.0.113.0/24',
    several: true,
  },
  past_address: {
    flags: '--past-address <address>',
    told: 'that ever registered or opened a session from this address',
  },
  evidence: { flags: '--evidence', told: 'with evidence of a clone' },
  evidence_kind: {
    flags: '--evidence-kind <kind>',
    told: 'with this kind of evidence of a clone',
    several: CLONE_EVIDENCE_KINDS,
  },
} as const satisfies Readonly<Record<string, Filter>>

type FilterName = keyof typeof FILTERS

/** The filters, by the names of their parameters. */
export type DeviceFilters = { readonly [Name in FilterName]?: string | boolean | readonly string[] }

const OPTIONS = Object.entries<Filter>(FILTERS).map(([name, filter]) => ({
  name,
  filter,
  option: optionOf(filter),
}))

function optionOf({ flags, told, several }: Filter): Option {
  const option = new Option(flags, `only devices ${told}${several ? '; repeatable' : ''}`)
  if (!several) return option
  const choices = several === true ? undefined : several
  if (choices) option.choices(choices)
  return option.argParser((value: string, before: readonly string[] = []) => {
    if (choices && !choices.includes(value)) {
      throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`)
    }
    return [...before, value]
  })
}

/** Adds the options, without those that the command uses for something else. */
export function withDeviceFilters(command: Command, ...left: readonly FilterName[]): Command {
  for (const { name, filter } of OPTIONS) {
    if (!left.some((one) => one === name)) command.addOption(optionOf(filter))
  }
  return command
}

/** Returns the given filters. Throws {@link UsageError} for an invalid time or network. */
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
      const instant = isInstant ? readAgo(String(option.long), value, now) : undefined
      return [[name, instant?.toISOString() ?? value]]
    }),
  )
}

/** Returns a noun phrase for a device that a list in this order can contain. */
function listedBy(sort: string): string {
  if (sort.endsWith('seen')) return 'device that was ever seen'
  return sort === '-evidence' ? 'device with evidence of a clone' : 'device'
}

/** Returns the text for a list without devices, which repeats the filters. */
export function nothingFound({ q, ...filters }: DeviceFilters, sort: string): string {
  const device = listedBy(sort)
  const flags = flagsOf(filters)
  const fits = flags && ` matches ${flags}`
  if (typeof q !== 'string') {
    if (fits) return `No ${device}${fits}.`
    return device === 'device' ? 'No devices yet.' : `There is no ${device}.`
  }
  const key = q.length < 8 ? '' : `, or a key that begins with it${fits === '' ? '' : ','}`
  return `No ${device}${fits === '' ? ' has' : ' with'} a serial that contains ${JSON.stringify(q)}${key}${fits}.`
}
