/** Why a request does not match the schema: the validator's findings in plain words. */
import { PATTERNS } from '@ratafia/api'
import type { FastifyError } from 'fastify'
import { quote } from '../../errors.ts'

type Finding = NonNullable<FastifyError['validation']>[number]

/** The first finding and its place. The validator stops there. */
export function describeFindings(
  where: 'body' | 'query',
  findings: readonly Finding[],
): { readonly field: string; readonly message: string } {
  const [first] = findings
  const field = `${where}${first?.instancePath ?? ''}`
  const alternatives = findings.some(({ keyword }) => keyword === 'anyOf')
  return { field, message: `${field} ${alternatives ? oneOf(findings) : wordsFor(first)}.` }
}

/** For "at least one of these" the validator reports every missing one. */
const oneOf = (findings: readonly Finding[]): string =>
  `needs at least one of ${findings.flatMap(({ params }) => params['missingProperty'] ?? []).join(', ')}`

type Words = (params: Readonly<Record<string, unknown>>) => string

const WORDS: ReadonlyMap<string, Words> = new Map<string, Words>([
  ['type', ({ type }) => `must be ${ARTICLES.get(String(type)) ?? String(type)}`],
  ['required', ({ missingProperty }) => `lacks the field ${quote(String(missingProperty))}`],
  [
    'additionalProperties',
    ({ additionalProperty }) => `has an unknown field: ${quote(String(additionalProperty))}`,
  ],
  ['minItems', () => 'must not be empty: leave it out for no limit'],
  ['maxItems', ({ limit }) => `has more than ${limit} items`],
  ['uniqueItems', () => 'contains an item twice'],
  ['minLength', () => 'must not be empty'],
  ['maxLength', ({ limit }) => `is longer than ${limit} characters`],
  [
    'pattern',
    ({ pattern }) => PATTERNS.find((one) => one.pattern === pattern)?.otherwise ?? 'is not allowed',
  ],
  [
    'enum',
    ({ allowedValues }) => `is not one of ${Array.isArray(allowedValues) ? allowedValues.join(', ') : ''}`,
  ],
])

const ARTICLES: ReadonlyMap<string, string> = new Map([
  ['object', 'an object'],
  ['array', 'a list'],
  ['string', 'a string'],
])

function wordsFor(finding: Finding | undefined): string {
  const words = WORDS.get(finding?.keyword ?? '')
  return words && finding ? words(finding.params) : (finding?.message ?? 'does not match the schema')
}
