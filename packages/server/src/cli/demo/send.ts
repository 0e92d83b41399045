/** Sends the requests of a demo device to a service. */
import type { Send } from '../../demo/device.ts'
import { ask } from '../login/ask.ts'
import { refusalOf } from '../service/http-service.ts'

const ADDRESS = { addressIn: 'the URL' }

/**
 * `url`: the service's address, without a trailing slash. Throws `NoAnswer`; `ServiceRefusal` with only the service's
 * reason, as snapd shows it; and `ServiceAway`.
 */
export const sendTo =
  (url: string): Send =>
  async ({ path, ...request }) => {
    const answer = await ask(`${url}${path}`, { ...request, ...ADDRESS })
    if (answer.status >= 200 && answer.status < 300) return answer.text
    throw refusalOf(answer, ADDRESS.addressIn)
  }
