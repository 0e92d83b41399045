/** The page of `GET /` for people: what this is, and how each tool logs in to this installation. */
import { type Html, html } from './html.ts'
import { page } from './layout.ts'
import { TOOLS, type Tool, type ToolFacts } from './tools.ts'

export interface FrontPage extends ToolFacts {
  /** Where people manage their account; undefined with an identity service elsewhere. */
  readonly account: string | undefined
  readonly identity: string
  /** Where people sign in to see and manage what is here; undefined without a console. */
  readonly console: string | undefined
}

export function frontPage(facts: FrontPage): string {
  const { baseUrl, account, identity, console, passwordLogins, deviceService } = facts
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
<h2>Log in with a tool</h2>
${
  passwordLogins
    ? html`<p>The tool asks for your e-mail address and password. A login in the browser is better: there you see what you
grant before you do, and no tool sees your password.</p>`
    : html`<p>Nobody types a password into a tool here: <code>ratafia login</code> opens a login in the browser, and prints
what the tool needs.</p>`
}
<p class="quiet"><code>ratafia</code> is the program of this service; for logging in it runs on any machine that has
Node.js 24. Credentials that it prints are secrets: give them only the permissions, packages and time that they
need (<code>ratafia login --help</code>).</p>
${TOOLS.map((tool) => toolSection(tool, facts))}
<h2>Build devices</h2>
<p>In the <code>prepare-device</code> hook of your gadget:</p>
${commands([`snapctl set device-service.url=${deviceService}`])}
<h2>Write a program</h2>
<p>The interface is described in <a href="${baseUrl}/openapi.json">openapi.json</a>. A program that asks this address for
JSON gets a list of all endpoints.</p>`,
  })
}

/** Undefined for a tool that has no login of the kinds that are allowed. */
function toolSection(tool: Tool, facts: ToolFacts): Html | undefined {
  const byPassword = facts.passwordLogins ? tool.password?.(facts) : undefined
  const byCredential = tool.credential?.(facts)
  if (!byPassword && !byCredential) return undefined
  const { name, daemon, variables, note } = tool
  const settings = Object.entries(variables(facts)).map(([variable, value]) => `${variable}=${value}`)
  const exports = daemon === undefined ? settings.map((setting) => `export ${setting}`) : []
  return html`<h3>${name}</h3>
${daemon !== undefined && html`<p>In the environment of ${daemon}:</p>${commands(settings)}<p>Then, in yours:</p>`}
${commands([...exports, ...(byPassword ?? byCredential ?? [])])}
${byPassword && byCredential && html`<p>Or, without giving it your password:</p>${commands([...exports, ...byCredential])}`}
${note && html`<p class="quiet">${note(facts)}</p>`}`
}

const commands = (lines: readonly string[]): Html => html`<pre>${lines.join('\n')}</pre>`
