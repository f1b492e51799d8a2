// Servers that are started for tasks: few at a time, users in turn, and none for a task that has ended.
import t from 'tap'
import { createConnections } from '../../src/mcp/connections.ts'
import { until } from '../support/http.ts'
import { settle, testWorld } from '../support/world.ts'
import { processServer } from './support.ts'

t.test('a user whose tasks all start servers holds up no task of another', async t => {
  const started: (() => void)[] = []
  const failing = () =>
    new Promise<never>((_, reject) => started.push(() => reject(new Error('it cannot be started'))))
  const connections = createConnections({
    children: { start: failing, end: async () => {} },
    timers: testWorld().timers,
    report() {},
    odd: { note() {} },
    fetch,
    guardedFetch: fetch,
    client: { name: 'test', version: '0' },
    isWorking: () => true,
  })
  const server = processServer('s')
  const listing = (userId: string, n: number) =>
    connections.tools(server, { rootTaskId: `${userId}-${n}`, userId }).then(
      () => undefined,
      (error: Error) => error,
    )
  const anns = Array.from({ length: 40 }, (_, n) => listing('ann', n))
  await until(() => started.length > 0)
  await settle()
  const first = started.length
  t.ok(first < 40, `${first} of ann's at once`)
  const bobs = listing('bob', 0)
  await until(() => started.length > first)
  t.equal(started.length, first + 1, "bob's begins at once")
  started.at(-1)?.()
  t.match(await bobs, Error)

  for (let n = first; n < 39; n++) connections.ended(`ann-${n}`)
  started[0]?.()
  await until(() => started.length === first + 2)
  started[1]?.()
  await settle()
  t.equal(started.length, first + 2, 'the last of them is next: those of ended tasks are never started')
  const closed = connections.close()
  for (const fail of started) fail()
  await closed
  for (const failed of await Promise.all(anns)) t.match(failed, Error)
})
