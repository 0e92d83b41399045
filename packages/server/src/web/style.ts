/**
 * The stylesheet of the pages that consist of one card. It is sent inside the page: the content security policy
 * allows only its hash.
 */
import { hash } from 'node:crypto'

/** The colours of all pages, light and dark. */
export const COLOURS = `
:root{color-scheme:light dark;--ink:#1d1a16;--soft:#5b534a;--paper:#fffdf9;--back:#f3eee6;--line:#d9cfc1;
--accent:#8a2f1d;--accent-ink:#fff;--warn:#7a4a00;--warn-back:#fff3d6;--bad:#8f1414;--bad-back:#fdecea;--good:#1f6b34;
--good-back:#e6f3e8;--s2:#1f6f8b;--s3:#a06a00}
@media (prefers-color-scheme:dark){:root{--ink:#f2ece3;--soft:#b9afa3;--paper:#24201c;--back:#181512;--line:#4a4239;
--accent:#f0a58f;--accent-ink:#2a0f08;--warn:#ffd58a;--warn-back:#3a2c0f;--bad:#ffb3ab;--bad-back:#411a17;--good:#8fdca4;
--good-back:#16321d;--s2:#7cc4e0;--s3:#e0b45c}}`

export const STYLE = `${COLOURS}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--ink);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:34rem;margin:4vh auto;padding:0 1rem 3rem}
main.wide{max-width:56rem}
.card{background:var(--paper);border:1px solid var(--line);border-radius:.75rem;padding:1.5rem}
.brand{margin:0 0 1rem;color:var(--soft);font-size:.9rem;letter-spacing:.02em}
.brand strong{color:var(--accent)}
h1{margin:0 0 .75rem;font-size:1.5rem;line-height:1.25}
h2{margin:1.5rem 0 .5rem;font-size:1.05rem}
h3{margin:1.25rem 0 .25rem;font-size:1rem}
p{margin:.5rem 0}
label{display:block;margin:1rem 0 .25rem;font-weight:600}
input[type=text],input[type=password]{width:100%;padding:.65rem .75rem;font:inherit;color:inherit;background:var(--back);
border:1px solid var(--soft);border-radius:.4rem}
.button{display:inline-block;text-decoration:none}
button,.button{padding:.65rem 1.25rem;font:inherit;font-weight:600;border-radius:.4rem;border:1px solid var(--accent);cursor:pointer}
.primary{background:var(--accent);color:var(--accent-ink)}
.secondary{background:transparent;color:var(--accent)}
.small{padding:.25rem .6rem;font-size:.9rem}
.link{padding:0;border:0;background:none;color:var(--accent);text-decoration:underline;font-weight:400}
a{color:var(--accent);overflow-wrap:anywhere}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.actions{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:1.25rem}
.notice{margin:1rem 0;padding:.75rem 1rem;border-left:.3rem solid;border-radius:.3rem}
.warn{background:var(--warn-back);color:var(--warn);border-color:var(--warn)}
.bad{background:var(--bad-back);color:var(--bad);border-color:var(--bad)}
.good{color:var(--good)}
dl{display:grid;grid-template-columns:minmax(7rem,auto) 1fr;gap:.4rem 1rem;margin:.5rem 0}
dt{color:var(--soft)}
dd{margin:0;overflow-wrap:anywhere}
ul{margin:0;padding-left:1.2rem}
li{margin:0 0 .2rem;overflow-wrap:anywhere}
code{font:.9em ui-monospace,"Cascadia Mono",Menlo,monospace;overflow-wrap:anywhere}
pre{margin:.5rem 0;padding:.75rem;background:var(--back);border:1px solid var(--line);border-radius:.4rem;
font:.85em/1.5 ui-monospace,"Cascadia Mono",Menlo,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
.codes{columns:2;list-style:none;padding:0;font:1rem/1.8 ui-monospace,"Cascadia Mono",Menlo,monospace}
.qr{display:block;width:100%;max-width:15rem;height:auto;margin:1rem 0;background:#fff}
.quiet{color:var(--soft);font-size:.9rem}
form.inline{display:inline}
@media (max-width:26rem){dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.5rem}.actions button{width:100%}}
`

export const STYLE_HASH = `sha256-${hash('sha256', STYLE, 'base64')}`
