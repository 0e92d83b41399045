/** Draws a flame graph (SVG) of a CPU profile, with callers below callees and widths in proportion to their time. */

export interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
  readonly samples: readonly number[]
  /** The microseconds before each sample. */
  readonly timeDeltas: readonly number[]
}

interface ProfileNode {
  readonly id: number
  readonly callFrame: {
    readonly functionName: string
    readonly url: string
    readonly lineNumber: number
  }
  readonly children?: readonly number[]
}

interface Frame {
  readonly name: string
  readonly kind: Kind
  /** Microseconds, including its callees. */
  total: number
  readonly calls: Map<string, Frame>
}

type Kind = keyof typeof COLOURS
const COLOURS = { ours: '#2f9e6e', library: '#4c78c8', node: '#8a8f98', engine: '#c9822b' } as const
const MEANINGS = {
  ours: 'ours',
  library: 'a library',
  node: 'Node',
  engine: 'V8, collector, system',
} as const

const WIDTH = 1_200
const ROW = 17
const TOP = 48
/** The smallest share of the whole that is drawn. */
const SMALLEST = 0.002

/** Draws the graph. Throws a TypeError if the profile is empty. */
export function flameGraph(profile: CpuProfile, title: string): string {
  const root = treeOf(profile)
  if (root.total === 0) throw new TypeError('the profile is empty')
  const boxes: string[] = []
  const depth = draw(root, { x: 0, level: 0, root, boxes })
  const height = TOP + depth * ROW + 8
  const bottom = (text: string) => text.replaceAll(/y="-(\d+)"/g, (_, up) => `y="${height - Number(up)}"`)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui,sans-serif" font-size="11">
<title>${escaped(title)}</title>
<rect width="${WIDTH}" height="${height}" fill="#fff"/>
<text x="8" y="18" font-size="14" font-weight="600">${escaped(title)}</text>
${legend()}
${bottom(boxes.join('\n'))}
</svg>
`
}

function treeOf({ nodes, samples, timeDeltas }: CpuProfile): Frame {
  const own = new Map<number, number>()
  for (const [at, id] of samples.entries()) {
    // A sample represents the time until the next one.
    own.set(id, (own.get(id) ?? 0) + Math.max(0, timeDeltas[at + 1] ?? 0))
  }
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const root: Frame = { name: 'all', kind: 'engine', total: 0, calls: new Map() }
  const add = (node: ProfileNode, into: Frame): number => {
    const frame = node.callFrame.functionName === '(root)' ? into : frameOf(node, into)
    if (node.callFrame.functionName === '(idle)') return 0
    let total = own.get(node.id) ?? 0
    for (const id of node.children ?? []) {
      const child = byId.get(id)
      if (child) total += add(child, frame)
    }
    frame.total += total
    return total
  }
  const [first] = nodes
  if (first) add(first, root)
  return root
}

/** Finds or adds a caller's frame of a function, so that each function has one frame per caller. */
function frameOf({ callFrame: { functionName, url, lineNumber } }: ProfileNode, into: Frame): Frame {
  const file = url.replace(/^.*\/(?=packages\/|node_modules\/)/, '').replace(/^.*node_modules\//, '')
  const name = `${functionName || '(anonymous)'}${file === '' ? '' : ` ${file}:${lineNumber + 1}`}`
  const frame = into.calls.get(name) ?? { name, kind: kindOf(url), total: 0, calls: new Map() }
  into.calls.set(name, frame)
  return frame
}

function kindOf(url: string): Kind {
  if (url === '') return 'engine'
  if (url.startsWith('node:')) return 'node'
  return url.includes('/node_modules/') ? 'library' : 'ours'
}

interface Drawing {
  readonly x: number
  readonly level: number
  readonly root: Frame
  readonly boxes: string[]
}

/** Draws a frame with its callees, and returns the number of levels so far. */
function draw(frame: Frame, { x, level, root, boxes }: Drawing): number {
  const width = (frame.total / root.total) * WIDTH
  if (frame.total / root.total < SMALLEST) return level
  const share = ((frame.total / root.total) * 100).toFixed(1)
  const letters = Math.floor((width - 6) / 6)
  const label = letters < 3 ? '' : escaped(frame.name.slice(0, letters))
  // This counts from the bottom until the height is known.
  const up = (level + 1) * ROW + 4
  boxes.push(
    `<g><title>${escaped(frame.name)}, ${share} %</title><rect x="${x.toFixed(1)}" y="-${up}" width="${Math.max(width - 0.5, 0.5).toFixed(1)}" height="${ROW - 1}" fill="${COLOURS[frame.kind]}"/><text x="${(x + 3).toFixed(1)}" y="-${up - 12}" fill="#fff">${label}</text></g>`,
  )
  let deepest = level + 1
  let at = x
  for (const child of [...frame.calls.values()].sort((a, b) => b.total - a.total)) {
    deepest = Math.max(deepest, draw(child, { x: at, level: level + 1, root, boxes }))
    at += (child.total / root.total) * WIDTH
  }
  return deepest
}

const legend = (): string =>
  Object.entries(COLOURS)
    .map(
      ([kind, colour], at) =>
        `<rect x="${8 + at * 150}" y="27" width="11" height="11" fill="${colour}"/><text x="${24 + at * 150}" y="37">${MEANINGS[kind as Kind]}</text>`,
    )
    .join('')

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
