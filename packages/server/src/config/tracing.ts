/**
 * Reads the standard OpenTelemetry variables, because the SDK reads neither sampler nor protocol, and silently ignores
 * an invalid address, header or attribute. The exporter itself reads the variables for certificates, timeouts and
 * compression. Without an endpoint, all are ignored, because a machine may set them for its other programs.
 */
import { urlFault } from '../text/url-fault.ts'
import { type Environment, optional, readRow, row, textOf, type ValuesOf, type VariableRow } from './row.ts'
import { oneOf } from './values.ts'

/** The destination of spans, and which requests are traced. */
export interface TracingConfig {
  /** The URL that spans are posted to. */
  readonly url: string
  readonly encoding: 'json' | 'protobuf'
  /** May contain credentials. */
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
  readonly resource: Readonly<Record<string, string>>
  readonly sampler: TracingSampler
}

export interface TracingSampler {
  /** The share of the traces that start here, from 0 to 1. */
  readonly ratio: number
  /** Whether a trace that started elsewhere follows the caller's decision. */
  readonly parentBased: boolean
}

const SIGNAL_PATH = 'v1/traces'

/** Read only if traces are sent to a collector. */
export const TRACING_VARIABLES = {
  OTEL_EXPORTER_OTLP_ENDPOINT: optional({
    default: 'none: no traces',
    meaning:
      'URL of an OpenTelemetry collector that accepts OTLP over HTTP, such as http://127.0.0.1:4318; `/v1/traces` is appended',
    parse: parseBase,
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: optional({
    default: 'from OTEL_EXPORTER_OTLP_ENDPOINT',
    meaning: 'The same for traces only, without appending a path',
    parse: parseAddress,
  }),
  OTEL_EXPORTER_OTLP_PROTOCOL: row({
    default: 'http/protobuf',
    meaning: '`http/protobuf` or `http/json`; gRPC is not supported',
    parse: parseProtocol,
  }),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: optional({
    default: 'from OTEL_EXPORTER_OTLP_PROTOCOL',
    meaning: 'The same for traces only',
    parse: parseProtocol,
  }),
  OTEL_EXPORTER_OTLP_HEADERS: optional({
    default: 'none',
    meaning: 'Headers for the collector, such as credentials: `name=value,name=value`, percent-encoded',
    parse: parsePairs,
  }),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: optional({
    default: 'none',
    meaning: 'Additional headers for traces only',
    parse: parsePairs,
  }),
  OTEL_SERVICE_NAME: row({
    default: 'ratafia',
    meaning: 'Name of this service in traces',
    parse: (text) => text,
  }),
  OTEL_RESOURCE_ATTRIBUTES: optional({
    default: 'none',
    meaning: 'Additional attributes of this service in traces: `name=value,name=value`',
    parse: parsePairs,
  }),
  OTEL_TRACES_SAMPLER: row({
    default: 'parentbased_always_on',
    meaning:
      'Which requests are traced: `always_on`, `always_off` or `traceidratio`, each also with the prefix `parentbased_`',
    parse: parseSampler,
  }),
  OTEL_TRACES_SAMPLER_ARG: row({
    default: '1',
    meaning: 'The share for `traceidratio`, from 0 to 1',
    parse: parseRatio,
  }),
  OTEL_TRACES_EXPORTER: row({
    default: 'otlp',
    meaning: '`none` turns traces off',
    parse: oneOf('otlp', 'none'),
  }),
  OTEL_SDK_DISABLED: row({
    default: 'false',
    meaning: '`true` turns traces off',
    parse: (text) => text.toLowerCase() === 'true',
  }),
} as const

type Values = ValuesOf<typeof TRACING_VARIABLES>
const ROWS: { readonly [N in keyof Values]: VariableRow<Values[N]> } = TRACING_VARIABLES

/** Returns undefined if there are no traces. Adds a line to `problems` for each invalid variable. */
export function readTracing(environment: Environment, problems: string[]): TracingConfig | undefined {
  const isSet = (name: keyof Values) => textOf(environment, name) !== undefined
  const value = <N extends keyof Values>(name: N): Values[N] =>
    readRow(name, ROWS[name], environment, problems)

  // The endpoint for traces is used unchanged; the path is appended to the one for all signals (OTLP exporter, 1.2).
  const endpoint = isSet('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
    ? 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'
    : 'OTEL_EXPORTER_OTLP_ENDPOINT'
  if (!isSet(endpoint) || value('OTEL_SDK_DISABLED') || value('OTEL_TRACES_EXPORTER') === 'none') {
    return undefined
  }
  const url = value(endpoint)
  const resource = value('OTEL_RESOURCE_ATTRIBUTES') ?? {}
  const { ratio, parentBased } = value('OTEL_TRACES_SAMPLER')
  const argument = value('OTEL_TRACES_SAMPLER_ARG')
  const tracing = {
    encoding: value('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? value('OTEL_EXPORTER_OTLP_PROTOCOL'),
    headers: { ...value('OTEL_EXPORTER_OTLP_HEADERS'), ...value('OTEL_EXPORTER_OTLP_TRACES_HEADERS') },
    serviceName: isSet('OTEL_SERVICE_NAME')
      ? value('OTEL_SERVICE_NAME')
      : (resource['service.name'] ?? value('OTEL_SERVICE_NAME')),
    resource,
    sampler: { ratio: ratio ?? argument, parentBased },
  }
  // An invalid address is in the problems.
  return url === undefined ? undefined : { ...tracing, url }
}

function parseAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    const fault = urlFault(text, { parts: '?#' })
    throw new Error(
      `${fault ?? 'is not an address that can be read'}. Write an address such as http://127.0.0.1:4318, and put credentials in OTEL_EXPORTER_OTLP_HEADERS.`,
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
    `is ${text}; it can be http/protobuf, http/json. Collectors accept these on a separate port, 4318 by default.`,
  )
}

/** Parses pairs as in W3C Baggage: percent-encoded, separated by commas. */
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

// Does not repeat a value, because one of the variables contains credentials.
const NO_PAIRS = 'is not a list such as name=value,name=value with percent-encoded values.'

const SAMPLERS = {
  always_on: { ratio: 1, parentBased: false },
  always_off: { ratio: 0, parentBased: false },
  parentbased_always_on: { ratio: 1, parentBased: true },
  parentbased_always_off: { ratio: 0, parentBased: true },
  traceidratio: { parentBased: false },
  parentbased_traceidratio: { parentBased: true },
} as const

/** A missing `ratio` means that of OTEL_TRACES_SAMPLER_ARG. */
function parseSampler(name: string): Omit<TracingSampler, 'ratio'> & { readonly ratio?: number } {
  const [, sampler] = Object.entries(SAMPLERS).find(([one]) => one === name) ?? []
  if (sampler) return sampler
  throw new Error(`is ${name}; it can be ${Object.keys(SAMPLERS).join(', ')}.`)
}

function parseRatio(text: string): number {
  if (/^(0(\.\d{1,9})?|1(\.0{1,9})?|\.\d{1,9})$/.test(text)) return Number(text)
  throw new Error(`is not a number from 0 to 1: ${text}.`)
}
