/** What a rule can match, for the pages of rules. */
import type { IssuerSchema, PublisherSchema, ShownPublisherSchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'

export type Publisher = Static<typeof PublisherSchema>
export type ShownPublisher = Static<typeof ShownPublisherSchema>
type Issuer = Static<typeof IssuerSchema>

export interface RuleIssuer extends Issuer {
  /** Each has a field: first those that are needed, then those of which one is. */
  readonly claims: readonly { readonly name: string; readonly isNeeded: boolean }[]
}

export const ruleIssuer = (issuer: Issuer): RuleIssuer => ({
  ...issuer,
  claims: [
    ...issuer.ids.map((name) => ({ name, isNeeded: true })),
    ...issuer.one_of.filter((name) => !issuer.ids.includes(name)).map((name) => ({ name, isNeeded: false })),
  ],
})

/** The name of the field: names of claims have characters that ids of fields cannot have. */
export const claimField = (index: number): string => `claim-${index}`

/** `claim=text`, or `claim:=JSON` for what is not a text, as the command line writes it. */
export const matchLines = ({ match }: Pick<Publisher, 'match'>): readonly string[] =>
  Object.entries(match).map(([claim, matcher]) =>
    typeof matcher === 'string' ? `${claim}=${matcher}` : `${claim}:=${JSON.stringify(matcher)}`,
  )
