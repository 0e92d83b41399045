/** The text of the clone page. */

export const clones = {
  title: 'Clones',
  label: 'Evidence of clones',
  what: 'This page lists evidence that a second device uses a device key or a serial. The newest evidence comes first.',
  kinds: {
    'second-chain': 'second chain of sessions',
    'forked-chain': 'forked chain',
    'two-chains': 'two active chains',
    'second-key': 'second key',
  },
  meanings: {
    'second-chain':
      'The device opened a session while it had one. A device that lost its state also does that.',
    'forked-chain': 'An old session was refreshed a second time. A power cut can cause that.',
    'two-chains': 'Two chains of sessions are in use at the same time: two devices have the key.',
    'second-key':
      'Another key requested its serial: the board was replaced, or someone is trying to take the serial.',
  },
  meaning: 'Kinds of evidence',
  filters: {
    kind: 'Kind',
    anyKind: 'all kinds',
    brand: 'Brand',
    model: 'Model (BRAND/MODEL)',
    since: 'Seen since (midnight UTC)',
  },
  columns: {
    device: 'Device',
    model: 'Model',
    status: 'Status',
    kind: 'Kind',
    other: 'Chain or key',
    times: 'Times',
    last: 'Last seen',
  },
  empty: 'No evidence of clones yet.',
  emptyWhat:
    'Evidence is recorded when two devices use one key or request one serial. The policy of the model decides whether such a device is quarantined.',
  emptyStep: 'Show devices',
  emptyCommand: 'Or on the command line:',
} as const
