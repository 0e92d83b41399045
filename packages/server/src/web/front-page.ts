/** The page that browsers get for `GET /`: what this service is, and how each tool logs in to this installation. */
import type { ConsoleContent } from './console/layout.ts'
import { SCRIPT } from './console/script.ts'
import { type Html, html, scriptElement } from './html.ts'
import { page } from './layout.ts'
import { TOOLS, type Tool, type ToolFacts } from './tools.ts'
import { words } from './words/en.ts'

export interface FrontPage extends ToolFacts {
  /** The URL where users manage their account; undefined with an external identity service. */
  readonly account: string | undefined
  readonly identity: string
  /** The URL of the console; undefined without a console. */
  readonly console: string | undefined
  /** The URL of the documentation; undefined if the service does not have it. */
  readonly docs: string | undefined
}

export function frontPage(facts: FrontPage): string {
  const { baseUrl, account, identity, console } = facts
  return page({
    title: new URL(baseUrl).host,
    brand: 'publisher logins and device identity',
    wide: true,
    body: html`
<p>Publishers of a store log in here, and devices register here.</p>
${
  console !== undefined &&
  html`<p><a class="primary button" href="${console}/sign-in">Sign in to the console</a></p>
<p>There you create, view and revoke your tokens, and administer devices and accounts as far as your roles allow.</p>`
}
<h2>Your account</h2>
${
  account === undefined
    ? html`<p>Another service manages the accounts: <a href="${identity}">${identity}</a>.</p>`
    : html`<p><a href="${account}">Sign in</a> to change your password and your second factor.</p>`
}
${toolSections(facts)}
${SCRIPT_ELEMENT}`,
  })
}

/** The same tools, on a console page. */
export const toolsPage = (facts: FrontPage): ConsoleContent => ({
  title: words.navigation.tools,
  section: 'tools',
  isNarrow: true,
  body: html`<div class="card">${toolSections(facts)}</div>`,
})

const toolSections = (facts: FrontPage): Html => html`<h2>Log in with a tool</h2>
${
  facts.passwordLogins
    ? html`<p>The tool asks for your e-mail address and password. Logging in with a browser is safer: you see the permissions
before you grant them, and no tool sees your password.</p>`
    : html`<p>Tools accept no passwords here. <code>ratafia tokens create</code> opens a login in the browser, and prints what
the tool needs.</p>`
}
<p class="quiet"><code>ratafia</code> is this service's command-line program. To log in, you can run it on any machine: as one
file on Linux, elsewhere with Node.js 24 or newer. The credentials that it prints are secrets: give them only the permissions, packages and time that they
need (<code>ratafia tokens create --help</code>).</p>
${TOOLS.map((tool, index) => toolSection(tool, facts, `tool-${index}`))}
<h2>Build devices</h2>
<p>In the <code>prepare-device</code> hook of your gadget:</p>
${commands([`snapctl set device-service.url=${facts.deviceService}`], 'device-service')}
<h2>Write a program</h2>
<p><a href="${facts.baseUrl}/openapi.json">openapi.json</a> describes the API. A program that requests this URL as
JSON gets a list of all endpoints.</p>
${
  facts.docs !== undefined &&
  html`<p>The <a href="${facts.docs}">documentation</a> of this release explains publishing, devices and operation, and
has every operation of the <a href="${facts.docs}api/index.html">HTTP API</a>.</p>`
}`

/** Returns the tool's section; undefined for a tool that has no login of an allowed kind. */
function toolSection(tool: Tool, facts: ToolFacts, id: string): Html | undefined {
  const byPassword = facts.passwordLogins ? tool.password?.(facts) : undefined
  const byCredential = tool.credential?.(facts)
  if (!byPassword && !byCredential) return undefined
  const { name, daemon, variables, program, note } = tool
  const settings = Object.entries(variables(facts)).map(([variable, value]) => `${variable}=${value}`)
  const exports = daemon === undefined ? settings.map((setting) => `export ${setting}`) : []
  return html`<h3>${name}</h3>
${daemon !== undefined && html`<p>In the environment of ${daemon}:</p>${commands(settings, `${id}-daemon`)}<p>Then, in your own:</p>`}
${commands([...exports, ...(byPassword ?? byCredential ?? [])], id)}
${byPassword && byCredential && html`<p>Or, without giving the tool your password:</p>${commands([...exports, ...byCredential], `${id}-browser`)}`}
${program && html`<p>In Python:</p>${commands(program(facts), `${id}-program`)}`}
${note && html`<p class="quiet">${note(facts)}</p>`}`
}

/** `id`: the element's id. Only browsers with scripts show the button. */
const commands = (
  lines: readonly string[],
  id: string,
): Html => html`<pre id="${id}">${lines.join('\n')}</pre>
<p><button class="secondary small" type="button" hidden data-copy="${id}" data-copied="${words.form.copied}">${words.form.copy}</button></p>`

const SCRIPT_ELEMENT = scriptElement(SCRIPT)

export const identityFrontPage = ({ account }: { readonly account: string }): string =>
  page({
    title: 'Sign in',
    body: html`<p>Programs send users here to prove who they are. When a program asks you to log in, open the URL that
it shows.</p>
<p><a href="${account}">Your account</a>: password and second factor.</p>`,
  })
