/** The text of the API key pages. */
import { type Html, html } from '../../html.ts'
import { counted, number } from './common.ts'

export const apiKeys = {
  title: 'API keys',
  label: 'API keys',
  make: 'Create API key…',
  what: 'A device sends its API key when it registers. The key is in the gadget of the device.',
  columns: {
    key: 'Key',
    state: 'State',
    uses: 'Uses',
    used: 'Last used',
    ends: 'Expires',
    actions: 'Actions',
  },
  active: 'active',
  endsSoon: 'expires soon',
  expired: 'expired',
  usedUp: 'used up',
  revoked: 'revoked',
  uses: (uses: number, limit: number | null): string =>
    limit === null ? number(uses) : `${number(uses)} of ${number(limit)}`,
  noEnd: 'never',
  none: 'No API keys yet.',
  noneOpen:
    'Devices of this model do not need a key. Once you create the first key, a device without one is refused.',
  emptyWhat:
    'An API key is a secret in the gadget: only devices that have it can register. Once a model has had a key, a device without one is refused, even when all keys are revoked.',
  emptyStep: 'Create the first API key…',
  emptyCommand: 'Or on the command line:',
  count: (keys: number, more: boolean): string =>
    more ? `more than ${counted(keys, 'key', 'keys')}` : counted(keys, 'key', 'keys'),

  newTitle: 'New API key',
  newFirst:
    'This is the first key of the model. Once you create it, devices without a key are refused. Be ready to give them a gadget that sends it.',
  newLabel: 'Label',
  newLabelHint: 'For example “line 1”. The audit log shows it for each device that registers with the key.',
  newEnds: 'Expires',
  newEndsHint: 'Expires at 00:00 UTC on this day. Leave it empty for a key without expiry.',
  newUses: 'Maximum uses',
  newUsesHint: 'How many devices can register with it. Leave it empty for any number.',
  newDo: 'Create API key',
  notADay: 'Enter a day as YEAR-MONTH-DAY, or leave it empty.',
  notANumber: 'Enter a whole number, or leave it empty.',

  shownTitle: (label: string): string => `API key “${label}”`,
  copyNow: 'Copy it now. You can see it only here, and for ten minutes if you reload.',
  copyWhy:
    'Only its digest is stored, so it cannot be shown again. If you lose it, revoke it and create another.',
  gadget: 'Hook of the gadget',
  gadgetNote: (url: Html): Html =>
    html`Put it in ${url}. One object contains all headers, so add the key to any others that you send.`,
  gadgetHook: 'hooks/prepare-device',
  header: 'HTTP header',
  headerNote: 'Use this for your own programs that register devices.',
  demo: 'Demo device',
  demoNote: 'Run it in a checkout of Ratafia, with its other options.',
  itself: 'Key',
  haveIt: "I've saved it",

  revoke: 'Revoke API key…',
  revokeTitle: 'Revoke this API key?',
  revokeWhat:
    'From the next request, no device can register with it on any node. Devices that have registered with it stay registered. This cannot be undone.',
  revokeStill: 'The model still requires a key, even if this was the last one.',
  revokeUsed: (uses: number): string => `It has been used ${counted(uses, 'time', 'times')}.`,
  revokeDo: 'Revoke API key',
  revokedNotice: (label: string): string => `API key “${label}” revoked.`,
  revokedBefore: 'This key is revoked already.',
} as const
