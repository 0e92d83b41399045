/** The frame of every page. */
import { type Html, html, styleElement } from './html.ts'
import { STYLE } from './style.ts'
import { signIn } from './words/en/sign-in.ts'

export interface PageContent {
  /** Plain text; also the title of the browser's tab. */
  readonly title: string
  /** The form could not be taken: the tab's title says so, which is what a screen reader reads first. */
  readonly failed?: boolean
  /** What this is a page of, beside the name of the software. Default: the identity service. */
  readonly brand?: string
  /** For commands to copy. */
  readonly wide?: boolean
  /** Where the console of the same service begins: a link below the card leads there. */
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
