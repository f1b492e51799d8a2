// A long log is taken over after its owner was killed: how long until the first answer, and how long requests wait then.
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { newFolder } from './support/folder.ts'
import { echoBody } from './support/load.ts'
import { makeLog, makeReadModels } from './support/made-history.ts'
import { startNatsCluster } from './support/nats-cluster.ts'
import { residentOf } from './support/process-use.ts'
import { adminToken, type Server } from './support/server.ts'
import { percentile, short, spread } from './support/stats.ts'

const unfinished = 1000
/** Milliseconds for which requests are measured after the first answer. */
const watchedMs = 10_000
/** The most milliseconds to the first answer, and of a request after it. */
const limits = { first: 5000, later: 1000 }

const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }

/** Asks until the node answers with 200. Resolves to the milliseconds since `began`. */
const firstAnswer = async (node: Server, began: number): Promise<number> => {
  for (let n = 0; ; n++) {
    const status = await fetch(`${node.url}/v1/tasks`, { method: 'POST', headers, body: echoBody(n, false) })
      .then(async answer => {
        await answer.arrayBuffer()
        return answer.status
      })
      .catch(() => 0)
    if (status === 200) return performance.now() - began
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

/** Polls an unfinished task and lists tasks for some seconds. Resolves to the milliseconds of each request. */
const requestsOf = async (node: Server): Promise<number[]> => {
  const times: number[] = []
  const get = async (where: string): Promise<{ result: { id: string }[] }> => {
    const began = performance.now()
    const answer = await fetch(`${node.url}/v1${where}`, { headers })
    const body = (await answer.json()) as { result: { id: string }[] }
    if (answer.status !== 200) throw new Error(`${where}: ${answer.status} ${JSON.stringify(body)}`)
    times.push(performance.now() - began)
    return body
  }
  for (const end = performance.now() + watchedMs; performance.now() < end; ) {
    const { result } = await get('/tasks?fields=summary&limit=50&status=paused')
    await get('/tasks?fields=summary&limit=50')
    await get(`/tasks/${result[0]?.id}`)
  }
  return times
}

const judged = (what: string, times: number[], limit: number): void =>
  console.log(
    `  ${what.padEnd(34)} ${spread(times)} ms   target <= ${limit}: ${Math.max(...times) <= limit ? 'met' : 'NOT MET'}`,
  )

/** The nodes take turns: each time the owner is killed, and then started again on its folder. */
export const takeover = async (events: number, rounds: number): Promise<void> => {
  const folder = newFolder('takeover')
  await makeLog(folder, { events, unfinished })
  await makeReadModels(folder)
  const cluster = await startNatsCluster('takeover-nats', folder)
  const folders = { a: folder, b: path.join(folder, '..', 'takeover-b') }
  const nodes = {
    a: await cluster.startNode('a', { dataDir: folders.a, role: 'owner' }),
    b: undefined as unknown as Server,
  }
  console.log(`  (the log is in the shared log: ${short(nodes.a.readyAfter / 1000)} s)`)
  nodes.b = await cluster.startNode('b', { dataDir: folders.b })
  const rate = (events / nodes.b.readyAfter) * 1000
  console.log(`  (an empty node is ready: ${short(nodes.b.readyAfter / 1000)} s, ${short(rate)} events/s)`)
  const [first, longest, usual, again]: number[][] = [[], [], [], []]
  let owner: 'a' | 'b' = 'a'
  for (let round = 0; round < rounds; round++) {
    const other: 'a' | 'b' = owner === 'a' ? 'b' : 'a'
    const began = performance.now()
    process.kill(nodes[owner].pid, 'SIGKILL')
    first?.push(await firstAnswer(nodes[other], began))
    const times = await requestsOf(nodes[other])
    longest?.push(Math.max(...times))
    usual?.push(percentile(times, 0.5))
    nodes[owner] = await cluster.startNode(owner, { dataDir: folders[owner] })
    again?.push(nodes[owner].readyAfter)
    owner = other
  }
  console.log(
    `\ntakeover of ${events.toLocaleString('en')} events and ${unfinished} unfinished tasks after kill -9`,
  )
  judged('first answer', first ?? [], limits.first)
  judged('the longest poll or list after it', longest ?? [], limits.later)
  console.log(`  polls and lists, p50               ${spread(usual ?? [])} ms`)
  console.log(`  the killed node is ready again     ${spread(again ?? [])} ms`)
  console.log(`  memory of the owner                ${short(residentOf(nodes[owner].pid) ?? Number.NaN)} MiB`)
  for (const node of Object.values(nodes)) await node.stop()
  await cluster.stop()
}
