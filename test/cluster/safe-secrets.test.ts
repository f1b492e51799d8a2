// Secrets that were acknowledged outlive their owner, although no event names them: tickets that were used, and keys of the
// log. The owner is not asked before the next one takes the log.
import t from 'tap'
import { openCheckpoint } from '../../src/proof/note/checkpoint.ts'
import { readVerifierKey } from '../../src/proof/note/keys.ts'
import type { ShardNode } from './shards-here.ts'
import { pairOfShards } from './shards-here.ts'

const ticketFrom = async ({ api }: ShardNode): Promise<string> =>
  ((await (await api('POST', '/auth/stream-ticket', {})).json()) as { ticket: string }).ticket
const follow = async ({ url }: ShardNode, ticket: string): Promise<number> => {
  const answer = await fetch(`${url}/api/events?ticket=${ticket}`)
  await answer.body?.cancel()
  return answer.status
}
/** The keys of the log as a node gives them, with the positions from which they count. */
const keysOf = async ({ api }: ShardNode): Promise<string[]> =>
  (await (await api('GET', '/audit/public-key')).text()).trimEnd().split('\n')

t.test('a ticket that was used is good at the next owner', async t => {
  const { one, two } = await pairOfShards(t)
  const ticket = await ticketFrom(one)
  t.equal(await follow(one, ticket), 200)
  await two.own()
  t.equal(await follow(two, ticket), 200)
  t.equal(await follow(two, 'rt_unknown'), 401)
})

t.test('the next owner signs with a key to which the log has changed a moment ago', async t => {
  const { one, two } = await pairOfShards(t)
  t.equal((await one.api('POST', '/audit/rotate-key')).status, 200)
  const known = await keysOf(one)
  t.equal(known.length, 2)
  await two.own()
  t.same(await keysOf(two), known, 'the log names no further key')
  const key = readVerifierKey(known[1]?.split(' ')[0] ?? '')
  for (;;) {
    const answer = await two.api('GET', '/audit/checkpoint')
    const text = await answer.text()
    const found = answer.status === 200 ? openCheckpoint(text, key.name, [key]) : undefined
    if ((found?.size ?? 0) >= (two.local.last()?.position ?? 0)) break
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  t.pass('its checkpoint has a signature of that key')
})
