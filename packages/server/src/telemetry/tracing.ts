/** Traces as the program sees them. OpenTelemetry is behind `open-telemetry.ts`, loaded only when tracing is on. */

export type Attributes = Readonly<Record<string, string | number | boolean>>

/** The span of one request. */
export interface RequestSpan {
  /** 32 hexadecimal digits, for the log. Undefined when this request is not recorded. */
  readonly traceId: string | undefined
  /** Runs `go`: spans made in it, and in whatever it starts, belong to this one. */
  within(go: () => void): void
  end(answer: { readonly status: number; readonly refusal: string | undefined }): void
}

export interface RequestStart {
  readonly method: string
  readonly route: string | undefined
  /** `traceparent` and `tracestate` of a trusted caller; otherwise empty. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

export interface Tracing {
  request(start: RequestStart): RequestSpan
  /** A part of a request; outside of a request no span is made. `client`: it asks another program. */
  span<T>(
    name: string,
    kind: 'client' | 'internal',
    attributes: () => Attributes,
    work: () => Promise<T>,
  ): Promise<T>
  /** Sends what is left; takes a few seconds at most. */
  close(): Promise<void>
}

const NO_SPAN: RequestSpan = { traceId: undefined, within: (go) => go(), end: () => {} }

export const NO_TRACING: Tracing = {
  request: () => NO_SPAN,
  span: (_name, _kind, _attributes, work) => work(),
  close: async () => {},
}
