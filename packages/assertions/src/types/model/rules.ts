// Checks a model's headers about snaps and grades like snapd (2.77, asserts). Nothing in this package depends on them,
// but a device refuses a model that breaks the rules, and without this check the first device would reveal it.

import { faulty, optionalText, text } from '../../headers/header-checks.ts'
import { type Headers, type HeaderValue, isList, isMap } from '../../headers/header-value.ts'
import { quote } from '../../text.ts'
import type { Source } from '../row.ts'
import { type Entry, entryFault, entryText, oneOf, optionalEntryText } from './entry.ts'
import { isRisk, isSnapName, SNAP_NAME } from './names.ts'
import { checkSnaps } from './snaps.ts'

/** The four kinds of model, which have different headers. */
type Kind = 'core' | 'classic' | 'core with snaps' | 'classic with snaps'

interface Rule {
  readonly header: string
  readonly requiredIn?: readonly Kind[]
  /** The reason why the header is not allowed, by kind. */
  readonly refusedIn?: Readonly<Partial<Record<Kind, string>>>
  /** Checks the value if the header is present. */
  readonly check: (value: HeaderValue, source: Source) => void
}

const inside = 'is not allowed together with "snaps": list the snap there'
const WITH_SNAPS = { 'core with snaps': inside, 'classic with snaps': inside }
const withoutSnaps = 'is not allowed without "snaps"'
const WITHOUT_SNAPS = { core: withoutSnaps, classic: withoutSnaps }
const CLASSIC = 'is not allowed in a classic model without "snaps"'
const distribution = 'is only allowed in a classic model with "snaps"'

const RULES: readonly Rule[] = [
  {
    header: 'distribution',
    requiredIn: ['classic with snaps'],
    refusedIn: { core: distribution, classic: distribution, 'core with snaps': distribution },
    check: (_, { headers }) => matches(headers, 'distribution', /^[a-z0-9._-]*$/, 'an ID of os-release'),
  },
  {
    header: 'architecture',
    requiredIn: ['core', 'core with snaps', 'classic with snaps'],
    check: (_, { headers }) => optionalText(headers, 'architecture'),
  },
  {
    header: 'base',
    requiredIn: ['core with snaps', 'classic with snaps'],
    refusedIn: { classic: CLASSIC },
    check: (_, { headers }) => {
      const base = optionalText(headers, 'base')
      if (base) snapName('base', base)
    },
  },
  { header: 'gadget', requiredIn: ['core'], refusedIn: WITH_SNAPS, check: withTrack('gadget') },
  {
    header: 'kernel',
    requiredIn: ['core'],
    refusedIn: { ...WITH_SNAPS, classic: CLASSIC },
    check: withTrack('kernel'),
  },
  {
    header: 'required-snaps',
    refusedIn: WITH_SNAPS,
    check: (names) => {
      if (!isList(names)) throw faulty('required-snaps', 'is not a list of strings')
      for (const name of names) snapName('required-snaps', name)
    },
  },
  {
    header: 'grade',
    refusedIn: WITHOUT_SNAPS,
    check: choice('grade', ['secured', 'signed', 'dangerous']),
  },
  {
    header: 'storage-safety',
    refusedIn: WITHOUT_SNAPS,
    check: (value, source) => {
      choice('storage-safety', ['encrypted', 'prefer-encrypted', 'prefer-unencrypted'])(value, source)
      if (source.headers.get('grade') === 'secured' && value !== '' && value !== 'encrypted') {
        throw faulty('storage-safety', `is ${quote(String(value))}: a secured model must be encrypted`)
      }
    },
  },
  { header: 'snaps', check: (_, { headers }) => checkSnaps(headers) },
  {
    header: 'validation-sets',
    check: (value, { headers }) => checkValidationSets(value, text(headers, 'brand-id')),
  },
]

/** Throws {@link AssertionError} for the first rule that the headers break. */
export function checkModelRules(source: Source): void {
  const { headers } = source
  const kind = kindOf(headers)
  for (const { header, refusedIn } of RULES) {
    const refused = refusedIn?.[kind]
    if (headers.has(header) && refused !== undefined) throw faulty(header, refused, 'unexpected-header')
  }
  for (const { header, requiredIn } of RULES) if (requiredIn?.includes(kind)) text(headers, header)
  for (const { header, check } of RULES) {
    const value = headers.get(header)
    if (value !== undefined) check(value, source)
  }
}

function kindOf(headers: Headers): Kind {
  const kind = headers.get('classic') === 'true' ? 'classic' : 'core'
  return headers.has('snaps') ? `${kind} with snaps` : kind
}

function matches(headers: Headers, header: string, pattern: RegExp, what: string): void {
  const value = text(headers, header)
  if (!pattern.test(value)) throw faulty(header, `is not ${what}: ${quote(value)}`)
}

function snapName(header: string, name: HeaderValue): void {
  if (typeof name !== 'string') throw faulty(header, 'is not a list of strings')
  if (!isSnapName(name)) throw faulty(header, `has an invalid snap name: ${quote(name)}: ${SNAP_NAME}`)
}

/** Returns a check for `NAME` or `NAME=TRACK`. */
function withTrack(header: string): Rule['check'] {
  return (_, { headers }) => {
    const value = optionalText(headers, header) ?? ''
    const equals = value.indexOf('=')
    snapName(header, equals === -1 ? value : value.slice(0, equals))
    const track = equals === -1 ? '' : value.slice(equals + 1)
    if (track.includes('/') || isRisk(track)) {
      throw faulty(header, `has the channel ${quote(track)}: only a track can follow the "="`)
    }
  }
}

function choice(header: string, choices: readonly string[]): Rule['check'] {
  return (_, { headers }) => {
    const value = optionalText(headers, header)
    if (value && !choices.includes(value)) throw faulty(header, `is ${quote(value)}: ${oneOf(choices)}`)
  }
}

const MODES = ['prefer-enforce', 'enforce']

/** Checks a model's `validation-sets`. Each names a set of an account, which is the brand by default. */
function checkValidationSets(value: HeaderValue, brandId: string): void {
  if (!isList(value)) throw faulty('validation-sets', 'is not a list of maps')
  const seen = new Set<string>()
  for (const map of value) {
    if (!isMap(map)) throw faulty('validation-sets', 'is not a list of maps')
    const set = readSet(map, brandId)
    if (seen.has(set)) throw faulty('validation-sets', `has ${quote(set)} twice`)
    seen.add(set)
  }
}

/** Checks a validation set and returns its `ACCOUNT/NAME`. */
function readSet(map: Headers, brandId: string): string {
  const name = entryText({ map, where: 'header "validation-sets", one set' }, 'name')
  const set: Entry = { map, where: `header "validation-sets", set ${quote(name)}` }
  if (!/^[a-z0-9](?:-?[a-z0-9])*$/.test(name)) {
    throw entryFault(set, 'invalid name: it has lower-case letters, digits and single dashes')
  }
  const account = optionalEntryText(set, 'account-id') || brandId
  if (map.has('sequence')) checkSequence(set)
  const mode = entryText(set, 'mode')
  if (!MODES.includes(mode)) throw entryFault(set, `"mode" is ${quote(mode)}: ${oneOf(MODES)}`)
  return `${account}/${name}`
}

function checkSequence(set: Entry): void {
  const sequence = entryText(set, 'sequence')
  // Go accepts a sign here, but no leading zeros.
  if (!/^(?:\+0*)?[1-9][0-9]*$/.test(sequence) || Number(sequence) > 2 ** 63 - 1) {
    throw entryFault(set, `"sequence" is ${quote(sequence)}: it must be a whole number from 1`)
  }
}
