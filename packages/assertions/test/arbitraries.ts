import fc from 'fast-check'
import type { HeaderInput, SigningInput } from '../src/index.ts'

/** Well-formed text, with more newlines, spaces and dashes than chance would give. */
export const text: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: fc.constantFrom('\n', ' ', '-', ':', 'a', '\r', '\t', '"'), maxLength: 12 }),
)

export const name: fc.Arbitrary<string> = fc.oneof(
  fc.stringMatching(/^[a-z](-?[a-z0-9]){0,6}$/),
  fc.constantFrom('constructor', 'hasownproperty', 'x'),
)

/** A value without empty lists and maps, which canonical text leaves out. */
export const value: fc.Arbitrary<HeaderInput> = fc.letrec<{ value: HeaderInput }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    text,
    fc.array(tie('value'), { minLength: 1, maxLength: 4 }),
    fc
      .uniqueArray(fc.tuple(name, tie('value')), { minLength: 1, maxLength: 4, selector: ([key]) => key })
      .map((entries) => new Map(entries)),
  ),
})).value

/** A device-session-request to sign, with any further headers, revision and body. */
export const signable: fc.Arbitrary<SigningInput<'device-session-request'>> = fc
  .record({
    nonce: text.filter((nonce) => nonce !== ''),
    serial: text.filter((serial) => serial !== '' && !serial.includes('/')),
    revision: fc.nat(),
    extra: fc.array(fc.tuple(name, value), { maxLength: 5 }),
    body: text,
  })
  .map(({ nonce, serial, revision, extra, body }) => ({
    type: 'device-session-request',
    headers: new Map<string, HeaderInput>([
      ...extra.filter(([key]) => key !== 'authority-id'),
      ['brand-id', 'acme'],
      ['model', 'm'],
      ['serial', serial],
      ['nonce', nonce],
      ['timestamp', '2020-01-01T00:00:00Z'],
      ['revision', `${revision}`],
    ]),
    body,
  }))
