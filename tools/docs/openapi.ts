/** Writes the OpenAPI document to standard output. The argument is the base URL of the service. */
import { openApi } from '@ratafia/api/schemas'

const [baseUrl = 'http://127.0.0.1:8080'] = process.argv.slice(2)
const document = openApi({ baseUrl, identity: `${baseUrl}/identity`, deviceServicePath: '/v1' })
process.stdout.write(`${JSON.stringify(document, null, 2)}\n`)
