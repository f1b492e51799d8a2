// Work that a page asks for again and again, and the history of a task whose requests the server puts off.
import t from 'tap'
import { ApiError } from '../../console/api/api-error.ts'
import type { Api } from '../../console/api/client.ts'
import { createPaced } from '../../console/api/paced.ts'
import { createHistory } from '../../console/task/history.ts'
import { until } from '../support/http.ts'

t.test('work that is asked for while it runs runs again afterwards, never beside itself', async t => {
  const ends: (() => void)[] = []
  let running = 0
  const paced = createPaced(async () => {
    t.equal(++running, 1)
    await new Promise<void>(resolve => ends.push(resolve))
    running--
  })
  paced.now()
  paced.now()
  t.equal(ends.length, 1)
  ends[0]?.()
  await until(() => ends.length === 2)
  paced.now()
  paced.close()
  ends[1]?.()
  await new Promise(setImmediate)
  t.same([ends.length, running], [2, 0], 'what is closed does not run again')
})

const historyThatGets = (t: { teardown(end: () => void): void }, ...statuses: number[]) => {
  let asked = 0
  const lines = async (): Promise<void> => {
    const status = statuses[asked++]
    if (status !== undefined) throw new ApiError(status, 'not now')
  }
  const follow = () => new Promise<void>(() => {})
  const history = createHistory({ lines, follow } as unknown as Api, 'task-1')
  t.teardown(history.close)
  return history
}

t.test('a history that the server puts off is asked for again; one that it refuses is not', async t => {
  const late = historyThatGets(t, 429, 408)
  await until(() => late.connection.value === 'lost')
  await until(() => late.connection.value === 'live')
  const refused = historyThatGets(t, 404)
  await until(() => refused.connection.value === 'refused')
  t.equal(refused.error.value?.status, 404)
})
