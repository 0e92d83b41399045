/** Handles the name of an account that does not exist: a filter then matches nothing, and a form can be corrected. */
import { invalidField, RequestError } from '../../errors.ts'

const isNoAccount = (error: unknown): error is RequestError =>
  error instanceof RequestError && error.code === 'no-such-record' && error.extra['kind'] === 'account'

/** Returns `nothing` if the account does not exist; otherwise throws the error. Use it with `catch`. */
export const noneWithoutAccount =
  <Answer>(nothing: Answer) =>
  (error: unknown): Answer => {
    if (isNoAccount(error)) return nothing
    throw error
  }

/** Throws a refusal that names the form's field. Use it with `catch`. */
export function asFieldOfAccount(error: unknown): never {
  throw isNoAccount(error) ? invalidField(error.message, { field: 'account' }) : error
}
