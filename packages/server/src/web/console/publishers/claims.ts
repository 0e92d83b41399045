/** The claims that a rule can match, for the rule pages. */
import type { IssuerSchema, PublisherSchema, ShownPublisherSchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'

export type Publisher = Static<typeof PublisherSchema>
export type ShownPublisher = Static<typeof ShownPublisherSchema>
type Issuer = Static<typeof IssuerSchema>

export interface RuleIssuer extends Issuer {
  /** The claims that have a field: first the required ones, then a group where at least one is required. */
  readonly claims: readonly { readonly name: string; readonly isNeeded: boolean }[]
}

export const ruleIssuer = (issuer: Issuer): RuleIssuer => ({
  ...issuer,
  claims: [
    ...issuer.ids.map((name) => ({ name, isNeeded: true })),
    ...issuer.one_of.filter((name) => !issuer.ids.includes(name)).map((name) => ({ name, isNeeded: false })),
  ],
})

/** The name of a claim's field. The claim's own name can have characters that element ids cannot have. */
export const claimField = (index: number): string => `claim-${index}`

/** Returns `claim=text`, or `claim:=JSON` for values other than strings, as on the command line. */
export const matchLines = ({ match }: Pick<Publisher, 'match'>): readonly string[] =>
  Object.entries(match).map(([claim, matcher]) =>
    typeof matcher === 'string' ? `${claim}=${matcher}` : `${claim}:=${JSON.stringify(matcher)}`,
  )
