// A step that is asked for again: by its key, or without one when its answer was cut off.

import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { until } from '../../support/http.ts'
import { counter, gone, kept } from '../env-calls.ts'
import { givenEnvironments } from './given.ts'

const { server, made, step, add, observe, faults } = await givenEnvironments(t)

t.test('a step with the Idempotency-Key of another is that step, to the byte', async t => {
  for (const env_class_path of [counter, kept, gone]) {
    const id = await made({ env_class_path })
    const key = { 'idempotency-key': `key ${env_class_path}` }
    const first = await add(id, 1, key)
    t.equal((await add(id, 1, key)).text, first.text)
    await add(id, 5)
    t.equal((await add(id, 1, key)).text, first.text, 'also when the session has moved on')
    const { status, body } = await add(id, 2, key)
    t.equal(status, 409, 'for other arguments it is taken')
    t.equal(body.code, -32023)
    const pair = { 'idempotency-key': `twice ${env_class_path}` }
    const both = await Promise.all([add(id, 1, pair), add(id, 1, pair)])
    t.equal(both[0].text, both[1].text, 'two at once are one')
    t.match((await observe(id)).body.state, { total: 7 })
    const end = { 'idempotency-key': `end ${env_class_path}` }
    const last = await step(id, 'end', {}, {}, end)
    t.equal((await step(id, 'end', {}, {}, end)).text, last.text, 'also when it was the last')
  }
})

t.test('a step that ended its session is answered again by its key', async t => {
  const id = await made()
  const key = { 'idempotency-key': 'deadly' }
  const first = await step(id, 'exit', {}, {}, key)
  const again = await step(id, 'exit', {}, {}, key)
  t.equal(again.status, 200)
  t.equal(again.text, first.text)
})

t.test('a key is one session’s own', async t => {
  const [one, two] = [await made(), await made()]
  const key = { 'idempotency-key': 'shared' }
  t.match((await add(one, 1, key)).body, { session_id: one, step: 1 })
  t.match((await add(two, 1, key)).body, { session_id: two, step: 1 })
})

t.test('a retry without a key is the step again when its answer was cut off, and else a new one', async t => {
  const id = await made()
  const retry = { 'x-stainless-retry-count': '1' }
  const first = await add(id, 1)
  t.equal((await add(id, 1)).body.step, 2, 'two equal moves are two steps')
  t.equal(first.body.step, 1)
  t.equal((await add(id, 1, retry)).body.step, 3, 'what was delivered whole is not given again')

  const file = path.join(t.testdir(), 'go')
  const controller = new AbortController()
  const lost = fetch(`${server.url}/v1/env/step`, {
    method: 'POST',
    headers: { authorization: 'Bearer test-admin-token', 'content-type': 'application/json' },
    body: JSON.stringify({ session_id: id, tool_name: 'hold', tool_args: { file } }),
    signal: controller.signal,
  }).catch(() => 'cut')
  await until(() => existsSync(`${file}.begun`))
  controller.abort()
  t.equal(await lost, 'cut')
  const again = step(id, 'hold', { file }, {}, retry)
  writeFileSync(file, '')
  t.equal((await again).body.step, 4, 'also one that still ran when it was asked for again')
  t.match((await observe(id)).body.state, { total: 4 }, 'it was done once')
  t.equal((await step(id, 'hold', { file }, {}, retry)).body.step, 5)
})

t.test('nothing of all that was a fault of ours', async t => {
  t.same(faults(), [])
})
