// INSPECT_ACTORS: a task and an environment session are seen by whoever watches, in the words of an inspector.
import t from 'tap'
import { inspectionMessage } from '../../actors/runtime/inspection.ts'
import { liveTask } from '../../actors/task/live.ts'
import { firstState } from '../../src/contract/task-state.ts'
import { startInspector } from '../../src/platform/inspector.ts'
import { inspectorPage } from '../../src/platform/inspector-page.ts'
import { until } from '../support/http.ts'

t.test('whoever watches sees each event and state of a running actor, also what was before', async t => {
  const inspector = await startInspector()
  t.teardown(inspector.close)
  const task = liveTask.run('task-1', firstState, event => inspector.show(inspectionMessage(event) ?? ''))
  const header = { stream: 'task-1', revision: 0, type: 'TaskCreated' }
  const aborted = new AbortController()
  const { body } = await fetch(`${inspector.url}/events`, { signal: aborted.signal })
  task.take({ position: 1, header: header as never, data: { text: 'hello' } })
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
  t.match(seen.at(-2), { type: '@xstate.event', event: { type: 'TaskCreated', data: { text: 'hello' } } })
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
