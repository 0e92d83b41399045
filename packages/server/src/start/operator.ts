/** The author of what a command changes. */
import { userInfo } from 'node:os'
import { OPERATOR } from '../accounts/account-fields.ts'
import type { Author } from '../change.ts'
import type { Config } from '../config/config.ts'

/** Who runs this process, as far as the system knows. `sudo` says who they were before. */
export function operatorOf({ sudoUser }: Config): Author {
  const before = sudoUser === undefined ? '' : `, sudo by ${sudoUser}`
  return { actor: OPERATOR, source: `command line, ${systemUser()}${before}` }
}

function systemUser(): string {
  try {
    const { uid, username } = userInfo()
    return `${uid} ${username}`
  } catch {
    // In a container a user may have a number and no name.
    return String(process.getuid?.() ?? 'unknown user')
  }
}
