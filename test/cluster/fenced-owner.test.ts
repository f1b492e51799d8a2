// An owner that was frozen and believes its lease for ever: the log alone refuses it.
import path from 'node:path'
import t from 'tap'
import { noNats, startCluster, until } from '../support/cluster.ts'

t.setTimeout(120_000)

const echo = { user_message_content: 'hello', stream: false, client_id: 'echo' }
const entry = [path.join(import.meta.dirname, 'cluster-node-entry.ts')]
type Created = { result?: { id: string } }

t.test('a thawed owner whose lease is not checked is refused by the log', { skip: noNats }, async t => {
  const cluster = await startCluster(t, { first: entry })
  await cluster.whole()
  const liar = await cluster.owner()
  t.equal(liar, cluster.nodes[0])
  const other = cluster.other(liar)

  liar.freeze()
  await until('another owner', async () => (await other.standing())?.role === 'owner')
  const kept = (await (await other.api('POST', '/tasks', echo)).json()) as Created
  const keys = ['one', 'two', 'three']
  const asked = keys.map(key => liar.api('POST', '/tasks', echo, { 'idempotency-key': key }))
  liar.thaw()
  const answers = await Promise.all(asked.map(async answer => (await answer).status))
  t.ok(
    answers.every(status => status === 200 || status === 503),
    `answered with ${answers}`,
  )
  await cluster.whole()
  t.match(liar.said(), 'another node owns the shard now: this node becomes a standby')
  t.equal((await other.standing())?.role, 'owner', 'the owner has stayed the owner')

  const ids: (string | undefined)[] = []
  for (const key of keys) {
    const again = await liar.api('POST', '/tasks', echo, { 'idempotency-key': key })
    ids.push(((await again.json()) as Created).result?.id)
  }
  const { result } = (await (await liar.api('GET', '/tasks?fields=summary')).json()) as {
    result: { id: string }[]
  }
  t.same(
    result.map(({ id }) => id).sort(),
    [kept.result?.id, ...ids].sort(),
    'each task is there once, and nothing else',
  )
})
