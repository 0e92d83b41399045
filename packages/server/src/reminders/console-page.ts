/** The page of the console where one does something about what ends. */
import type { Ends } from './reminder.ts'

/** `baseUrl`: without a trailing slash. */
export function consolePage(ends: Ends, baseUrl: string): string {
  const at = `${baseUrl}/console`
  switch (ends.kind) {
    // A form with the same limits, to be sent by whoever reads it.
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

/** Where an account switches its reminders off. */
export const switchPage = (baseUrl: string): string => `${baseUrl}/console/me`
