// Models that snapd accepts, each with changes that it accepts and changes that it refuses. The unit tests compare our
// results with these, and interop/snapd-models.test.ts those of a real snapd.

import { vectorText } from './vectors.ts'

export interface ModelCase {
  readonly name: string
  readonly valid: string
  /** The replaced text and its replacement. */
  readonly accepted: readonly (readonly [from: string, to: string, newSnapd?: 'new snapd'])[]
  /** Also the message, after `model: header "`. `new snapd` marks rules that snapd 2.57 does not check yet. */
  readonly refused: readonly (readonly [from: string, to: string, message: string, newSnapd?: 'new snapd'])[]
}

const core24 = vectorText('valid/model-acme-core-24')
const SNAPS = /snaps:\n(?: {2}.*\n)+/
const swap = (text: string, from: string | RegExp, to: string) => text.replace(from, () => to)

const GADGET = `  -
    default-channel: 24/stable
    id: UqFziVZDHLSyO3TqSWgNBoAdHbLI4dAH
    name: pc
    type: gadget
`
const KERNEL = `  -
    default-channel: 24/stable
    id: pYVQrBcKmBa0mZ4CCN7ExT6jH8rY1hza
    name: pc-kernel
    type: kernel
`
const BASE = `  -
    default-channel: latest/stable
    id: dwTAh7MZZ01zyriOZErqd1JynQLiOGvM
    name: core24
    type: base
`
const APP = 'name: app-one\n    presence: optional\n'
const APP_ID = 'id: buPKUD3TKqCOgLEjjHx5kSiCpIs5cMuQ'
const app = (more: string) => `${APP}    ${more}\n`
const CHANNEL = 'default-channel: 24/stable\n    id: pYVQ'
const channel = (text: string) => `default-channel: ${text}\n    id: pYVQ`
const TIME = 'timestamp: 2020-06-01T12:00:00Z'
const sets = (...lines: readonly string[]) => `${TIME}\nvalidation-sets:\n  -\n    ${lines.join('\n    ')}`
const NAMES = 'a snap name has 2 to 40 lower-case letters, digits and single dashes'
const SNAP = 'snaps", snap "app-one": '
const NEW = 'new snapd'
const components = (...lines: readonly string[]) => app(['components:', ...lines].join('\n      '))

const withSnaps: ModelCase = {
  name: 'with snaps',
  valid: core24,
  accepted: [
    ['grade: signed', 'grade: dangerous'],
    ['grade: signed', 'grade: secured'],
    ['grade: signed', 'grade: '],
    ['grade: signed\n', ''],
    ['grade: signed', 'grade: secured\nstorage-safety: encrypted'],
    ['grade: signed', 'grade: secured\nstorage-safety: '],
    ['grade: signed', 'grade: signed\nstorage-safety: prefer-unencrypted'],
    ['grade: signed', 'grade: dangerous\nstorage-safety: prefer-encrypted'],
    ['grade: signed', 'grade: signed\nunknown: 日本語'],
    ['architecture: amd64', 'architecture: any'],
    ['store: acme-store', 'store: '],
    ['store: acme-store', 'display-name: Ärger 日本'],
    ['system-user-authority: *', 'system-user-authority:\n  - acme'],
    ['system-user-authority: *\n', ''],
    ['serial-authority:\n  - generic\n', ''],
    [TIME, `${TIME}\npreseed-authority:\n  - acme`],
    [TIME, 'timestamp: 2020-06-01T12:00:00.123+02:00'],
    [BASE, '', NEW],
    [BASE, BASE.replace('latest/stable', '24')],
    [CHANNEL, channel('24/edge/hotfix')],
    [CHANNEL, channel('日本/stable')],
    [CHANNEL, channel('latest')],
    [CHANNEL, channel('')],
    [APP, 'name: a1\n'],
    [APP, `name: ${'a'.repeat(40)}\n`],
    [APP, 'name: 1-a\n    presence: required\n'],
    [APP, 'name: app-one\n    presence: \n'],
    [APP, app('type: ')],
    [APP, app('type: core')],
    [APP, app('classic: false')],
    [APP, app('unknown: x')],
    ['- run\n      - ephemeral', '- install\n      - a-b'],
    [APP, components('c1: required', 'c2: optional')],
    [APP, components('c1:', '  presence: optional', '  modes:', '    - run')],
    [TIME, sets('mode: enforce', 'name: set-1', 'sequence: 1')],
    [TIME, sets('account-id: other', 'mode: prefer-enforce', 'name: set-1')],
    [TIME, sets('mode: enforce', 'name: a\n  -\n    account-id: other', 'mode: enforce', 'name: a')],
  ],
  refused: [
    ['model: acme-core-24', 'model: Acme', 'model" has capital letters: "Acme"'],
    ['base: core24', 'base: core24\nclassic: yes', 'classic" is neither "true" nor "false": "yes"'],
    ['architecture: amd64\n', '', 'architecture" is missing'],
    ['architecture: amd64', 'architecture: ', 'architecture" is empty'],
    ['architecture: amd64', 'architecture:\n  - amd64', 'architecture" is a list or a map, not text'],
    ['base: core24\n', '', 'base" is missing'],
    ['base: core24', 'base: ', 'base" is empty'],
    ['base: core24', 'base: 日本', `base" has an invalid snap name: "日本": ${NAMES}`],
    ['base: core24', 'base: -', `base" has an invalid snap name: "-": ${NAMES}`],
    ['base: core24', 'base: my-base', 'snaps" does not have the base "my-base": list it with its id'],
    ['grade: signed', 'grade: Signed', 'grade" is "Signed": it must be secured, signed or dangerous'],
    ['grade: signed', 'grade:\n  - signed', 'grade" is a list or a map, not text'],
    [
      'grade: signed',
      'grade: signed\nstorage-safety: none',
      'storage-safety" is "none": it must be encrypted, prefer-encrypted or prefer-unencrypted',
    ],
    [
      'grade: signed',
      'grade: secured\nstorage-safety: prefer-encrypted',
      'storage-safety" is "prefer-encrypted": a secured model must be encrypted',
    ],
    [
      'grade: signed',
      'distribution: ubuntu',
      'distribution" is only allowed in a classic model with "snaps"',
    ],
    ['grade: signed', 'gadget: pc', 'gadget" is not allowed together with "snaps": list the snap there'],
    [
      'grade: signed',
      'kernel: pc-kernel',
      'kernel" is not allowed together with "snaps": list the snap there',
    ],
    [
      'grade: signed',
      'required-snaps:\n  - a1',
      'required-snaps" is not allowed together with "snaps": list the snap there',
    ],
    ['store: acme-store', 'store:\n  - a', 'store" is a list or a map, not text'],
    ['store: acme-store', 'display-name:\n  - a', 'display-name" is a list or a map, not text'],
    ['  - generic\n', '  - generic_\n', 'serial-authority" is not a list of account ids'],
    [
      'system-user-authority: *',
      'system-user-authority: acme',
      'system-user-authority" is not a list of account ids',
    ],
    [TIME, `${TIME}\npreseed-authority: *`, 'preseed-authority" is not a list of account ids', NEW],
    [TIME, 'timestamp: ', 'timestamp" is empty'],
    [/snaps:\n(?: {2}.*\n)+/.exec(core24)?.[0] ?? '', 'snaps: pc\n', 'snaps" is not a list of maps'],
    [GADGET, '  - pc\n', 'snaps" is not a list of maps'],
    [GADGET, '', 'snaps" has no snap of type gadget'],
    [KERNEL, '', 'snaps" has no snap of type kernel'],
    [
      BASE,
      BASE.replace('base', 'app'),
      'snaps" has the base "core24" with the type app: its type must be base',
    ],
    [APP, 'presence: optional\n', 'snaps", one snap: "name" is missing'],
    [APP, 'name: \n', 'snaps", one snap: "name" is empty'],
    [APP, 'name: 日本語\n', `snaps", snap "日本語": invalid name: ${NAMES}`],
    [APP, 'name: a\n', `snaps", snap "a": invalid name: ${NAMES}`],
    [APP, 'name: a--b\n', `snaps", snap "a--b": invalid name: ${NAMES}`],
    [APP, 'name: 12\n', `snaps", snap "12": invalid name: ${NAMES}`],
    [APP, 'name: app_1\n', `snaps", snap "app_1": invalid name: ${NAMES}`],
    [APP, 'name: pc\n', 'snaps" has "pc" twice'],
    [APP_ID, 'id: UqFziVZDHLSyO3TqSWgNBoAdHbLI4dAH', 'snaps" has the same "id" for "pc" and "app-one"'],
    [`    ${APP_ID}\n`, '', `${SNAP}"id" is missing, and the grade signed requires it`],
    [APP_ID, 'id: abc', `${SNAP}"id" is not 32 letters and digits: "abc"`],
    [APP_ID, 'id: ', `${SNAP}"id" is empty`],
    [APP, app('type: snap'), `${SNAP}"type" is "snap": it must be app, base, gadget, kernel, core or snapd`],
    [
      APP,
      app('type: snapd'),
      'snaps", snap "app-one": "presence" is not allowed: the system needs this snap in every mode',
    ],
    [
      APP,
      'name: app-one\n    type: gadget\n',
      `${SNAP}"modes" is not allowed: the system needs this snap in every mode`,
    ],
    [
      KERNEL,
      KERNEL.replace('type: kernel', 'type: gadget'),
      'snaps" has two snaps of type gadget: "pc" and "pc-kernel"',
    ],
    [
      'presence: optional',
      'presence: maybe',
      `${SNAP}"presence" is "maybe": it must be required or optional`,
    ],
    [
      BASE,
      `${BASE}    presence: required\n`,
      'snaps", snap "core24": "presence" is not allowed: the system needs this snap in every mode',
    ],
    ['- run\n      - ephemeral', '- Run', `${SNAP}"modes" has an invalid mode: "Run"`],
    ['modes:\n      - run\n      - ephemeral', 'modes: run', `${SNAP}"modes" is not a list of strings`],
    ...[
      ['stable', 'it needs a track'],
      ['edge/hotfix', 'it needs a track'],
      ['24/fast', 'its risk must be one of stable, candidate, beta, edge'],
      ['24/edge/', 'a channel is TRACK, TRACK/RISK or TRACK/RISK/BRANCH'],
      ['24/edge/a/b', 'a channel is TRACK, TRACK/RISK or TRACK/RISK/BRANCH'],
      ['/stable', 'a channel is TRACK, TRACK/RISK or TRACK/RISK/BRANCH'],
    ].map(
      ([text = '', fault]) =>
        [
          CHANNEL,
          channel(text),
          `snaps", snap "pc-kernel": "default-channel" is "${text}": ${fault}`,
        ] as const,
    ),
    [APP, app('classic: true'), `${SNAP}it is classic, but the model is not`, NEW],
    [APP, app('classic: yes'), `${SNAP}"classic" is neither "true" nor "false"`, NEW],
    [APP, app('components: c1'), `${SNAP}"components" is not a map`, NEW],
    [APP, components('c: required'), `snaps", snap "app-one", component "c": invalid name: ${NAMES}`, NEW],
    ...(
      [
        [['c1: maybe'], '"presence" is "maybe": it must be required or optional'],
        [['c1:', '  - required'], 'it is neither "required", "optional" nor a map'],
        [['c1:', '  modes:', '    - run'], '"presence" is missing'],
        [['c1:', '  presence: maybe'], '"presence" is "maybe": it must be required or optional'],
        [
          ['c1:', '  presence: required', '  size: 1'],
          '"size" is not known: a component has "presence" and "modes"',
        ],
        [
          ['c1:', '  presence: required', '  modes:', '    - install'],
          'its snap is not in the mode "install"',
        ],
      ] as const
    ).map(
      ([lines, fault]) =>
        [APP, components(...lines), `snaps", snap "app-one", component "c1": ${fault}`, NEW] as const,
    ),
    [TIME, `${TIME}\nvalidation-sets: a`, 'validation-sets" is not a list of maps', NEW],
    [TIME, `${TIME}\nvalidation-sets:\n  - a`, 'validation-sets" is not a list of maps', NEW],
    [TIME, sets('mode: enforce'), 'validation-sets", one set: "name" is missing', NEW],
    [
      TIME,
      sets('mode: enforce', 'name: A'),
      'validation-sets", set "A": invalid name: it has lower-case letters, digits and single dashes',
      NEW,
    ],
    [TIME, sets('name: a'), 'validation-sets", set "a": "mode" is missing', NEW],
    [
      TIME,
      sets('mode: monitor', 'name: a'),
      'validation-sets", set "a": "mode" is "monitor": it must be prefer-enforce or enforce',
      NEW,
    ],
    ...['0', '-1', '01', 'x', '99999999999999999999'].map(
      (sequence) =>
        [
          TIME,
          sets('mode: enforce', 'name: a', `sequence: ${sequence}`),
          `validation-sets", set "a": "sequence" is "${sequence}": it must be a whole number from 1`,
          NEW,
        ] as const,
    ),
    [
      TIME,
      sets('mode: enforce', 'name: a\n  -\n    account-id: acme-brand', 'mode: enforce', 'name: a'),
      'validation-sets" has "acme-brand/a" twice',
      NEW,
    ],
  ],
}

const core = core24.replace(SNAPS, '').replace('grade: signed', 'gadget: pc=18\nkernel: pc-kernel=18')
const withoutSnaps: ModelCase = {
  name: 'without snaps',
  valid: core,
  accepted: [
    ['base: core24\n', ''],
    ['base: core24', 'base: '],
    ['gadget: pc=18', 'gadget: pc'],
    ['gadget: pc=18', 'gadget: pc='],
    ['kernel: pc-kernel=18', 'kernel: pc-kernel=1=8'],
    [TIME, `required-snaps:\n  - a1\n  - a1\n${TIME}`],
  ],
  refused: [
    ['gadget: pc=18\n', '', 'gadget" is missing'],
    ['kernel: pc-kernel=18\n', '', 'kernel" is missing'],
    ['architecture: amd64\n', '', 'architecture" is missing'],
    ['kernel: pc-kernel=18', 'kernel: 日本語', `kernel" has an invalid snap name: "日本語": ${NAMES}`],
    ['kernel: pc-kernel=18', 'kernel: -', `kernel" has an invalid snap name: "-": ${NAMES}`],
    ['kernel: pc-kernel=18', 'kernel:\n  - k', 'kernel" is a list or a map, not text'],
    ['gadget: pc=18', 'gadget: =18', `gadget" has an invalid snap name: "": ${NAMES}`],
    [
      'gadget: pc=18',
      'gadget: pc=18/stable',
      'gadget" has the channel "18/stable": only a track can follow the "="',
    ],
    ['gadget: pc=18', 'gadget: pc=edge', 'gadget" has the channel "edge": only a track can follow the "="'],
    ['base: core24', 'base: x_y', `base" has an invalid snap name: "x_y": ${NAMES}`],
    ['base: core24', 'grade: signed', 'grade" is not allowed without "snaps"'],
    ['base: core24', 'storage-safety: encrypted', 'storage-safety" is not allowed without "snaps"'],
    ['base: core24', 'distribution: ubuntu', 'distribution" is only allowed in a classic model with "snaps"'],
    [TIME, `${TIME}\nrequired-snaps: a1`, 'required-snaps" is not a list of strings'],
    [TIME, `${TIME}\nrequired-snaps:\n  - A1`, `required-snaps" has an invalid snap name: "A1": ${NAMES}`],
    [TIME, `${TIME}\nrequired-snaps:\n  -\n    - a1`, 'required-snaps" is not a list of strings'],
    [TIME, `${TIME}\nvalidation-sets: a`, 'validation-sets" is not a list of maps', NEW],
  ],
}

const CLASSIC = 'is not allowed in a classic model without "snaps"'
const classic: ModelCase = {
  name: 'classic',
  valid: vectorText('valid/model-acme-classic'),
  accepted: [
    ['classic: true', 'classic: true\narchitecture: \ngadget: pc'],
    ['classic: true', 'classic: true\nrequired-snaps:\n  - a1'],
  ],
  refused: [
    ['classic: true', 'classic: true\nkernel: pc-kernel', `kernel" ${CLASSIC}`],
    ['classic: true', 'classic: true\nbase: core24', `base" ${CLASSIC}`],
    ['classic: true', 'classic: true\ngrade: signed', 'grade" is not allowed without "snaps"'],
    ['classic: true', 'classic: true\ngadget: ', `gadget" has an invalid snap name: "": ${NAMES}`],
    ['classic: true', 'classic: true\narchitecture:\n  - a', 'architecture" is a list or a map, not text'],
    [
      'classic: true',
      'classic: true\ndistribution: ubuntu',
      'distribution" is only allowed in a classic model with "snaps"',
    ],
    ['classic: true', 'classic: false', 'architecture" is missing'],
  ],
}

const classicWithSnaps: ModelCase = {
  name: 'classic with snaps',
  valid: swap(core24, 'base: core24', 'base: core24\nclassic: true\ndistribution: ubuntu'),
  accepted: [
    ['distribution: ubuntu', 'distribution: opensuse-leap_1.0'],
    [KERNEL, '', NEW],
    [`${GADGET}${KERNEL}`, '', NEW],
    ['modes:\n      - run\n      - ephemeral\n    name: app-one', 'classic: true\n    name: app-one'],
  ],
  refused: [
    ['distribution: ubuntu\n', '', 'distribution" is missing'],
    ['distribution: ubuntu', 'distribution: Ubuntu', 'distribution" is not an ID of os-release: "Ubuntu"'],
    ['distribution: ubuntu', 'distribution: ', 'distribution" is empty'],
    ['architecture: amd64\n', '', 'architecture" is missing'],
    [GADGET, '', 'snaps" has a kernel without a gadget'],
    [APP, app('classic: true'), `${SNAP}it is classic, so its only mode must be run`, NEW],
    [
      KERNEL,
      `${KERNEL}    classic: true\n`,
      'snaps", snap "pc-kernel": it is classic, so its type must be app, not kernel',
      NEW,
    ],
  ],
}

export const MODEL_CASES: readonly ModelCase[] = [withSnaps, withoutSnaps, classic, classicWithSnaps]
