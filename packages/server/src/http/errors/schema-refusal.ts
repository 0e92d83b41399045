/** Explains why a request does not match its schema: the validator's findings as a sentence. */
import { PATTERNS } from '@ratafia/api'
import type { FastifyError } from 'fastify'
import { closest } from '../../config/closest.ts'
import { quote } from '../../errors.ts'

/** `parentSchema` and `data` are set because the validator is verbose. */
type Finding = NonNullable<FastifyError['validation']>[number] & {
  readonly parentSchema?: object | undefined
  readonly data?: unknown
}
type Where = 'body' | 'query'

/** Describes the first problem, where the validator stops. The message begins with `field`. */
export function describeFindings(
  where: Where,
  findings: readonly Finding[],
): { readonly field: string; readonly message: string } {
  const { place, words } = said(where, findings)
  const field = `${where}${place}`
  return { field, message: `${field} ${words}${words.endsWith('?') ? '' : '.'}` }
}

interface Said {
  /** A JSON Pointer into the body or the query; empty for all of it. */
  readonly place: string
  readonly words: string
}

function said(where: Where, findings: readonly Finding[]): Said {
  const [first] = findings
  if (first === undefined) return { place: '', words: 'does not match the schema' }
  // A union's finding is reported after those of its alternatives.
  const union = findings.findLast(({ keyword }) => keyword === 'anyOf')
  if (union && union.instancePath.length <= first.instancePath.length) return ofUnion(where, union, findings)
  return { place: first.instancePath, words: wordsFor(where, first) }
}

/** Describes the alternative that fits the value's type; if none does, lists the types they all accept. */
function ofUnion(
  where: Where,
  { instancePath: place, schemaPath }: Finding,
  findings: readonly Finding[],
): Said {
  const ofAlternatives = findings.filter((one) => one.schemaPath.startsWith(`${schemaPath}/`))
  const needed = ofAlternatives.flatMap(({ keyword, params }) =>
    keyword === 'required' ? [quote(String(params['missingProperty']))] : [],
  )
  if (needed.length === ofAlternatives.length) {
    return { place, words: `needs at least one of the fields ${needed.join(' and ')}` }
  }
  const isOfKind = ({ keyword, instancePath }: Finding) => keyword === 'type' && instancePath === place
  const closer = ofAlternatives.filter((one) => !isOfKind(one))
  if (closer.length > 0) return said(where, closer)
  return { place, words: `must be ${ofAlternatives.map(({ params }) => kindOf(params)).join(' or ')}` }
}

type Parameters = Readonly<Record<string, unknown>>
type Words = (params: Parameters) => string

const WORDS: ReadonlyMap<string, Words> = new Map<string, Words>([
  ['type', (params) => `must be ${kindOf(params)}`],
  ['minItems', () => 'must not be empty: give at least one item, or leave it out'],
  ['maxItems', ({ limit }) => `has more than ${limit} items`],
  ['uniqueItems', () => 'contains an item twice'],
  ['minLength', () => 'must not be empty'],
  ['maxLength', ({ limit }) => `is longer than ${limit} characters`],
  ['minimum', ({ limit }) => `must be at least ${limit}`],
  ['maximum', ({ limit }) => `must be at most ${limit}`],
  ['minProperties', () => 'must not be empty'],
  ['maxProperties', ({ limit }) => `has more than ${limit === 1 ? 'one field' : `${limit} fields`}`],
  [
    'pattern',
    ({ pattern }) => PATTERNS.find((one) => one.pattern === pattern)?.otherwise ?? 'is not allowed',
  ],
  ['const', ({ allowedValue }) => `must be ${String(allowedValue)}`],
  [
    'enum',
    ({ allowedValues }) => `is not one of ${Array.isArray(allowedValues) ? allowedValues.join(', ') : ''}`,
  ],
])

const KINDS: ReadonlyMap<string, string> = new Map([
  ['object', 'an object'],
  ['array', 'a list'],
  ['string', 'a string'],
  ['integer', 'a whole number'],
  ['boolean', 'true or false'],
])

const kindOf = ({ type }: Parameters): string => KINDS.get(String(type)) ?? String(type)

function wordsFor(where: Where, { keyword, params, parentSchema, data, message }: Finding): string {
  const noun = where === 'query' ? 'parameter' : 'field'
  if (keyword === 'required') return `lacks the ${noun} ${quote(String(params['missingProperty']))}`
  if (keyword === 'additionalProperties') {
    const { properties = {} } = (parentSchema ?? {}) as { readonly properties?: object }
    const known = Object.keys(properties)
    return `has an unknown ${noun}: ${hinted(String(params['additionalProperty']), known)}`
  }
  if (where === 'query' && keyword === 'type' && Array.isArray(data)) return 'is given more than once'
  return WORDS.get(keyword)?.(params) ?? message ?? 'does not match the schema'
}

/** Names that differ only in case, in `_` and `-`, or that are lists in the style of PHP and Rails, are one typo. */
function hinted(name: string, known: readonly string[]): string {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  const short = name.slice(0, 64)
  const meant = known.find((one) => plain(one) === plain(short)) ?? closest(short, known)
  return meant === undefined ? quote(name) : `${quote(name)}. Did you mean ${quote(meant)}?`
}

/**
 * Rewrites a message for people who read it without the code: `body/otp must be a string` becomes `The field
 * "otp" must be a string`. The place stays in `extra.field`.
 */
export const withPlaceInWords = (message: string): string =>
  message.replace(/^(body|query)(?:\/([^\s:]+))?(?=[ :])/, (_, where: Where, place?: string) => {
    if (place === undefined) return `The ${where}`
    return `The ${where === 'query' ? 'parameter' : 'field'} ${quote(place)}`
  })
