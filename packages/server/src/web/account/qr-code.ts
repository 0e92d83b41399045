/** A QR code as an inline SVG: the content security policy of pages allows no image from anywhere. */
import { correction, generate } from 'lean-qr'
import { type Html, html } from '../html.ts'

/** Modules of white around it (ISO/IEC 18004). */
const QUIET = 4

/** `title` is what a screen reader says. */
export function qrCode(text: string, title: string): Html {
  const code = generate(text, { minCorrectionLevel: correction.M })
  const side = code.size + 2 * QUIET
  // A path of the dark modules: a square for each.
  const rows = Array.from({ length: code.size }, (_, y) =>
    Array.from({ length: code.size }, (_, x) =>
      code.get(x, y) ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : '',
    ).join(''),
  )
  return html`<svg class="qr" role="img" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges">
<title>${title}</title><path d="${rows.join('')}"/></svg>`
}
