/** What the program knows of traces. OpenTelemetry is behind `open-telemetry.ts`, which is loaded only where it is used. */

export type Attributes = Readonly<Record<string, string | number | boolean>>

/** The span of one request. */
export interface RequestSpan {
  /** 32 hexadecimal digits, for the log. Undefined when it is not recorded. */
  readonly traceId: string | undefined
  /** Runs `go` so that spans made in it, and in what it starts, are parts of this one. */
  within(go: () => void): void
  end(answer: { readonly status: number; readonly refusal: string | undefined }): void
}

export interface RequestStart {
  readonly method: string
  readonly route: string | undefined
  /** `traceparent` and `tracestate` of a caller that is trusted; otherwise empty. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

export interface Tracing {
  request(start: RequestStart): RequestSpan
  /** A part of a request; outside of one there is no span. `client`: it asks another program. */
  span<T>(
    name: string,
    kind: 'client' | 'internal',
    attributes: () => Attributes,
    work: () => Promise<T>,
  ): Promise<T>
  /** Sends what is left, and waits for that no longer than some seconds. */
  close(): Promise<void>
}

const NO_SPAN: RequestSpan = { traceId: undefined, within: (go) => go(), end: () => {} }

export const NO_TRACING: Tracing = {
  request: () => NO_SPAN,
  span: (_name, _kind, _attributes, work) => work(),
  close: async () => {},
}
