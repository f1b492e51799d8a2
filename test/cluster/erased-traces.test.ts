// What was erased is in no file of a standby, also when the standby ended between the erasure in its log and the next
// writing of its read models.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { filesWith } from '../erasure/support.ts'
import { read } from '../support/http.ts'
import { caughtUp, pairOfShards, type ShardNode, shardIn } from './shards-here.ts'
import { openNode, shareKeys, until } from './support.ts'

const word = 'a-word-that-was-erased'
const task = (user_message_content: string) => ({ user_message_content, client_id: 'echo', stream: false })

/**
 * A standby whose log has an erasure, and whose read models do not know it yet: the process ended there. `one` is the
 * owner.
 */
const endedThere = async (t: Test) => {
  const { servers, folder, one, two } = await pairOfShards(t)
  const { result } = (await read(one.api('POST', '/tasks', task(word)))).body
  await one.api('POST', '/tasks', task('kept'))
  await caughtUp(two, one)
  await two.close()
  t.ok(filesWith(two.dataDir, word).some(file => file.includes('read.db')))
  const erased = await read(one.api('DELETE', `/tasks/${result.id}?erase=true&reason=gdpr`))
  if (erased.status !== 200) throw new Error(erased.text)
  const onlyLog = openNode(servers, { folder: two.dataDir, name: 'two', stateFile: two.files.cluster })
  shareKeys(one.keys, onlyLog.keys)
  await onlyLog.replica.follow()
  await until(() => onlyLog.local.last()?.position === one.local.last()?.position)
  await onlyLog.close()
  const found = filesWith(two.dataDir, word)
  t.ok(found.length > 0 && found.every(file => file.includes('read.db')), 'only the read models have it')
  return { servers, folder, one }
}
const hasNothing = async (t: Test, node: ShardNode): Promise<void> => {
  await until(() => filesWith(node.dataDir, word).length === 0)
  t.same(filesWith(node.dataDir, word), [])
  t.ok(filesWith(node.dataDir, 'kept').some(file => file.includes('read.db')))
}

t.test('a standby writes its read models anew after its next start', async t => {
  const { servers, folder, one } = await endedThere(t)
  const two = await shardIn(t, servers, folder, 'two')
  await two.follow(one)
  await hasNothing(t, two)
})

t.test('a standby that takes over at once does so, too', async t => {
  const { servers, folder, one } = await endedThere(t)
  await one.close()
  const two = await shardIn(t, servers, folder, 'two')
  await two.own()
  await hasNothing(t, two)
})

t.test('a standby keeps no list of workers of the time when it was the owner', async t => {
  const { servers, folder, one, two } = await pairOfShards(t)
  await two.close()
  for (const name of ['workers.json', 'workers.json.new'])
    writeFileSync(path.join(two.dataDir, name), JSON.stringify({ agents: [{ user: word }] }))
  await (await shardIn(t, servers, folder, 'two')).follow(one)
  t.same(filesWith(two.dataDir, word), [])
})
