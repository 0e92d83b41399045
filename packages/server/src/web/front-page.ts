/** The page of `GET /` for people: what this is, and how each tool logs in to this installation. */
import type { ConsoleContent } from './console/layout.ts'
import { SCRIPT } from './console/script.ts'
import { type Html, html, scriptElement } from './html.ts'
import { page } from './layout.ts'
import { TOOLS, type Tool, type ToolFacts } from './tools.ts'
import { words } from './words/en.ts'

export interface FrontPage extends ToolFacts {
  /** Where people manage their account; undefined with an identity service elsewhere. */
  readonly account: string | undefined
  readonly identity: string
  /** Where people sign in to see and manage what is here; undefined without a console. */
  readonly console: string | undefined
}

export function frontPage(facts: FrontPage): string {
  const { baseUrl, account, identity, console } = facts
  return page({
    title: new URL(baseUrl).host,
    brand: 'logins of publishers, identity of devices',
    wide: true,
    body: html`
<p>Publishers of a store log in here, and devices register here.</p>
${
  console !== undefined &&
  html`<p><a class="primary button" href="${console}/sign-in">Sign in to the console</a></p>
<p>There you make, see and revoke your tokens, and administer devices and accounts as far as your roles go.</p>`
}
<h2>Your account</h2>
${
  account === undefined
    ? html`<p>Accounts are at another service: <a href="${identity}">${identity}</a>.</p>`
    : html`<p><a href="${account}">Sign in</a> to change your password and your second factor.</p>`
}
${toolSections(facts)}
${SCRIPT_ELEMENT}`,
  })
}

/** The same tools for one who is signed in to the console. */
export const toolsPage = (facts: FrontPage): ConsoleContent => ({
  title: words.navigation.tools,
  section: 'tools',
  isNarrow: true,
  body: html`<div class="card">${toolSections(facts)}</div>`,
})

const toolSections = (facts: FrontPage): Html => html`<h2>Log in with a tool</h2>
${
  facts.passwordLogins
    ? html`<p>The tool asks for your e-mail address and password. A login in the browser is better: there you see what you
grant before you do, and no tool sees your password.</p>`
    : html`<p>Tools take no passwords here: <code>ratafia tokens create</code> opens a login in the browser, and prints what
the tool needs.</p>`
}
<p class="quiet"><code>ratafia</code> is the program of this service; for logging in it runs on any machine that has
Node.js 24. Credentials that it prints are secrets: give them only the permissions, packages and time that they
need (<code>ratafia tokens create --help</code>).</p>
${TOOLS.map((tool, index) => toolSection(tool, facts, `tool-${index}`))}
<h2>Build devices</h2>
<p>In the <code>prepare-device</code> hook of your gadget:</p>
${commands([`snapctl set device-service.url=${facts.deviceService}`], 'device-service')}
<h2>Write a program</h2>
<p>The interface is described in <a href="${facts.baseUrl}/openapi.json">openapi.json</a>. A program that asks this address for
JSON gets a list of all endpoints.</p>`

/** Undefined for a tool that has no login of the kinds that are allowed. */
function toolSection(tool: Tool, facts: ToolFacts, id: string): Html | undefined {
  const byPassword = facts.passwordLogins ? tool.password?.(facts) : undefined
  const byCredential = tool.credential?.(facts)
  if (!byPassword && !byCredential) return undefined
  const { name, daemon, variables, program, note } = tool
  const settings = Object.entries(variables(facts)).map(([variable, value]) => `${variable}=${value}`)
  const exports = daemon === undefined ? settings.map((setting) => `export ${setting}`) : []
  return html`<h3>${name}</h3>
${daemon !== undefined && html`<p>In the environment of ${daemon}:</p>${commands(settings, `${id}-daemon`)}<p>Then, in yours:</p>`}
${commands([...exports, ...(byPassword ?? byCredential ?? [])], id)}
${byPassword && byCredential && html`<p>Or, without giving it your password:</p>${commands([...exports, ...byCredential], `${id}-browser`)}`}
${program && html`<p>In Python:</p>${commands(program(facts), `${id}-program`)}`}
${note && html`<p class="quiet">${note(facts)}</p>`}`
}

/** `id`: of the page. The button is for browsers with scripts. */
const commands = (
  lines: readonly string[],
  id: string,
): Html => html`<pre id="${id}">${lines.join('\n')}</pre>
<p><button class="secondary small" type="button" hidden data-copy="${id}" data-copied="${words.form.copied}">${words.form.copy}</button></p>`

const SCRIPT_ELEMENT = scriptElement(SCRIPT)
