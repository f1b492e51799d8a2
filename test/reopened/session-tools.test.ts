// A call of a task that is a step of a session, while the disk fails.
import t from 'tap'
import { folderFor } from '../actors/env-session/given.ts'
import { memoryEnvironments } from '../actors/env-session/memory.ts'
import { asked, lost, reasonOf } from '../actors/env-session/sessions.ts'
import { rested } from '../actors/journal/kills.ts'
import { until } from '../support/http.ts'
import { failingStore, givenSystem } from '../support/system.ts'

t.test('the error of the log is not the result of the call', async t => {
  const { store, failNext } = failingStore()
  const { environments } = memoryEnvironments()
  const system = await givenSystem({
    store,
    environments: { ...environments, list: async () => [], info: async () => [] } as never,
    workspaceRoot: folderFor(t),
  })
  const { sessions } = system.environments
  const once = { isRetry: false, delivery: lost, began() {} }
  await sessions.create(asked, { session_id: 's', env_class_path: 'snapshot' }, once)
  // The step is cut off: its intent is stored although the write failed.
  failNext('kept')
  const { signal } = new AbortController()
  const body = { session_id: 's', tool_name: 'add', tool_args: { by: 1 } }
  t.ok(await reasonOf(sessions.step(asked, body, { ...once, emit() {}, signal })))
  await rested(system)
  const { write } = store
  let hasFailed = false
  store.write = batch => {
    if (!hasFailed && batch.texts.some(text => text.includes('EnvStepCompleted'))) {
      hasFailed = true
      failNext('lost')
    }
    return write(batch)
  }
  const id = await system.play([{ tool: 'add', arguments: { by: 1 } }, { message: 'done' }], {
    session_id: 's',
  })
  // A thread checks the arguments of the call, so the clock of the test alone does not show when the task is done.
  await until(async () => {
    await rested(system)
    return system.get(id).status !== 'working'
  })
  t.ok(hasFailed)
  t.match(system.get(id), { status: 'completed' })
  const results = system.get(id).output.filter((item: { type: string }) => item.type === 'tool_result')
  t.match(results, [{ status: 'completed' }])
  await system.close()
})
