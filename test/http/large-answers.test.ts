// Answers of any size: streamed whole or broken off, a bounded part of them in memory, and nobody else held up.

import { once } from 'node:events'
import { get } from 'node:http'
import path from 'node:path'
import Database from 'better-sqlite3'
import t from 'tap'
import { apiAs, read, until } from '../support/http.ts'
import { type Api, serveHere } from '../support/server.ts'
import { families, sampleOf } from './exposition.ts'
import { openSocket } from './socket/client.ts'

const mebibyte = 1024 * 1024
const script = (text: string) => ({
  client_id: 'script',
  user_message_content: 'x',
  agent_config: { script: [{ message: text }] },
})

const create = async (api: Api, body: object) => {
  const { status, text, body: answer } = await read(api('POST', '/tasks', { stream: false, ...body }))
  if (status !== 200) throw new Error(text)
  return answer.result
}
/** Tasks that say so many mebibytes each, newest first. */
const given = async (api: Api, sizes: number[]) => {
  const ids: string[] = []
  for (const [n, size] of sizes.entries()) {
    const text = String.fromCharCode(97 + n).repeat(size * mebibyte - 1)
    const task = await create(api, { client_id: 'echo', user_message_content: `${text}é` })
    ids.unshift(task.id)
  }
  return ids
}

const server = await serveHere(t)
const { api } = server
const ids = await given(api, [10, 10, 10])

t.test('a list of large tasks is given whole, whatever their size', async t => {
  const { status, headers, body } = await read(api('GET', '/tasks?limit=3'))
  t.equal(status, 200)
  t.equal(headers.get('content-length'), null, 'it leaves as it is read')
  t.ok(headers.get('x-request-id'))
  const tasks = body.result as unknown as { id: string; output: unknown[] }[]
  t.same(
    tasks.map(task => task.id),
    ids,
  )
  for (const id of ids) {
    const one = await read(api('GET', `/tasks/${id}`))
    t.same(
      one.body.result,
      tasks.find(task => task.id === id),
    )
  }
  const { headers: next } = await read(api('GET', '/tasks?limit=2'))
  t.match(next.get('link'), /rel="next"/)
})

t.test('two large answers are given to one user at once; the others are told to come again', async t => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => read(api('GET', '/tasks?limit=3'))))
  const served = answers.filter(({ status }) => status === 200)
  t.ok(served.length >= 2, `${served.length} were served`)
  for (const { text } of served) t.equal(text.length, served[0]?.text.length)
  for (const { status, headers, body } of answers) {
    if (status === 200) continue
    t.equal(status, 429)
    t.match(body.error, { code: -32027, data: { quota: 'answers', limit: 2 } })
    t.ok(headers.get('retry-after'))
  }
  const metrics = families(await (await fetch(`${server.url}/metrics`)).text())
  const counted = sampleOf(metrics, 'reprise_quota_refusals_total', { quota: 'answers' })
  t.equal(counted, answers.length - served.length, 'each refusal is counted')
  t.equal((await read(api('GET', '/tasks?limit=3'))).status, 200, 'and later they are served')
})

t.test('a reader that stops holds back its own answers and nobody else’s', async t => {
  const { url } = server
  const stuck = Array.from({ length: 2 }, () =>
    get(`${url}/v1/tasks?limit=3`, { headers: { authorization: 'Bearer test-admin-token' } }),
  )
  const responses = await Promise.all(stuck.map(async request => (await once(request, 'response'))[0]))
  for (const response of responses) response.pause()
  t.equal((await read(api('GET', '/tasks?limit=3'))).status, 429)
  const { body } = await read(api('POST', '/auth/tokens', { role: 'user', user_id: 'default' }))
  const own = apiAs(url, (body as unknown as { token: string }).token)
  t.equal((await read(own('GET', '/tasks?limit=3'))).status, 200)
  for (const request of stuck) request.destroy()
  await until(async () => (await read(api('GET', '/tasks?limit=3'))).status === 200)
})

t.test('pages of frames end early at eight mebibytes, and together hold every frame', async t => {
  const [id = ''] = ids
  const frames: { sequence_number: number }[] = []
  let pages = 0
  for (let more = true; more; pages++) {
    const after = frames.at(-1)?.sequence_number
    const cursor = after === undefined ? '' : `&after=${after}`
    const page = JSON.parse(await (await api('GET', `/tasks/${id}/events?limit=1000${cursor}`)).text())
    const size = JSON.stringify(page.result).length
    t.ok(size <= 8 * mebibyte || page.result.length === 1, `${page.result.length} frames of ${size}`)
    frames.push(...page.result)
    more = page.has_more
  }
  t.ok(pages > 4, `${pages} pages`)
  const whole = await (
    await api('GET', `/tasks/${id}/events`, undefined, { accept: 'text/event-stream' })
  ).text()
  const streamed = whole
    .split('\n')
    .filter(line => line.startsWith('data: '))
    .map(line => JSON.parse(line.slice(6)).result)
  t.same(frames, streamed)
})

t.test('what is folded from the log is told whole: as_of, rollouts, replay, audit', async t => {
  const [id = ''] = ids
  const now = (await read(api('GET', `/tasks/${id}`))).body.result
  t.same((await read(api('GET', `/tasks/${id}?as_of=position:1000`))).status, 422)
  const frames = JSON.parse(await (await api('GET', `/tasks/${id}/events?after=7`)).text()).result
  const last = frames.at(-1).sequence_number
  t.same((await read(api('GET', `/tasks/${id}?as_of=${last}`))).body.result, now)
  const rollouts = (await read(api('GET', `/tasks/${id}/rollouts`))).body.result as unknown as {
    output_messages: unknown
  }[]
  t.same(
    rollouts.map(({ output_messages }) => output_messages),
    [now.output],
  )
  t.match(JSON.parse(await (await api('GET', `/tasks/${id}/rollouts?format=atif`)).text()), {
    trajectory_id: id,
  })
  t.match(await (await api('POST', `/tasks/${id}/replay`)).json(), { matches: true, mismatches: [] })
  const audit = JSON.parse(await (await api('GET', `/audit/events?stream=task-${id}&limit=1000`)).text())
  t.equal(audit.has_more, true, 'a page of large events ends early')
  t.equal(audit.data.length, 1)
})

t.test('rollouts that repeat what was seen are longer than the task, and told one by one', async t => {
  const said = 'z'.repeat(20_000)
  const steps = Array.from({ length: 40 }, () => ({ message: said }))
  const body = {
    client_id: 'script',
    user_message_content: 'x',
    agent_config: { script: steps },
    return_rollout: true,
  }
  const task = (await create(api, body)) as unknown as { id: string; rollouts: { step: number }[] }
  t.same(
    task.rollouts.map(({ step }) => step),
    steps.map((_, n) => n + 1),
  )
  t.same((await read(api('GET', `/tasks/${task.id}`))).body.result, task)
  const pages: { step: number; position: number }[][] = []
  for (let more = true; more; ) {
    const after = pages.at(-1)?.at(-1)?.position ?? 0
    const text = await (await api('GET', `/tasks/${task.id}/rollouts?after=${after}`)).text()
    t.ok(text.length < 9 * mebibyte, 'a page ends early at eight mebibytes')
    const { result, has_more } = JSON.parse(text)
    pages.push(result)
    more = has_more
  }
  t.ok(pages.length > 1)
  t.same(pages.flat(), task.rollouts)
  const lines = await (await api('GET', `/tasks/${task.id}/rollouts?format=jsonl`)).text()
  t.equal(lines.trimEnd().split('\n').length, pages[0]?.length, 'as lines they come in the same pages')
  const delta = await (await api('GET', `/tasks/${task.id}/rollouts?form=delta`)).text()
  t.ok(delta.length < 3 * mebibyte, 'as differences all of them are on one page')
  t.equal(JSON.parse(delta).result.length, steps.length)
  const frames = JSON.parse(await (await api('GET', `/tasks/${task.id}/events?limit=1000`)).text())
  t.equal(frames.has_more, true, 'its last frame has a page of its own')
})

t.test(
  'on a WebSocket a long result comes whole, and what is said meanwhile comes whole behind it',
  async t => {
    const socket = await openSocket(server.url)
    await socket.ask({ type: 'subscribe', channels: ['tasks'] })
    const text = 'ü'.repeat(400_000)
    const asked = { type: 'create', client_id: 'echo', user_message_content: text, stream: false }
    const answers = await Promise.all([1, 2, 3].map(() => socket.ask(asked)))
    await Promise.all([1, 2, 3].map(() => socket.ask({ type: 'ping' })))
    for (const { type, data } of answers) {
      t.equal(type, 'result')
      t.same(data, (await read(api('GET', `/tasks/${data?.id}`))).body.result)
    }
    const [id = ''] = ids
    await socket.ask({ type: 'subscribe', channels: ['task'], task_id: id, since: 'earliest' })
    await socket.until(({ type }) => type === 'ended')
    const last = socket.heard.findLast(({ type }) => type === 'task.completed')
    t.same(last?.data?.task, (await read(api('GET', `/tasks/${id}`))).body.result)
    socket.ws.terminate()
  },
)

t.test('small answers are whole at once, with their length', async t => {
  const task = await create(api, script('hello'))
  for (const where of [`/tasks/${task.id}`, '/tasks?limit=1', `/tasks/${task.id}/events`, '/env/sessions']) {
    const { headers, text } = await read(api('GET', where))
    t.equal(headers.get('content-length'), String(Buffer.byteLength(text)), where)
  }
})

t.test(
  'a large answer that is found damaged on the way breaks off, and the read models are mended',
  async t => {
    const message = 'y'.repeat(200_000)
    const made = { client_id: 'script', user_message_content: 'x' }
    const { id } = await create(api, { ...made, agent_config: { script: Array(40).fill({ message }) } })
    const db = new Database(path.join(server.dataDir, 'read.db'))
    const lastItem = db.prepare<[string], { task: number; n: number }>(
      `SELECT task, n FROM items JOIN tasks ON position = task
       WHERE id = ? AND ended_at IS NOT NULL ORDER BY n DESC LIMIT 1`,
    )
    await until(() => lastItem.get(id) !== undefined)
    const { task, n } = lastItem.get(id) as { task: number; n: number }
    db.prepare('UPDATE items SET sum = sum + 1 WHERE task = ? AND n = ?').run(task, n)
    db.close()
    await t.rejects(read(api('GET', `/tasks/${id}`)), 'no answer that ends is damaged')
    const status = async () => (await read(api('GET', `/tasks/${id}`)).catch(() => undefined))?.status
    await until(async () => (await status()) === 200)
    // Until they are mended, each request is answered with 503, which is reported, too.
    const said = server.lines.filter(({ message }) => message !== 'request')
    t.match(said, [{ message: /read models are damaged/ }])
  },
)
