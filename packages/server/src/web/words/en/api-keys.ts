/** Words of the pages of API keys. */
import { type Html, html } from '../../html.ts'
import { counted, number } from './common.ts'

export const apiKeys = {
  title: 'API keys',
  label: 'API keys',
  make: 'Make an API key',
  what: 'A device sends its API key when it registers. The gadget of the device has it.',
  columns: { key: 'Key', state: 'State', uses: 'Uses', used: 'Last used', ends: 'Ends', actions: 'Actions' },
  active: 'active',
  endsSoon: 'ends soon',
  expired: 'expired',
  usedUp: 'used up',
  revoked: 'revoked',
  uses: (uses: number, limit: number | null): string =>
    limit === null ? number(uses) : `${number(uses)} of ${number(limit)}`,
  noEnd: 'no end',
  none: 'This model has no API key.',
  noneOpen: 'It asks devices for none. From its first key on, a device without one is refused.',
  emptyWhat:
    'An API key is a secret in the gadget: only devices that have it may register. Once a model has had a key, it takes no device without one, even when all its keys are revoked.',
  emptyStep: 'Make the first API key',
  emptyCommand: 'Or on the command line:',
  count: (keys: number, more: boolean): string =>
    more ? `more than ${counted(keys, 'key', 'keys')}` : counted(keys, 'key', 'keys'),

  newTitle: 'Make an API key',
  newFirst:
    'This is the first key of the model. Once it is made, devices without a key are refused: be ready to give them a gadget that sends it.',
  newLabel: 'What it is for',
  newLabelHint: 'Such as “line 1”. It stands in the audit log beside each device that registers with it.',
  newEnds: 'Ends on',
  newEndsHint: 'At midnight UTC when the day begins. Empty: it has no end.',
  newUses: 'Uses',
  newUsesHint: 'How many devices may register with it. Empty: any number.',
  newDo: 'Make the key',
  notADay: 'Give a day as YEAR-MONTH-DAY, or leave it empty.',
  notANumber: 'Give a whole number, or leave it empty.',

  shownTitle: (label: string): string => `API key “${label}”`,
  copyNow: 'Copy it now: this page shows it once.',
  copyWhy: 'Only its digest is stored, so nobody can show it again. Lost it? Revoke it and make another.',
  gadget: 'Hook of the gadget',
  gadgetNote: (url: Html): Html =>
    html`In ${url}. It has one object for all headers: put the key beside others that you send.`,
  gadgetHook: 'hooks/prepare-device',
  header: 'HTTP header',
  headerNote: 'For programs of your own that register devices.',
  demo: 'Demo device',
  demoNote: 'In a checkout of Ratafia, beside its other options.',
  itself: 'The key itself',
  haveIt: 'I have it',

  revoke: 'Revoke…',
  revokeTitle: 'Revoke this API key?',
  revokeWhat:
    'No device can register with it any more, on any node, from the next request on. Devices that have registered with it stay registered. This cannot be undone.',
  revokeStill: 'The model still asks for a key, even if this was the last one.',
  revokeUsed: (uses: number): string => `So far, it was used ${counted(uses, 'time', 'times')}.`,
  revokeDo: 'Revoke it',
  revokedNotice: (label: string): string => `The API key “${label}” is revoked.`,
  revokedBefore: 'This key is revoked already.',
} as const
