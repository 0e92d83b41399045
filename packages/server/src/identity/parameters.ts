/** Reads the parameters of a request from its query and its form. A parameter given twice is refused. */
import { invalidRequest } from '../errors.ts'

export interface Parameters {
  /** Returns the value. An empty value counts as absent, as in the Go discharger. Throws `invalid-request`. */
  get(name: string): string | undefined
}

/** A parsed form. */
export type FormBody = { form: URLSearchParams }

/** Returns the parameters. `url` includes the query; `body` is a {@link FormBody} or absent. */
export function parametersOf(request: { readonly url: string; readonly body?: unknown }): Parameters {
  const query = request.url.indexOf('?')
  const sources = [new URLSearchParams(query < 0 ? '' : request.url.slice(query + 1))]
  const { form } = (request.body ?? {}) as Partial<FormBody>
  if (form instanceof URLSearchParams) sources.push(form)
  return {
    get: (name) => {
      const [first, ...others] = sources.flatMap((source) => source.getAll(name))
      if (others.length > 0) throw invalidRequest(`The parameter "${name}" is given more than once.`)
      return first === '' ? undefined : first
    },
  }
}

/** Returns the value. Throws `invalid-request` if it is absent. */
export function required(parameters: Parameters, name: string): string {
  const value = parameters.get(name)
  if (value === undefined) throw invalidRequest(`The parameter "${name}" is missing.`)
  return value
}
