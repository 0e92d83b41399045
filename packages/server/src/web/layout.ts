/** The frame of every page. */
import { type Html, html, styleElement } from './html.ts'
import { STYLE } from './style.ts'
import { signIn } from './words/en/sign-in.ts'

export interface PageContent {
  /** Plain text; also the title of the browser's tab. */
  readonly title: string
  /** Whether the form was refused. The tab's title then shows it, because screen readers read the title first. */
  readonly failed?: boolean
  /** The part of the software that the page belongs to, after its name. Default: the identity service. */
  readonly brand?: string
  /** Makes room for commands to copy. */
  readonly wide?: boolean
  /** The URL of the same service's console, for a link below the card. */
  readonly console?: string | undefined
  readonly body: Html
}

export function page({
  title,
  failed,
  brand = 'identity service',
  wide,
  console,
  body,
}: PageContent): string {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${failed && 'Error: '}${title} · Ratafia</title>
${STYLESHEET}
</head>
<body>
<main${wide && html` class="wide"`}>
<p class="brand"><strong>Ratafia</strong> ${brand}</p>
<div class="card">
<h1>${title}</h1>
${body}
</div>
${console !== undefined && html`<p class="quiet"><a href="${console}">${signIn.toConsole}</a></p>`}
</main>
</body>
</html>
`
  return document.markup
}

const STYLESHEET = styleElement(STYLE)
