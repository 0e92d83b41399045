/**
 * The standard variables of OpenTelemetry, as far as this program has to know them; certificates, time limits and
 * compression are read by the exporter itself. They are looked at only where there is an endpoint: a machine may set
 * them for its other programs.
 */

/** Where spans go to, and which. */
export interface TracingConfig {
  /** What spans are posted to. */
  readonly url: string
  readonly encoding: 'json' | 'protobuf'
  /** May hold credentials. */
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
  readonly resource: Readonly<Record<string, string>>
  readonly sampler: TracingSampler
}

export interface TracingSampler {
  /** Share of the traces that begin here, from 0 to 1. */
  readonly ratio: number
  /** Whether a trace that began elsewhere is followed as its caller decided. */
  readonly parentBased: boolean
}

const SIGNAL_PATH = 'v1/traces'

/**
 * Undefined = no traces. `read` gives the text of a variable, undefined if it is absent or empty; `refuse` is told the
 * variable and what is wrong with it, without the value where that may be secret.
 */
export function readTracing(
  read: (name: TracingVariable) => string | undefined,
  refuse: (name: TracingVariable, problem: string) => void,
): TracingConfig | undefined {
  const own = read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
  const common = read('OTEL_EXPORTER_OTLP_ENDPOINT')
  if (own === undefined && common === undefined) return undefined
  if (read('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined
  const exporter = read('OTEL_TRACES_EXPORTER') ?? 'otlp'
  if (exporter === 'none') return undefined
  if (exporter !== 'otlp') refuse('OTEL_TRACES_EXPORTER', `is ${exporter}; it can be otlp, none.`)

  const checked = <T>(name: TracingVariable, fallback: T, parse: (text: string) => T): T => {
    const text = read(name)
    if (text === undefined) return fallback
    try {
      return parse(text)
    } catch (error) {
      refuse(name, error instanceof Error ? error.message : String(error))
      return fallback
    }
  }
  const pairs = (name: TracingVariable) => checked(name, {}, parsePairs)
  const resource = pairs('OTEL_RESOURCE_ATTRIBUTES')
  return {
    // The address for all signals gets the path of this one; the own one is taken as it is (OTLP exporter, 1.2).
    url:
      own === undefined
        ? checked('OTEL_EXPORTER_OTLP_ENDPOINT', '', parseBase)
        : checked('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', '', parseAddress),
    encoding: checked(
      read('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') === undefined
        ? 'OTEL_EXPORTER_OTLP_PROTOCOL'
        : 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL',
      'protobuf',
      parseProtocol,
    ),
    headers: { ...pairs('OTEL_EXPORTER_OTLP_HEADERS'), ...pairs('OTEL_EXPORTER_OTLP_TRACES_HEADERS') },
    serviceName: read('OTEL_SERVICE_NAME') ?? resource['service.name'] ?? 'ratafia',
    resource,
    sampler: checked('OTEL_TRACES_SAMPLER', SAMPLERS['parentbased_always_on'], (name) =>
      samplerOf(name, checked('OTEL_TRACES_SAMPLER_ARG', 1, parseRatio)),
    ),
  }
}

/** Each with its default and meaning, as in `VARIABLES` of config.ts. */
export const TRACING_VARIABLES = {
  OTEL_EXPORTER_OTLP_ENDPOINT: [
    'absent: no traces',
    'Address of an OpenTelemetry collector that takes OTLP over HTTP, such as http://127.0.0.1:4318; `/v1/traces` is appended',
  ],
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: [
    'from OTEL_EXPORTER_OTLP_ENDPOINT',
    'The same for traces alone, taken as it is',
  ],
  OTEL_EXPORTER_OTLP_PROTOCOL: ['http/protobuf', '`http/protobuf` or `http/json`; gRPC is not spoken'],
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: ['from OTEL_EXPORTER_OTLP_PROTOCOL', 'The same for traces alone'],
  OTEL_EXPORTER_OTLP_HEADERS: [
    'absent: none',
    'Headers for the collector, such as credentials: `name=value,name=value`, percent-encoded',
  ],
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: ['absent: none', 'The same for traces alone; they are added'],
  OTEL_SERVICE_NAME: ['ratafia', 'What traces call this service'],
  OTEL_RESOURCE_ATTRIBUTES: ['absent: none', 'What else they say of it: `name=value,name=value`'],
  OTEL_TRACES_SAMPLER: [
    'parentbased_always_on',
    'Which requests are traced: `always_on`, `always_off`, `traceidratio`, and each with `parentbased_` before it',
  ],
  OTEL_TRACES_SAMPLER_ARG: ['1', 'The share for `traceidratio`, from 0 to 1'],
  OTEL_TRACES_EXPORTER: ['otlp', '`none` turns traces off'],
  OTEL_SDK_DISABLED: ['false', '`true` turns traces off'],
} as const satisfies Record<string, readonly [fallback: string, meaning: string]>

export type TracingVariable = keyof typeof TRACING_VARIABLES

function parseAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new Error(
      'is not an http or https address without credentials. Write one such as http://127.0.0.1:4318, and credentials into OTEL_EXPORTER_OTLP_HEADERS.',
    )
  }
  return url.href
}

function parseBase(text: string): string {
  const url = new URL(parseAddress(text))
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${SIGNAL_PATH}`
  return url.href
}

function parseProtocol(text: string): TracingConfig['encoding'] {
  if (text === 'http/json') return 'json'
  if (text === 'http/protobuf') return 'protobuf'
  throw new Error(
    `is ${text}; it can be http/protobuf, http/json. A collector takes them at a port of its own, 4318 by default.`,
  )
}

/** As W3C Baggage writes it: percent-encoded, separated by commas. */
function parsePairs(text: string): Record<string, string> {
  const pairs: Record<string, string> = {}
  for (const item of text.split(',').filter((one) => one.trim() !== '')) {
    const at = item.indexOf('=')
    const name = item.slice(0, at).trim()
    if (at < 1 || !/^[!#$%&'*+.^_`|~/0-9A-Za-z-]+$/.test(name)) throw new Error(NO_PAIRS)
    try {
      pairs[name] = decodeURIComponent(item.slice(at + 1).trim())
    } catch (cause) {
      throw new Error(NO_PAIRS, { cause })
    }
  }
  return pairs
}

// Values are credentials in one of the variables: none is repeated.
const NO_PAIRS = 'is not a list such as name=value,name=value with percent-encoded values.'

const SAMPLERS = {
  always_on: { ratio: 1, parentBased: false },
  always_off: { ratio: 0, parentBased: false },
  parentbased_always_on: { ratio: 1, parentBased: true },
  parentbased_always_off: { ratio: 0, parentBased: true },
} as const satisfies Record<string, TracingSampler>

function samplerOf(name: string, ratio: number): TracingSampler {
  if (name === 'traceidratio') return { ratio, parentBased: false }
  if (name === 'parentbased_traceidratio') return { ratio, parentBased: true }
  const [, fixed] = Object.entries(SAMPLERS).find(([one]) => one === name) ?? []
  if (fixed) return fixed
  const names = [...Object.keys(SAMPLERS), 'traceidratio', 'parentbased_traceidratio']
  throw new Error(`is ${name}; it can be ${names.join(', ')}.`)
}

function parseRatio(text: string): number {
  if (/^(0(\.\d{1,9})?|1(\.0{1,9})?|\.\d{1,9})$/.test(text)) return Number(text)
  throw new Error(`is not a number from 0 to 1: ${text}.`)
}
