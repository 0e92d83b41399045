/** A reminder: something expires at an instant, and a recipient is notified a number of days before. */
import type { Username } from '@ratafia/api'

/** A developer token, a brand's signing key, a model's API key, or a role in the administration of the service. */
export type ReminderKind = 'token' | 'signing-key' | 'api-key' | 'grant'

export type Channel = 'mail' | 'webhook'

/** Returns the channels that the reminder settings configure. */
export const channelsOf = ({ mail, webhook }: Readonly<Record<Channel, unknown>>): readonly Channel[] => [
  ...(mail === undefined ? [] : ['mail' as const]),
  ...(webhook === undefined ? [] : ['webhook' as const]),
]

/** Something that expires. A change of expiry makes it a different one. */
export interface Ending {
  readonly kind: ReminderKind
  /** The id of the session, the key or the grant. */
  readonly subject: string
  readonly endsAt: Date
}

/** The identity of a reminder. */
export interface ReminderKey extends Ending {
  readonly channel: Channel
  /** The id of an account; empty for the webhook. */
  readonly recipient: string
  /** 30, 7, 1, or 0 for the day itself. */
  readonly days: number
}

/** A reminder that is due. */
export interface DueReminder extends ReminderKey {
  /** The same at each attempt, so that receivers recognise repeats. */
  readonly id: string
  readonly queuedAt: Date
  /** The number of attempts, including this one. */
  readonly attempts: number
}

/**
 * The current state of what expires, for e-mails and for programs. It contains ids and descriptions, and no secrets.
 */
export type Ends = { readonly endsAt: Date } & (
  | {
      readonly kind: 'token'
      readonly sessionId: string
      readonly accountId: string
      readonly username: string
      /** The description that the user who logged in wrote. */
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

/** The recipient of an e-mail. */
export interface Addressee {
  readonly username: Username
  readonly name: string
  readonly email: string
}

/** The outcome of an attempt. With `away`, no other delivery would succeed either. `why` is in our own words. */
export type Delivery =
  | { readonly result: 'delivered' }
  | { readonly result: 'refused' | 'later' | 'away'; readonly why: string }

export const endsKey = ({ kind, subject }: Pick<Ending, 'kind' | 'subject'>): string => `${kind} ${subject}`

/** `baseUrl` has no slash at the end. */
export function consolePage(ends: Ends, baseUrl: string): string {
  const at = `${baseUrl}/console`
  switch (ends.kind) {
    // A form with the same limits, which the reader submits.
    case 'token':
      return `${at}/tokens/new?from=${encodeURIComponent(ends.sessionId)}`
    case 'signing-key':
      return `${at}/brands/${encodeURIComponent(ends.brandId)}`
    case 'api-key':
      return `${at}/models/${ends.model.split('/').map(encodeURIComponent).join('/')}`
    case 'grant':
      return `${at}/me`
  }
}

/** The page where an account switches its reminders off. */
export const switchPage = (baseUrl: string): string => `${baseUrl}/console/me`
