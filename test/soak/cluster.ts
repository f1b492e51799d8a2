// A hundred faults of a cluster in random order, under load at both nodes, with followers by HTTP and by NATS. A number
// is the number of faults; SEED=n repeats their order; FAULTS=a,b strikes only those with these names. At the end it lists
// the outages by kind of fault. One that is longer than its limit fails the run; PATIENCE=4 allows four times the limits,
// and waits four times as long for everything, for a machine that others use, too.
import { followByHttp } from '../cluster/cluster-followers.ts'
import { startLoad } from '../cluster/cluster-load.ts'
import { followByNats } from '../cluster/cluster-nats-followers.ts'
import { verdictOf } from '../cluster/cluster-verdict.ts'
import { type Fault, faults } from '../cluster/faults.ts'
import { type Suffered, suffer } from '../cluster/faults-run.ts'
import { serverFaults } from '../cluster/server-faults.ts'
import { mendEvents } from '../cluster/silent-events.ts'
import { startCluster } from '../support/cluster.ts'
import { randomOf } from '../support/world.ts'

const known: Record<string, Fault> = { ...faults, ...serverFaults }
const all = (process.env.FAULTS?.split(',') ?? Object.keys(known)).map(name => {
  const fault = known[name]
  if (fault === undefined)
    throw new Error(`there is no fault ${name}; there are ${Object.keys(known).join(', ')}`)
  return fault
})
const seed = Number(process.env.SEED ?? 1)
const count = Number(process.argv[2] ?? 100)
const patience = Number(process.env.PATIENCE ?? 1)
const random = randomOf(seed)
const upTo = (n: number) => Math.floor(random() * n)

const teardowns: (() => unknown)[] = []
const cluster = await startCluster(
  { teardown: end => void teardowns.push(end as () => unknown) },
  { env: { LOG_LEVEL: 'warn' } },
)
const { nodes, nats } = cluster
await cluster.whole()
const load = startLoad({ nodes, callers: 8, everyMs: 40, name: `soak-${seed}` })
await load.next()
const followers = [0, 1, 2, 3, 4].map(n => followByHttp(`follower ${n}`, nodes, n))
for (const n of [0, 1]) followers.push(await followByNats(`NATS follower ${n}`, nats))

/** Each kind in turn, in a random order each time. */
const orderOf = (all: Fault[]): Fault[] => {
  const left = [...all]
  return all.map(() => left.splice(upTo(left.length), 1)[0] as Fault)
}
/** What the nodes say of themselves. */
const readinesses = () =>
  Promise.all(
    nodes.map(async ({ name, url }) => {
      const said = await fetch(`${url}/readyz`).then(answer => answer.text(), String)
      return { name, said }
    }),
  )
const suffered: Suffered[] = []
const problems: string[] = []
let next: Fault[] = []
/** How often the stream of events took nothing any more, and was removed. */
let removed = 0
try {
  while (suffered.length < count) {
    if (next.length === 0) next = orderOf(all)
    const fault = next.shift() as Fault
    const one = await suffer({ cluster, load }, fault, upTo(1500)).catch(error => {
      throw new Error(fault.name, { cause: error })
    })
    suffered.push(one)
    const isRemoved = await mendEvents(cluster)
    if (isRemoved) removed++
    const helped = [
      ...one.advised,
      ...(one.emptied > 0 ? ['one NATS server was emptied'] : []),
      ...(isRemoved ? ['the stream of events was removed'] : []),
    ]
    console.log(
      [
        `${suffered.length}  ${fault.name}: ${Math.round(one.outage)} ms without an answer, whole after ${Math.round(one.whole)} ms`,
        ...helped,
      ].join('; '),
    )
  }
} catch (error) {
  problems.push(
    `after ${suffered.length} faults: ${(error as Error).message}: ${String((error as Error).cause)}`,
  )
  console.error(problems[0])
}
for (const { name, said } of problems.length === 0 ? [] : await readinesses())
  problems.push(`${name}: ${said}`)
// A fault that failed may have left a node dead, and its callers without an answer.
for (const node of nodes.filter(node => !node.isRunning()))
  await node.start().catch(error => problems.push(String(error)))
await load.stop()
const { problems: found, ...seen } = await verdictOf(cluster, load, followers).catch(error => ({
  problems: [`the cluster could not be judged: ${error.message}`],
}))
problems.push(...found)

const rounded = (ms: number) => String(Math.round(ms)).padStart(7)
console.log('\n    n   median    worst    limit  fault (milliseconds without an acknowledged task)')
for (const { name, limitMs } of all) {
  const outages = suffered.flatMap(one => (one.fault.name === name ? [one.outage] : [])).sort((a, b) => a - b)
  if (outages.length === 0) continue
  const [median, worst] = [outages[outages.length >> 1] ?? 0, outages.at(-1) ?? 0]
  if (worst > limitMs * patience)
    problems.push(`${name}: ${Math.round(worst)} ms without an answer; allowed are ${limitMs * patience} ms`)
  console.log(
    `${String(outages.length).padStart(5)}  ${rounded(median)}  ${rounded(worst)}  ${rounded(limitMs)}  ${name}${worst > limitMs ? '  TOO LONG' : ''}`,
  )
}
console.log(JSON.stringify({ ...seen, removed, cuts: followers.map(follower => follower.cuts()) }))
for (const problem of problems.slice(0, 40)) console.error(problem.slice(0, 1000))
if (problems.length > 0)
  for (const node of nodes) console.error(`\n${node.name}:\n${node.said().slice(-8000)}`)
for (const end of teardowns.reverse()) await end()
process.exit(problems.length > 0 ? 1 : 0)
