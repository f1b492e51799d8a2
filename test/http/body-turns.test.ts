// The thread that reads large bodies: one at a time, and senders in turn.
import t from 'tap'
import { createBodyThread } from '../../src/http/body/elsewhere.ts'

t.test('whoever sends many bodies delays the body of another by one', async t => {
  const thread = createBodyThread()
  t.teardown(() => thread.close())
  const read: string[] = []
  const send = (holder: string, n: number) =>
    thread
      .parse(holder, [Buffer.from(JSON.stringify([n]))], undefined)
      .then(() => read.push(`${holder} ${n}`))
  const anns = Array.from({ length: 10 }, (_, n) => send('ann', n))
  await Promise.all([...anns, send('bob', 0)])
  t.same(read.slice(0, 3), ['ann 0', 'bob 0', 'ann 1'])
  t.equal(read.length, 11)
})
