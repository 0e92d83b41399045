import { faulty } from '../../headers/header-checks.ts'
import { type Headers, type HeaderValue, isList, isMap } from '../../headers/header-value.ts'
import { quote } from '../../text.ts'
import { type Entry, entryFault, entryText, oneOf, optionalEntryText } from './entry.ts'

const MODES = ['prefer-enforce', 'enforce']

/** Checks `validation-sets` of a model: each names a set of an account, of the brand unless it says another. */
export function checkValidationSets(value: HeaderValue, brandId: string): void {
  if (!isList(value)) throw faulty('validation-sets', 'is not a list of maps')
  const seen = new Set<string>()
  for (const map of value) {
    if (!isMap(map)) throw faulty('validation-sets', 'is not a list of maps')
    const set = readSet(map, brandId)
    if (seen.has(set)) throw faulty('validation-sets', `has ${quote(set)} twice`)
    seen.add(set)
  }
}

/** `ACCOUNT/NAME`. */
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
  // As Go reads it: a sign is fine, leading zeros are not.
  if (!/^(?:\+0*)?[1-9][0-9]*$/.test(sequence) || Number(sequence) > 2 ** 63 - 1) {
    throw entryFault(set, `"sequence" is ${quote(sequence)}: it must be a whole number from 1`)
  }
}
