/** Words of the pages of one's own tokens. */
import { counted } from './common.ts'

export const tokens = {
  title: 'My tokens',
  label: 'Tokens',
  make: 'New token',
  none: 'No description',
  empty: 'You have no tokens yet.',
  emptyWhat:
    'A token lets a program act for you: a CI job that publishes a snap, or a tool on your computer. You choose what it may do and when it ends.',
  emptyStep: 'Make your first token',
  emptyCommand: 'Or on the command line:',
  state: 'State',
  states: { active: 'active', all: 'all' },
  columns: { token: 'Token', ends: 'Ends', used: 'Last used', state: 'State', actions: 'Actions' },
  active: 'active',
  revoked: 'revoked',
  over: 'over',
  made: (day: string): string => `made ${day}`,
  from: 'from',
  revoke: 'Revoke…',
  revokeTitle: 'Revoke this token?',
  revokeWhat: (description: string): string =>
    `“${description}” and everything made from it stop working within a second. This cannot be undone.`,
  revokeDo: 'Revoke it',
  revokedNotice: (description: string): string => `“${description}” is revoked.`,
  count: (number: number): string => counted(number, 'token', 'tokens'),
} as const
