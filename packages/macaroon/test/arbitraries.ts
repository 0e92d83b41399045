import fc from 'fast-check'
import {
  addFirstPartyCaveat,
  addThirdPartyCaveat,
  bindDischarge,
  type Macaroon,
  mint,
  type UnverifiedSlice,
} from '../src/index.ts'

export const bytes = (minLength = 0, maxLength = 40): fc.Arbitrary<Uint8Array> =>
  fc.uint8Array({ minLength, maxLength }).map((array) => Buffer.from(array))

/** Well-formed text with any characters, including control characters. */
export const text = fc.string({ unit: 'binary', maxLength: 30 })
const location = fc.oneof(fc.constant(''), text)
const rootKey = bytes(1, 40)

/** A root of either version without third-party caveats. */
export const plainMacaroon: fc.Arbitrary<{ rootKey: Uint8Array; macaroon: Macaroon; conditions: string[] }> =
  fc
    .record({
      rootKey,
      version: fc.constantFrom(1 as const, 2 as const),
      id: text,
      location,
      conditions: fc.array(text),
    })
    .map(({ rootKey, version, id, location, conditions }) => {
      const minted = mint({ rootKey, id, location, version })
      const macaroon = conditions.reduce<Macaroon>((m, c) => addFirstPartyCaveat(m, c), minted)
      return { rootKey, macaroon, conditions }
    })

interface Built {
  readonly rootKey: Uint8Array
  readonly slice: UnverifiedSlice
  /** The conditions in the order in which `verify` returns them. */
  readonly conditions: readonly string[]
}

/** A slice with a nested discharge: root → discharge → the discharge's discharge, each with conditions. */
export const slice: fc.Arbitrary<Built> = fc
  .record({
    rootKey,
    caveatKeys: fc.tuple(rootKey, rootKey),
    ids: fc.uniqueArray(bytes(0, 20), {
      minLength: 3,
      maxLength: 3,
      selector: (b) => Buffer.from(b).toString('hex'),
    }),
    before: fc.array(text, { maxLength: 3 }),
    inside: fc.array(text, { maxLength: 3 }),
    innermost: fc.array(text, { maxLength: 3 }),
    after: fc.array(text, { maxLength: 3 }),
  })
  .map(({ rootKey, caveatKeys: [outerKey, innerKey], ids, before, inside, innermost, after }) => {
    const [rootId, outerId, innerId] = ids as [Uint8Array, Uint8Array, Uint8Array]
    const add = (m: Macaroon, conditions: readonly string[]): Macaroon =>
      conditions.reduce((made, c) => addFirstPartyCaveat(made, c), m)
    const third = { location: 'https://id.example' }
    const rootStart = add(mint({ rootKey, id: rootId, location: 'shop' }), before)
    const root = add(addThirdPartyCaveat(rootStart, { ...third, rootKey: outerKey, id: outerId }), after)
    const outer = addThirdPartyCaveat(add(mint({ rootKey: outerKey, id: outerId }), inside), {
      ...third,
      rootKey: innerKey,
      id: innerId,
    })
    const inner = add(mint({ rootKey: innerKey, id: innerId }), innermost)
    return {
      rootKey,
      slice: [root, bindDischarge(root, outer), bindDischarge(root, inner)] as const,
      conditions: [...before, ...inside, ...innermost, ...after],
    }
  })
