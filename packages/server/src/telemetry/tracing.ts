/** The program's interface to traces. `open-telemetry.ts` implements it, and is loaded only if tracing is on. */

export type Attributes = Readonly<Record<string, string | number | boolean>>

/** The span of one request. */
export interface RequestSpan {
  /** 32 hexadecimal digits for the log; undefined if this request is not recorded. */
  readonly traceId: string | undefined
  /** Runs `go`. Spans that it, and everything it starts, create are children of this span. */
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
  /** Runs `work` in a span of the current request, if there is one. `client` is an outgoing call. */
  span<T>(
    name: string,
    kind: 'client' | 'internal',
    attributes: () => Attributes,
    work: () => Promise<T>,
  ): Promise<T>
  /** Sends the remaining spans. Takes a few seconds at most. */
  close(): Promise<void>
}

const NO_SPAN: RequestSpan = { traceId: undefined, within: (go) => go(), end: () => {} }

export const NO_TRACING: Tracing = {
  request: () => NO_SPAN,
  span: (_name, _kind, _attributes, work) => work(),
  close: async () => {},
}
