// Checks `snaps` of a model for Ubuntu Core 20 and newer like snapd 2.77.

import { faulty, optionalText, text } from '../../headers/header-checks.ts'
import { type Headers, isList, isMap } from '../../headers/header-value.ts'
import { quote } from '../../text.ts'
import {
  type Entry,
  entryChoice,
  entryFault,
  entryModes,
  entryText,
  oneOf,
  optionalEntryText,
} from './entry.ts'
import { channelFault, isSnapId, isSnapName, SNAP_NAME } from './names.ts'

/** The other headers of the model that the checks of its snaps depend on. */
interface ModelOfSnaps {
  readonly base: string
  readonly classic: boolean
  readonly grade: string
}

interface Snap {
  readonly name: string
  readonly id: string | undefined
  readonly type: (typeof TYPES)[number]
}

/** The first is the default. */
const TYPES = ['app', 'base', 'gadget', 'kernel', 'core', 'snapd'] as const
/** The types that allow only one snap per model. */
const SINGLE: readonly string[] = ['snapd', 'kernel', 'gadget']
/** The bases whose ids snapd knows, so a model need not list them. A newer snapd knows the next one. */
const KNOWN_BASE = /^(?:core|snapd|core18|core[2-9][02468])$/

/** Throws {@link AssertionError}. */
export function checkSnaps(headers: Headers): void {
  const value = headers.get('snaps')
  if (!isList(value)) throw faulty('snaps', 'is not a list of maps')
  const model: ModelOfSnaps = {
    base: text(headers, 'base'),
    classic: headers.get('classic') === 'true',
    grade: optionalText(headers, 'grade') || 'signed',
  }
  const snaps = value.map((map) => {
    if (!isMap(map)) throw faulty('snaps', 'is not a list of maps')
    return readSnap(map, model)
  })
  checkTogether(snaps, model)
}

function readSnap(map: Headers, model: ModelOfSnaps): Snap {
  const name = entryText({ map, where: 'header "snaps", one snap' }, 'name')
  const snap: Entry = { map, where: `header "snaps", snap ${quote(name)}` }
  if (!isSnapName(name)) throw entryFault(snap, `invalid name: ${SNAP_NAME}`)
  const id = readId(snap, model)
  const type = entryChoice(snap, 'type', TYPES)
  const essential = SINGLE.includes(type) || name === model.base
  if (essential && optionalEntryText(snap, 'presence')) throw alwaysThere(snap, 'presence')
  entryChoice(snap, 'presence', ['required', 'optional'])
  const modes = readModes(snap, essential)
  checkChannel(snap)
  checkClassic(snap, type, modes, model)
  checkComponents(snap, modes)
  return { name, id, type }
}

/** Reads a snap's id. In a dangerous model it is optional, because the snap may not be in the store yet. */
function readId(snap: Entry, { grade }: ModelOfSnaps): string | undefined {
  if (!snap.map.has('id')) {
    if (grade === 'dangerous') return undefined
    throw entryFault(snap, `"id" is missing, and the grade ${grade} requires it`, 'missing-header')
  }
  const id = entryText(snap, 'id')
  if (!isSnapId(id)) throw entryFault(snap, `"id" is not 32 letters and digits: ${quote(id)}`)
  return id
}

/** Returns the modes that the snap is in. */
function readModes(snap: Entry, essential: boolean): readonly string[] {
  const modes = entryModes(snap)
  if (!essential) return modes.length > 0 ? modes : ['run']
  if (modes.length > 0) throw alwaysThere(snap, 'modes')
  return ['run', 'ephemeral']
}

function checkChannel(snap: Entry): void {
  const channel = optionalEntryText(snap, 'default-channel') || 'latest/stable'
  const fault = channelFault(channel)
  if (fault !== undefined) throw entryFault(snap, `"default-channel" is ${quote(channel)}: ${fault}`)
}

function checkClassic(snap: Entry, type: string, modes: readonly string[], model: ModelOfSnaps): void {
  const classic = snap.map.get('classic')
  if (classic !== undefined && classic !== 'true' && classic !== 'false') {
    throw entryFault(snap, '"classic" is neither "true" nor "false"')
  }
  if (classic !== 'true') return
  if (!model.classic) throw entryFault(snap, 'it is classic, but the model is not')
  if (type !== 'app') throw entryFault(snap, `it is classic, so its type must be app, not ${type}`)
  if (modes.length !== 1 || modes[0] !== 'run') {
    throw entryFault(snap, 'it is classic, so its only mode must be run')
  }
}

const alwaysThere = (snap: Entry, name: string) =>
  entryFault(snap, `"${name}" is not allowed: the system needs this snap in every mode`, 'unexpected-header')

function checkTogether(snaps: readonly Snap[], { base, classic, grade }: ModelOfSnaps): void {
  refuseRepeated(snaps)
  for (const type of SINGLE) {
    const [first, second] = snaps.filter((snap) => snap.type === type)
    if (first && second) {
      throw faulty('snaps', `has two snaps of type ${type}: ${quote(first.name)} and ${quote(second.name)}`)
    }
  }
  const boot = snaps.find(({ name }) => name === base)
  // If a kernel or gadget has the name of the base, snapd treats it as the kernel or gadget.
  if (boot && boot.type !== 'base' && !SINGLE.includes(boot.type)) {
    throw faulty('snaps', `has the base ${quote(base)} with the type ${boot.type}: its type must be base`)
  }
  const has = (type: string): boolean => snaps.some((snap) => snap.type === type)
  if (!classic && !has('gadget')) throw faulty('snaps', 'has no snap of type gadget', 'missing-header')
  if (!classic && !has('kernel')) throw faulty('snaps', 'has no snap of type kernel', 'missing-header')
  if (has('kernel') && !has('gadget'))
    throw faulty('snaps', 'has a kernel without a gadget', 'missing-header')
  if (boot?.type !== 'base' && grade !== 'dangerous' && !KNOWN_BASE.test(base)) {
    throw faulty('snaps', `does not have the base ${quote(base)}: list it with its id`, 'missing-header')
  }
}

function refuseRepeated(snaps: readonly Snap[]): void {
  const names = new Set<string>()
  const ids = new Map<string, string>()
  for (const { name, id } of snaps) {
    if (names.has(name)) throw faulty('snaps', `has ${quote(name)} twice`)
    names.add(name)
    const other = id === undefined ? undefined : ids.get(id)
    if (other !== undefined) {
      throw faulty('snaps', `has the same "id" for ${quote(other)} and ${quote(name)}`)
    }
    if (id !== undefined) ids.set(id, name)
  }
}

const PRESENCES = ['required', 'optional']

/** Checks `components` of a snap that is in these modes. It maps names to a presence, or to a map with a presence. */
function checkComponents(snap: Entry, snapModes: readonly string[]): void {
  const components = snap.map.get('components')
  if (components === undefined) return
  if (!isMap(components)) throw entryFault(snap, '"components" is not a map')
  for (const [name, value] of components) {
    const where = `${snap.where}, component ${quote(name)}`
    if (!isSnapName(name)) throw entryFault({ where }, `invalid name: ${SNAP_NAME}`)
    if (typeof value === 'string') checkPresence(value, where)
    else if (isMap(value)) checkMap({ map: value, where }, snapModes)
    else throw entryFault({ where }, 'it is neither "required", "optional" nor a map')
  }
}

function checkMap(component: Entry, snapModes: readonly string[]): void {
  for (const name of component.map.keys()) {
    if (name !== 'presence' && name !== 'modes') {
      throw entryFault(component, `"${name}" is not known: a component has "presence" and "modes"`)
    }
  }
  checkPresence(entryText(component, 'presence'), component.where)
  const other = entryModes(component).find((mode) => !snapModes.includes(mode))
  if (other !== undefined) throw entryFault(component, `its snap is not in the mode ${quote(other)}`)
}

function checkPresence(presence: string, where: string): void {
  if (PRESENCES.includes(presence)) return
  throw entryFault({ where }, `"presence" is ${quote(presence)}: ${oneOf(PRESENCES)}`)
}
