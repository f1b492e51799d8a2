// Shows where a server spends its time: a CPU profile of each of its threads under load, the busiest functions first.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { drawn, flameGraph } from './flame.ts'
import { newFolder } from './folder.ts'
import { load } from './load.ts'
import { startOurs } from './server.ts'
import { sourceLine } from './source-lines.ts'

type Call = { functionName: string; url: string; lineNumber: number; columnNumber: number }
type Profile = {
  nodes: { id: number; callFrame: Call; children?: number[] }[]
  samples: number[]
  timeDeltas: number[]
}
const shown = 25
const root = path.resolve(import.meta.dirname, '../..')

const nameIn = (file: string): string => path.relative(root, file).replace(/^.*node_modules\//, '')

const placeOf = ({ functionName, url, lineNumber, columnNumber }: Call): string => {
  const name = functionName || '(anonymous)'
  if (url === '') return functionName
  if (!url.startsWith('file:')) return `${name}  ${url}:${lineNumber + 1}`
  const file = fileURLToPath(url)
  const written = sourceLine(file, lineNumber, columnNumber)
  if (written === undefined) return `${name}  ${nameIn(file)}:${lineNumber + 1}`
  return `${nameIn(written.source)}:${written.line}  ${name}  ${written.text.slice(0, 60)}`
}
const moduleOf = ({ functionName, url, lineNumber, columnNumber }: Call): string => {
  if (url === '') return functionName.startsWith('(') ? functionName : `native ${functionName}`
  if (!url.startsWith('file:')) return url.split('/', 1)[0] ?? url
  const file = fileURLToPath(url)
  const { source } = sourceLine(file, lineNumber, columnNumber) ?? { source: file }
  return path.relative(root, source).replace(/^.*node_modules\/((@[^/]+\/)?[^/]+).*$/, '$1')
}

/** Our layers, by the beginning of the path of a source. The first that fits counts. */
const layers: readonly (readonly [layer: string, begins: RegExp])[] = [
  ['HTTP: our routes, checks and answers', /^src\/(http|access|front|fairness|shard|doors)\//],
  ['HTTP: fastify and its router', /^(fastify|find-my-way|light-my-request|secure-json-parse|@fastify)/],
  ['tasks: request, idempotency, commands', /^src\/(tasks|once|json-schema|contract)\//],
  ['actors: mailbox, decisions, effects', /^(actors|src\/agents)\//],
  ['actors: XState', /^xstate/],
  ['folds of events', /^src\/history\//],
  ['log: order, texts, batches', /^src\/(log|proof|erasure)\//],
  ['read models', /^projections\//],
  ['SQLite in the main thread', /^(better-sqlite3|native (run|exec|get|all))/],
  ['subscribers and metrics', /^src\/(bus|metrics|telemetry)\//],
  ['messages to the threads', /^native postMessage/],
  ['socket writes', /^native write/],
  ['Node: HTTP, streams, promises, timers', /^(node:|internal|native )/],
  ['garbage, in the main thread', /^\(garbage collector\)/],
]
const layerOf = (module: string): string =>
  layers.find(([, begins]) => begins.test(module))?.[0] ?? 'everything else'

const add = (to: Map<string, number>, key: string, time: number) => to.set(key, (to.get(key) ?? 0) + time)

const sum = ({ nodes, samples, timeDeltas }: Profile) => {
  const own = new Map<number, number>()
  for (const [n, id] of samples.entries()) own.set(id, (own.get(id) ?? 0) + (timeDeltas[n] ?? 0))
  const byId = new Map(nodes.map(node => [node.id, node]))
  const self = new Map<string, number>()
  const modules = new Map<string, number>()
  const total = new Map<string, number>()
  /** The time of a node and of the nodes below it. A function that calls itself is counted once. */
  const walk = (id: number, above: ReadonlySet<string>): number => {
    const node = byId.get(id)
    if (node === undefined) return 0
    const mine = own.get(id) ?? 0
    const place = placeOf(node.callFrame)
    add(self, place, mine)
    add(modules, moduleOf(node.callFrame), mine)
    const inside = new Set(above).add(place)
    let time = mine
    for (const child of node.children ?? []) time += walk(child, inside)
    if (!above.has(place)) add(total, place, time)
    return time
  }
  const first = nodes[0]
  if (first !== undefined) walk(first.id, new Set())
  return { self, modules, total }
}

const table = (title: string, times: Map<string, number>, busy: number) => {
  console.log(`  ${title}`)
  const most = [...times].filter(([name]) => name !== '(root)' && name !== '(idle)')
  for (const [name, time] of most.sort((a, b) => b[1] - a[1]).slice(0, shown)) {
    console.log(`    ${((100 * time) / busy).toFixed(1).padStart(5)} %  ${name}`)
  }
}

/** Prints the profile of one thread, unless the thread was idle. */
export const printProfile = (file: string) => {
  const { self, modules, total } = sum(JSON.parse(readFileSync(file, 'utf8')) as Profile)
  const all = [...self.values()].reduce((one, other) => one + other, 0)
  const busy = all - (self.get('(idle)') ?? 0)
  if (busy < 0.1 * all) return
  console.log(`\n${path.basename(file)}: busy ${Math.round((100 * busy) / all)} %`)
  const byLayer = new Map<string, number>()
  for (const [module, time] of modules) add(byLayer, module === '(idle)' ? module : layerOf(module), time)
  table('running itself, by layer', byLayer, busy)
  table('running itself, by file or package', modules, busy)
  table('running itself, by function', self, busy)
  table(
    'with all that it calls',
    new Map([...total].filter(([name]) => /^(src|actors|projections)/.test(name))),
    busy,
  )
}

/** The frames of a profile that are no work. */
const noWork: ReadonlySet<string> = new Set(['(root)', '(idle)', '(program)'])

/** The busy time of a profile as a flame graph. Calls of the same function from the same one are one box. */
const graphOf = ({ nodes, samples, timeDeltas }: Profile, title: string): string => {
  const own = new Map<number, number>()
  for (const [n, id] of samples.entries()) own.set(id, (own.get(id) ?? 0) + (timeDeltas[n] ?? 0))
  const byId = new Map(nodes.map(node => [node.id, node]))
  const root = drawn('busy', 'everything else')
  const walk = (id: number, above: typeof root): number => {
    const node = byId.get(id)
    if (node === undefined) return 0
    const isWork = !noWork.has(node.callFrame.functionName)
    const name = node.callFrame.functionName || '(anonymous)'
    const box = isWork ? (above.children.get(name) ?? drawn(name, layerOf(moduleOf(node.callFrame)))) : above
    if (isWork) above.children.set(name, box)
    let time = isWork ? (own.get(id) ?? 0) : 0
    for (const child of node.children ?? []) time += walk(child, box)
    if (isWork) box.time += time
    return time
  }
  const first = nodes[0]
  root.time = first === undefined ? 0 : walk(first.id, root)
  return flameGraph(root, title)
}

/** Writes the flame graph of the busiest thread. */
const writeGraph = (profiles: string, file: string, about: string): void => {
  const read = readdirSync(profiles).map(name => readFileSync(path.join(profiles, name), 'utf8'))
  const busiest = read.sort((a, b) => b.length - a.length)[0]
  if (busiest === undefined) throw new Error('there is no profile')
  writeFileSync(file, graphOf(JSON.parse(busiest) as Profile, `Main thread, ${about}`))
  console.log(`the main thread as a flame graph: ${file}`)
}

/** The options of a bench: --profile, and behind it perhaps the file for the flame graph of the main thread. */
export const profileEcho = async (args: string[], { stream }: { stream: boolean }): Promise<void> => {
  const graph = args[args.indexOf('--profile') + 1]
  const profiles = newFolder('profiles')
  const server = await startOurs(newFolder('ours'), ['--cpu-prof', `--cpu-prof-dir=${profiles}`])
  await load(server, { clients: 32, seconds: 2, stream })
  const { rate } = await load(server, { clients: 32, seconds: 10, stream })
  await server.stop()
  const about = `${stream ? 'streamed ' : ''}echo tasks, 32 clients, ${Math.round(rate)} tasks/s while profiled`
  console.log(`${about}; one profile for each busy thread`)
  for (const file of readdirSync(profiles)) printProfile(path.join(profiles, file))
  if (graph !== undefined) writeGraph(profiles, graph, about)
}
