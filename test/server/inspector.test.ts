// INSPECT_ACTORS: a task and an environment session are seen by whoever watches, in the words of an inspector.
import t from 'tap'
import { createActor, type InspectionEvent } from 'xstate'
import { inspectionMessage } from '../../actors/runtime/inspection.ts'
import { logicOf } from '../../actors/runtime/logic.ts'
import { foldedTask } from '../../actors/task/actor.ts'
import { startInspector } from '../../src/platform/inspector.ts'
import { inspectorPage } from '../../src/platform/inspector-page.ts'
import { historyOf, recorded } from '../actors/given.ts'
import { until } from '../support/http.ts'

t.test('whoever watches sees each event and state of a running actor, also what was before', async t => {
  const inspector = await startInspector()
  t.teardown(inspector.close)
  const inspect = (event: InspectionEvent) => inspector.show(inspectionMessage(event) ?? '')
  const task = createActor(logicOf(foldedTask), { id: 'task-1', inspect }).start()
  const aborted = new AbortController()
  const { body } = await fetch(`${inspector.url}/events`, { signal: aborted.signal })
  for (const stored of recorded(historyOf.created)) task.send({ type: stored.type, stored })
  let text = ''
  const reading = body
    ?.pipeTo(
      new WritableStream({
        write(chunk) {
          text += Buffer.from(chunk)
        },
      }),
    )
    .catch(() => {})
  await until(() => text.includes('"value":"created"'))
  const seen = text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line.slice('data: '.length)))
  t.match(seen[0], { type: '@xstate.actor', name: 'task-1' })
  t.match(JSON.parse(seen[0].definition), { id: 'task', states: { working: { states: { thinking: {} } } } })
  t.match(seen.at(-2), { type: '@xstate.event', event: { type: 'TaskCreated', data: { task_id: 't1' } } })
  t.match(seen.at(-1), { type: '@xstate.snapshot', snapshot: { value: 'created' }, name: 'task-1' })
  task.stop()
  aborted.abort()
  await reading
})

t.test('the page is shown under its address alone', async t => {
  const inspector = await startInspector()
  t.teardown(inspector.close)
  t.equal(await (await fetch(inspector.url)).text(), inspectorPage)
  const { port } = new URL(inspector.url)
  t.equal((await fetch(`http://localhost:${port}/events`)).status, 403)
})
