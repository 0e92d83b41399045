/** An account that somebody typed and that is not there: nothing fits a filter for it, and a form can be mended. */
import { invalidField, RequestError } from '../../errors.ts'

const isNoAccount = (error: unknown): error is RequestError =>
  error instanceof RequestError && error.code === 'no-such-record' && error.extra['kind'] === 'account'

/** For `catch`: `nothing` if it is that, else the error. */
export const noneWithoutAccount =
  <Answer>(nothing: Answer) =>
  (error: unknown): Answer => {
    if (isNoAccount(error)) return nothing
    throw error
  }

/** For `catch`: the refusal names the field of a form. */
export function asFieldOfAccount(error: unknown): never {
  throw isNoAccount(error) ? invalidField(error.message, { field: 'account' }) : error
}
