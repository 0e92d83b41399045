import { isMap } from '../../headers/header-value.ts'
import { quote } from '../../text.ts'
import { type Entry, entryFault, entryModes, entryText, oneOf } from './entry.ts'
import { isSnapName, SNAP_NAME } from './names.ts'

const PRESENCES = ['required', 'optional']

/** Checks `components` of a snap that is in these modes: a map of names to a presence, or to a map with one. */
export function checkComponents(snap: Entry, snapModes: readonly string[]): void {
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
