/** What a reminder is: something ends at an instant, and somebody is told so many days before. */
import type { Username } from '@ratafia/api'

/** A developer token, a signing key of a brand, an API key of a model, a role in the administration of the service. */
export type ReminderKind = 'token' | 'signing-key' | 'api-key' | 'grant'

export type Channel = 'mail' | 'webhook'

/** The channels that the settings of reminders name. */
export const channelsOf = ({ mail, webhook }: Readonly<Record<Channel, unknown>>): readonly Channel[] => [
  ...(mail === undefined ? [] : ['mail' as const]),
  ...(webhook === undefined ? [] : ['webhook' as const]),
]

/** Something that ends. Of one that gets another end, the earlier end is over: that is another one. */
export interface Ending {
  readonly kind: ReminderKind
  /** The id of the session, the key or the grant. */
  readonly subject: string
  readonly endsAt: Date
}

/** What makes a reminder the one it is. */
export interface ReminderKey extends Ending {
  readonly channel: Channel
  /** The id of an account; empty for the webhook. */
  readonly recipient: string
  /** 30, 7, 1, or 0: on the day. */
  readonly days: number
}

/** A reminder whose turn it is. */
export interface DueReminder extends ReminderKey {
  /** The same at each attempt: receivers tell repeats by it. */
  readonly id: string
  readonly queuedAt: Date
  /** How often it was tried, this time included. */
  readonly attempts: number
}

/** What ends, as it is at this moment: for a letter, and for programs. Ids and descriptions, and no secret. */
export type Ends = { readonly endsAt: Date } & (
  | {
      readonly kind: 'token'
      readonly sessionId: string
      readonly accountId: string
      readonly username: string
      /** Written by whoever logged in. */
      readonly description: string | undefined
    }
  | {
      readonly kind: 'signing-key'
      readonly keyId: string
      readonly brandId: string
      readonly name: string | undefined
    }
  | { readonly kind: 'api-key'; readonly id: string; readonly model: string; readonly label: string }
  | {
      readonly kind: 'grant'
      readonly id: string
      readonly username: string
      readonly role: string
      readonly brandId: string | undefined
    }
)

/** Whom a letter goes to. */
export interface Addressee {
  readonly username: Username
  readonly name: string
  readonly email: string
}

/** What became of an attempt. `away`: nothing else would get through either. `why` is in our own words. */
export type Delivery =
  | { readonly result: 'delivered' }
  | { readonly result: 'refused' | 'later' | 'away'; readonly why: string }

export const endsKey = ({ kind, subject }: Pick<Ending, 'kind' | 'subject'>): string => `${kind} ${subject}`
