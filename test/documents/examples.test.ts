// The examples of the documents are played: what they are said to answer is what they answer, but for ids and times.
import t from 'tap'
import {
  createdEnv,
  createEnvExamples,
  observedEnv,
  resetEnv,
  resetEnvExample,
  stepAnswer,
  stepEnvExamples,
  stepStream,
} from '../../src/documents/environment-examples.ts'
import {
  createExamples,
  echoStream,
  echoTask,
  eventsExample,
  waitingTask,
} from '../../src/documents/examples.ts'
import { read } from '../support/http.ts'
import { adminToken, serveHere } from '../support/server.ts'
import { decode, follow } from '../support/sse.ts'

const { url, api } = await serveHere(t)
const create = (name: keyof typeof createExamples, more: object = {}) =>
  read(api('POST', '/tasks', { ...createExamples[name].value, ...more }))

/** A value without what is another each time. */
const still = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, inner) => {
      if (['created_at', 'expires_at', 'timestamp', 'workdir'].includes(key)) return key
      return /(^|_)id$/.test(key) && typeof inner === 'string' ? inner.replace(/_.*/s, '_') : inner
    }),
  )
const eventsOf = (text: string) =>
  decode(text).events.map(({ event, data }) => [event, still(JSON.parse(data))])

t.test('the task of the echo, and one that waits', async t => {
  t.same(still((await create('echo')).body.result), still(echoTask))
  t.same(still((await create('client_tool')).body.result), still(waitingTask))
})

t.test('the stream of the echo', async t => {
  const { text } = await create('stream')
  t.same(eventsOf(text), eventsOf(echoStream))
  t.same(
    text.split('\n').map(line => line.slice(0, 6)),
    echoStream.split('\n').map(line => line.slice(0, 6)),
  )
})

t.test('the events of the echo', async t => {
  const { body } = await create('echo', { task_id: 'task_of_events' })
  t.equal(body.result.status, 'completed')
  const abort = new AbortController()
  const opened = await follow(
    fetch(`${url}/api/events?starting_after=earliest&task_id=task_of_events`, {
      headers: { authorization: `Bearer ${adminToken}` },
      signal: abort.signal,
    }),
  )
  await opened.until((_, text) => text.includes('"new_status":"completed"'))
  abort.abort()
  t.same(eventsOf(opened.text()), eventsOf(eventsExample))
})

t.test('the others work as they say', async t => {
  t.match(
    (await create('tools')).text,
    /task\.tool_result\.done[\s\S]*"message_content":"42"[\s\S]*task\.completed/,
  )
  t.match((await create('script')).text, /"text":"It is 42\."[\s\S]*task\.completed/)
  t.match((await create('background')).body.result.status, /created|queued|working|completed/)
})

t.test('an environment session, step by step', async t => {
  /** Without drawn seeds; of the tools only what an example says of one. */
  const quiet = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(still(value), (key, inner) => {
        if (key === 'seed') return key
        return key === 'tools' ? inner[0].function.name : inner
      }),
    )
  const answer = async (verb: string, { value }: { value: unknown }) =>
    quiet((await read(api('POST', `/env/${verb}`, value))).body)
  t.same(await answer('create', createEnvExamples.map), quiet(createdEnv))
  t.same(await answer('observation', { value: { session_id: 'maze' } }), quiet(observedEnv))
  t.same(await answer('step', stepEnvExamples.step), quiet(stepAnswer))
  t.same(await answer('reset', resetEnvExample.seed), quiet(resetEnv))
  const { text } = await read(api('POST', '/env/step', stepEnvExamples.stream.value))
  const framesOf = (stream: string) =>
    decode(stream).events.map(({ event, data }) => [event, quiet(JSON.parse(data).result)])
  const again = framesOf(stepStream.replaceAll('"step":1', '"step":2'))
  t.same(framesOf(text), again, 'as a stream, its second step')
})
