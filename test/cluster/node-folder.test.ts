// The data folder of a node, and the commands on it: while its node is in a cluster, when it leaves, and when a backup of it
// is restored.
import { existsSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { idsOf, read } from '../support/http.ts'
import { runReprise, serveHere } from '../support/server.ts'
import { caughtUp, pairOfShards, type ShardNode, shardIn } from './shards-here.ts'
import { rowsOf, shareKeys } from './support.ts'

const echo = { user_message_content: 'hello', client_id: 'echo', stream: false }
const run = (dataDir: string, ...args: string[]) => runReprise(args, { DATA_DIR: dataDir })
const someTasks = async ({ api }: Pick<ShardNode, 'api'>, count: number): Promise<string[]> => {
  const made: string[] = []
  for (let n = 0; n < count; n++) {
    const { result } = (await (await api('POST', '/tasks', echo)).json()) as { result: { id: string } }
    made.push(result.id)
  }
  return made.sort()
}
const listed = async (api: ShardNode['api']): Promise<string[]> =>
  idsOf(await read(api('GET', '/tasks?limit=100'))).sort()

t.test('a folder is checked, copied and replayed while its node follows or owns the log', async t => {
  const { folder, servers, one, two } = await pairOfShards(t)
  const tasks = await someTasks(one, 3)
  await caughtUp(two, one)
  const file = path.join(folder, 'backup.db')
  const [verified, replayed, backup] = await Promise.all([
    run(two.dataDir, 'verify', '--json'),
    run(two.dataDir, 'replay', '--all', '--json'),
    run(two.dataDir, 'backup', file, '--json'),
  ])
  t.equal(verified.code, 0, verified.stderr)
  t.equal(replayed.code, 0, replayed.stderr)
  t.match(replayed.stdout, '"matches":true')
  t.equal(backup.code, 0, backup.stderr)
  t.equal((await run(one.dataDir, 'verify')).code, 0)

  const before = rowsOf(two.local)
  const refused = await run(two.dataDir, 'restore', file, '--force')
  t.equal(refused.code, 2, refused.stdout)
  t.match(refused.stderr, /is a copy of the log of a cluster/)
  t.same(rowsOf(two.local), before)

  const other = path.join(folder, 'other')
  t.equal((await run(other, 'restore', file)).code, 0)
  await t.test('a restored backup is a machine of its own', async t => {
    const server = await serveHere(t, { DATA_DIR: other })
    t.same(await listed(server.api), tasks)
    t.equal((await server.api('POST', '/tasks', echo)).status, 200)
  })
  await t.test('the cluster does not take it in again, and loses nothing', async t => {
    await someTasks(one, 1)
    const sequence = servers.records().length
    const rejoined = await shardIn(t, servers, folder, 'other')
    const rows = rowsOf(rejoined.local)
    shareKeys(one.keys, rejoined.keys)
    await rejoined.follow(one)
    t.match(
      rejoined.reports.join('\n'),
      /has another event than the shared log at position \d+\. Nothing was changed/,
    )
    await t.rejects(rejoined.replica.claim(), 'it cannot become the owner')
    t.same(rowsOf(rejoined.local), rows, 'its own events are as they were')
    t.equal(servers.records().length, sequence)
  })
})

t.test('a standby whose read models were built anew goes on', async t => {
  const { folder, servers, one, two } = await pairOfShards(t)
  await someTasks(one, 2)
  await caughtUp(two, one)
  await two.close()
  const rebuilt = await run(two.dataDir, 'rebuild', '--json')
  t.equal(rebuilt.code, 0, rebuilt.stderr)
  t.match(JSON.parse(rebuilt.stdout), { tasks: 2 })
  const again = await shardIn(t, servers, folder, 'two')
  await again.follow(one)
  const tasks = [...(await someTasks(one, 1)), ...(await listed(one.api))]
  await caughtUp(again, one)
  shareKeys(one.keys, again.keys)
  await one.close()
  await again.own()
  t.same(await listed(again.api), [...new Set(tasks)].sort())
})

t.test('a node that leaves goes on alone, with all that the log had', async t => {
  const { one, two } = await pairOfShards(t)
  const tasks = await someTasks(one, 2)
  await two.close()
  await one.close()
  const alone = await run(one.dataDir, 'serve')
  t.equal(alone.code, 2)
  t.match(alone.stderr, /set CLUSTER=1, or take the folder out of the cluster with reprise cluster leave/)
  const left = await run(one.dataDir, 'cluster', 'leave', '--json')
  t.match({ ...left, stdout: JSON.parse(left.stdout) }, { code: 0, stdout: { left: one.dataDir } })
  for (const file of [one.files.streamKeys, one.files.cluster]) t.notOk(existsSync(file))
  const again = await run(one.dataDir, 'cluster', 'leave')
  t.equal(again.code, 1)
  t.match(again.stderr, /is in no cluster: nothing was changed/)
  const server = await serveHere(t, { DATA_DIR: one.dataDir })
  t.same(await listed(server.api), tasks)
  t.equal((await server.api('POST', '/tasks', echo)).status, 200)
  t.equal((await run(one.dataDir, 'verify')).code, 0)
})
