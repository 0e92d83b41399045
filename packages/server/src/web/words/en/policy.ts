/** The words of a model's policy: its settings, what each of them means, and its risks. */

interface Setting {
  readonly label: string
  /** A sentence about what it decides. */
  readonly what: string
  /** The name and the meaning of each value. */
  readonly choices: Readonly<Record<string, readonly [name: string, meaning: string]>>
}

export const policy = {
  title: 'Policy',
  what: 'A change applies from the next registration. Devices that have a serial keep it.',
  settings: {
    registration: {
      label: 'Registration',
      what: 'This decides which devices get a serial.',
      choices: {
        auto: ['Automatic', 'any device that has the model assertion, and an API key if the model has one'],
        'allow-list': ['Allow-list', 'only devices whose serial number or key is on the list'],
        approval: ['Approval', 'each device is pending until you approve it'],
      },
    },
    proposed_serial: {
      label: 'Proposed serial number',
      what: 'This decides whether a device chooses its serial number.',
      choices: {
        required: ['Required', 'a device that does not propose one is refused'],
        optional: ['Optional', 'the device gets the one that it proposes, or a generated one'],
        ignored: ['Ignored', 'serial numbers are always generated'],
      },
    },
    taken_serial: {
      label: 'Taken serial number',
      what: 'This applies when a new device key requests the serial number of another device.',
      choices: {
        refuse: ['Refuse', 'the new key is refused, and the first device keeps its serial'],
        reissue: ['Reissue', 'the new key gets it, and the first device is superseded'],
      },
    },
    hardware_identity: {
      label: 'Hardware identity',
      what: 'This decides whether a device has to prove that it has the key that is built into its board.',
      choices: {
        required: ['Required', 'only boards whose hardware identity is imported'],
        ignored: ['Ignored', 'no proof is required'],
      },
    },
    clones: {
      label: 'Detected clones',
      what: 'This applies when two devices use the same device key.',
      choices: {
        quarantine: ['Quarantine', 'the device cannot open a session until you decide'],
        record: ['Record only', 'the device keeps working'],
      },
    },
  } as const satisfies Readonly<Record<string, Setting>>,
  serials: 'Generated serial numbers',
  serialsHint:
    'Either uuid, or a template with one {number}: AC-{number:8} gives AC-00000001, AC-00000002 and so on.',
  choice: (name: string, meaning: string): string => `${name}: ${meaning}`,
  now: (value: string): string => `Currently: ${value}.`,
  save: 'Save policy',
  chooseRegistration: 'Choose which devices can register.',
  readFirst: 'Read the risks of this policy. Tick each one that you accept, or choose another setting.',
  accept: 'Risks of this policy',
  acceptHint: 'Tick the risks that you have read and accept.',
  saved: 'Policy saved. It applies from the next registration.',
  unchanged: 'The policy already had these settings, so nothing was changed.',
} as const
