// Draws a CPU profile as a flame graph: a box for each function, as wide as its share of the busy time with all that it calls,
// above the function that called it. The colour is the layer.
type Drawn = { name: string; layer: string; time: number; children: Map<string, Drawn> }

const [width, rowHeight, edge] = [1200, 17, 10]
/** Boxes that are narrower than this share of the busy time are left out. */
const leastShare = 0.002
/** Pixels of a letter. */
const letter = 6.2

/** Colours for up to 16 layers, in the order in which they are met. */
const colours = [
  ...['#f2a65a', '#7fb069', '#6c9bd2', '#d4738b', '#b39ddb', '#4db6ac', '#e6c229', '#a1887f'],
  ...['#90a4ae', '#dce775', '#ff8a65', '#81d4fa', '#ce93d8', '#aed581', '#ffcc80', '#cfd8dc'],
]

/** A function in the graph without what it calls. */
export const drawn = (name: string, layer: string): Drawn => ({ name, layer, time: 0, children: new Map() })

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const depthOf = ({ children }: Drawn, least: number): number =>
  1 +
  Math.max(0, ...[...children.values()].filter(({ time }) => time >= least).map(one => depthOf(one, least)))

/** The graph as SVG. `root`: its `time` is the sum of its children. */
export const flameGraph = (root: Drawn, title: string): string => {
  const least = root.time * leastShare
  const rows = depthOf(root, least)
  const layers = new Map<string, string>()
  const colourOf = (layer: string): string => {
    const colour = layers.get(layer) ?? colours[layers.size % colours.length] ?? '#cfd8dc'
    layers.set(layer, colour)
    return colour
  }
  const boxes: string[] = []
  const bottom = 40 + rows * rowHeight
  const draw = ({ name, layer, time, children }: Drawn, left: number, row: number): void => {
    const wide = (time / root.time) * (width - 2 * edge)
    const top = bottom - (row + 1) * rowHeight
    const shown = wide < 5 * letter ? '' : escaped(name.slice(0, Math.floor(wide / letter) - 1))
    const share = ((100 * time) / root.time).toFixed(1)
    boxes.push(
      `<g><title>${escaped(name)} (${escaped(layer)}): ${share} %</title><rect x="${left.toFixed(1)}" y="${top}" width="${Math.max(0.3, wide - 0.3).toFixed(1)}" height="${rowHeight - 1}" fill="${colourOf(layer)}"/>${shown === '' ? '' : `<text x="${(left + 3).toFixed(1)}" y="${top + 12}">${shown}</text>`}</g>`,
    )
    let at = left
    for (const child of [...children.values()].sort((a, b) => b.time - a.time)) {
      if (child.time >= least) draw(child, at, row + 1)
      at += (child.time / root.time) * (width - 2 * edge)
    }
  }
  draw(root, edge, 0)
  const legend = [...layers].map(([layer, colour], n) => {
    const [x, y] = [edge + (n % 4) * 295, bottom + 10 + Math.floor(n / 4) * rowHeight]
    return `<rect x="${x}" y="${y}" width="12" height="12" fill="${colour}"/><text x="${x + 18}" y="${y + 10}">${escaped(layer)}</text>`
  })
  const height = bottom + 20 + Math.ceil(layers.size / 4) * rowHeight
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11"><rect width="${width}" height="${height}" fill="#fff"/><text x="${edge}" y="24" font-size="15">${escaped(title)}</text>
${boxes.join('\n')}
${legend.join('\n')}
</svg>
`
}
