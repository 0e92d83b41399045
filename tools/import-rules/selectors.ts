// Selectors for the rule table: of the files that a rule applies to, and of the targets of imports.

import type { Layer, Place } from './places.ts'
import type { What, Who } from './rule.ts'

export const isTest: Who = (place) => place.layer === 'test'
export const inLayer = (...layers: readonly Layer[]): Who => {
  return (place) => layers.includes(place.layer)
}
export const sourceOutside = (...layers: readonly Layer[]): Who => {
  return (place) => !isTest(place) && !layers.includes(place.layer)
}

export const ours = (who: (place: Place, from: Place) => boolean): What => {
  return (target, from) => target.kind === 'ours' && who(target.place, from)
}
export const layer = (...layers: readonly Layer[]) => ours(inLayer(...layers))
export const test = ours(isTest)
export const ownPackage = ours((place, from) => place.package === from.package)
export const ownFolder = ours((place, from) => place.package === from.package && place.folder === from.folder)
export const own = (...layers: readonly Layer[]): What => {
  return (...args) => layer(...layers)(...args) && ownFolder(...args)
}
export const typesOf = (what: What): What => {
  return (target, from, typeOnly) => typeOnly && what(target, from, typeOnly)
}
export const valuesOf = (what: What): What => {
  return (target, from, typeOnly) => !typeOnly && what(target, from, typeOnly)
}
export const folder = (name: string): What => ours((place) => place.folder === name)
/** Selects libraries and modules of Node by name. A name that ends in `/` stands for the whole scope. */
export const library = (...names: readonly string[]): What => {
  return (target) =>
    (target.kind === 'builtin' || target.kind === 'external') &&
    names.some((name) => target.name === name || (name.endsWith('/') && target.name.startsWith(name)))
}
