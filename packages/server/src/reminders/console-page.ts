/** The console page where the recipient can act on a reminder. */
import type { Ends } from './reminder.ts'

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
