/** The stylesheet of the console: wide pages, lists, plots (contract/administration.md, C12, C14 and C15). */
import { hash } from 'node:crypto'
import { COLOURS } from '../style.ts'

export const CONSOLE_STYLE = `${COLOURS}
*{box-sizing:border-box}[hidden]{display:none!important}
body{margin:0;background:var(--back);color:var(--ink);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
a{color:var(--accent)}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem;background:var(--paper);padding:.5rem}
header.top{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;align-items:baseline;padding:.75rem 1.25rem;border-bottom:1px solid var(--line)}
.brand{color:var(--soft);font-size:.9rem}.brand strong{color:var(--accent)}
nav ul{display:flex;flex-wrap:wrap;gap:.1rem .25rem;margin:0;padding:0;list-style:none}
nav a{display:block;padding:.4rem .7rem;border-radius:.4rem;text-decoration:none;color:var(--ink)}
nav a[aria-current]{background:var(--paper);box-shadow:inset 0 0 0 1px var(--line);color:var(--accent);font-weight:600}
.who{margin-left:auto}
main{max-width:76rem;margin:1.25rem auto;padding:0 1rem 3rem;overflow-wrap:anywhere}main.narrow{max-width:48rem}
.head{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;margin-bottom:.75rem}
h1{margin:0;font-size:1.5rem;line-height:1.25}h2{margin:0 0 .5rem;font-size:1.05rem}h3{margin:1rem 0 .25rem;font-size:1rem}
p{margin:.5rem 0}.push{margin-left:auto}
.card{background:var(--paper);border:1px solid var(--line);border-radius:.75rem;padding:1rem 1.25rem;margin:0 0 1rem}
.quiet{color:var(--soft);font-size:.9rem}
code,.mono{font-family:ui-monospace,"Cascadia Mono",Menlo,monospace;font-size:.9em}h1.mono{font-size:1.4rem}
pre{margin:.5rem 0;padding:.75rem;background:var(--back);border:1px solid var(--line);border-radius:.4rem;font:.85em/1.5 ui-monospace,"Cascadia Mono",Menlo,monospace;white-space:pre-wrap}
.button,button{display:inline-block;padding:.5rem 1rem;font:inherit;font-weight:600;border-radius:.4rem;border:1px solid var(--accent);cursor:pointer;text-decoration:none;background:transparent;color:var(--accent)}
.primary{background:var(--accent);color:var(--accent-ink)}
.danger{border-color:var(--bad);color:var(--bad)}
.small{padding:.25rem .6rem;font-size:.9rem}
button.link{padding:0;border:0;text-decoration:underline;font-weight:400}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
input,select,textarea{padding:.45rem .6rem;font:inherit;color:inherit;background:var(--back);border:1px solid var(--soft);border-radius:.4rem;max-width:100%}
textarea{width:100%}[aria-invalid=true]{border:2px solid var(--bad)}
input[type=checkbox],input[type=radio]{width:1.5rem;height:1.5rem;accent-color:var(--accent);margin:0 .35rem 0 0;vertical-align:-.35rem}
label,legend{font-weight:600}fieldset{border:0;margin:0 0 1rem;padding:0;min-width:0}.plain label,label.plain{font-weight:400}
.field{margin:0 0 1rem}.field>label{display:block}.problem{color:var(--bad);margin:.25rem 0}
.filters{display:flex;flex-wrap:wrap;gap:.6rem .9rem;align-items:end}.filters label{display:block;font-size:.85rem}
.filters input,.filters select{height:2.5rem;max-width:13rem}.filters input[type=checkbox]{height:1.5rem}.filters details[open]{flex-basis:100%}
.actions{display:flex;flex-wrap:wrap;gap:.75rem;align-items:center;margin-top:1rem}form.inline{display:inline}
summary{cursor:pointer;padding:.2rem 0}.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.55rem .6rem;border-bottom:1px solid var(--line);vertical-align:top}
caption{text-align:left;padding-bottom:.4rem;color:var(--soft);font-size:.9rem}th{color:var(--soft);font-weight:600;font-size:.85rem}thead th{white-space:nowrap}
tbody tr:last-child td{border-bottom:0}
.num{text-align:right;font-variant-numeric:tabular-nums}
.chip{display:inline-block;padding:.05rem .5rem;margin:.1rem .2rem .1rem 0;border:1px solid var(--line);border-radius:1rem;font-size:.85rem}
.state{white-space:nowrap}.is-good{color:var(--good);border-color:currentColor}.is-warn{color:var(--warn);border-color:currentColor}
.is-bad{color:var(--bad);border-color:currentColor}.is-off{color:var(--soft)}
.notice{margin:0 0 1rem;padding:.75rem 1rem;border-left:.3rem solid;border-radius:.3rem}.warn{background:var(--warn-back);color:var(--warn)}
.bad{background:var(--bad-back);color:var(--bad)}.good{background:var(--good-back);color:var(--good)}.notice a{color:inherit}
dl{display:grid;grid-template-columns:minmax(8rem,auto) 1fr;gap:.35rem 1rem;margin:0}dt{color:var(--soft)}dd{margin:0;min-width:0}
.cols{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(28rem,100%),1fr));gap:1rem;margin-bottom:1rem}.cols>.card{margin:0;min-width:0}
.big{font-size:1.7rem;font-weight:700;font-variant-numeric:tabular-nums}
.pager{display:flex;flex-wrap:wrap;gap:.75rem;align-items:center;margin-top:.75rem}
ol.time{list-style:none;margin:0;padding:0}ol.time li{padding:.4rem 0 .4rem 1rem;border-left:2px solid var(--line)}
ul{margin:.25rem 0;padding-left:1.2rem}progress{width:100%;height:1.25rem;accent-color:var(--accent)}
svg{display:block;width:100%;height:auto}.s1{fill:var(--accent)}.s2{fill:var(--s2)}.s3{fill:var(--s3)}.grid{stroke:var(--line)}svg text{fill:var(--soft);font:11px system-ui,sans-serif}
.k{display:inline-block;width:.7rem;height:.7rem}
/* Forms of the identity service, which have no \`field\`. */
.account label{display:block;margin:1rem 0 .25rem}.account input:not([hidden]){width:100%;padding:.65rem .75rem}.account h2{margin-top:1.5rem}
.account svg.qr{max-width:15rem;margin:1rem 0;background:#fff}.codes{columns:2;list-style:none;padding:0}
@media (max-width:44rem){.opt,.stack td.opt{display:none}.stack thead{position:absolute;left:-99rem}.stack tr{display:block;padding:.5rem 0;border-bottom:1px solid var(--line)}
.stack td{display:flow-root;padding:.2rem 0 .2rem 6.75rem;border:0}.stack td::before{content:attr(data-l);float:left;width:6rem;margin-left:-6.75rem;color:var(--soft);font-size:.85rem}.stack td.num{text-align:left}
dl{grid-template-columns:minmax(0,1fr);gap:0}dd{margin-bottom:.5rem}.who,.push{margin-left:0}.filters input,.filters select{max-width:100%}}
@media (forced-colors:active){.s1{fill:CanvasText}.s2{fill:Highlight}.s3{fill:GrayText}svg text{fill:CanvasText}.grid{stroke:GrayText}nav a[aria-current]{outline:2px solid}.chip{border-color:CanvasText}}
@media print{header.top,.filters,.actions,.pager{display:none}}
`

export const CONSOLE_STYLE_HASH = `sha256-${hash('sha256', CONSOLE_STYLE, 'base64')}`
