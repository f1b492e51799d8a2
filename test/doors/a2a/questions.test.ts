// What a tool server asks while a task calls its tool is answered by a client of A2A, like a question of the agent.
import t, { type Test } from 'tap'
import { adminToken, serveHere } from '../../support/server.ts'
import { askingPlace, asksIn, bodyFor, deedsIn, taskIn, whenIt } from '../mcp-client/asked.ts'

const { server, env } = await askingPlace(t, true)
const { api, url } = await serveHere(t, env)

type Part = { text?: string; data?: unknown; metadata?: Record<string, unknown> }
type Task = { status: { state: string } }
type Answer = { status: number; text: string; task: Task }

let messages = 0
const messageFor = (taskId: string, ...parts: Part[]) => ({
  message: { messageId: `m${++messages}`, taskId, role: 'ROLE_USER', parts },
})
type Message = ReturnType<typeof messageFor>

const ask = async (where: string, body: object) => {
  const response = await fetch(`${url}/a2a/script${where}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, text: await response.text() }
}
const bindings: Record<string, (message: Message) => Promise<Answer>> = {
  async 'HTTP+JSON'(message) {
    const { status, text } = await ask('/message:send', message)
    return { status, text, task: JSON.parse(text).task }
  },
  async 'JSON-RPC'(params) {
    const { text } = await ask('', { jsonrpc: '2.0', id: 1, method: 'SendMessage', params })
    const { result, error } = JSON.parse(text)
    return { status: error === undefined ? 200 : 400, text, task: result?.task }
  },
}

for (const [binding, send] of Object.entries(bindings)) {
  t.test(`${binding}: the question of a tool server`, async t => {
    const begun = async (t: Test, tool: string) => {
      const deeds = deedsIn(t)
      const { id } = await taskIn(await api('POST', '/tasks', bodyFor(server, tool, { file: deeds.file })))
      return { id, deeds, calls: asksIn(await whenIt(api, id, 'input-required')).map(each => each.call_id) }
    }
    const done = { status: 200, task: { status: { state: 'TASK_STATE_COMPLETED' } } }
    const seats = { action: 'accept', content: { seats: 2, window: true } }

    for (const [form, part] of [
      ['a text', { text: '{"seats": 2}' }],
      ['data', { data: { seats: 2 } }],
    ] as const)
      await t.test(`is answered by ${form}, once`, async t => {
        const { id, deeds } = await begun(t, 'book')
        const message = messageFor(id, part)
        const [one, two] = await Promise.all([send(message), send(message)])
        t.match(one, done)
        t.match(two, done)
        const again = await send(message)
        t.match(again, done, 'the same message is taken once, also after the end of its task')
        t.same(deeds.answers(), [{ seats }])
        const other = await send(messageFor(id, part))
        t.equal(other.status, 400)
        t.match(other.text, /takes no further messages/)
      })

    await t.test('still waits when an answer does not fit its form', async t => {
      const { id, deeds } = await begun(t, 'book')
      const refused = await send(messageFor(id, { data: { seats: 100 } }))
      t.equal(refused.status, 400)
      t.match(refused.text, /The answer does not fit the schema/)
      t.match(await send(messageFor(id, { data: { seats: 2 } })), done)
      t.same(deeds.answers(), [{ seats }])
    })

    await t.test('is declined by a part that refuses', async t => {
      const { id, deeds } = await begun(t, 'book')
      const message = messageFor(id, { text: 'I would rather not', metadata: { decision: 'refuse' } })
      t.match(await send(message), done)
      t.match(await send(message), done)
      t.same(deeds.answers(), [{ seats: { action: 'decline' } }])
    })

    await t.test('still waits after an approval, which is refused', async t => {
      const { id, deeds } = await begun(t, 'book')
      const refused = await send(messageFor(id, { text: 'yes', metadata: { decision: 'approve' } }))
      t.equal(refused.status, 400)
      t.match(refused.text, /does not wait for an approval/)
      t.match(await send(messageFor(id, { data: { seats: 2 } })), done)
      t.same(deeds.answers(), [{ seats }])
    })

    await t.test('may lead to a page', async t => {
      const { id, deeds } = await begun(t, 'visit')
      t.match(await send(messageFor(id, { text: 'I go there' })), done)
      t.same(deeds.answers(), [{ pay: { action: 'accept' } }])
    })

    await t.test('of a subagent is answered at its caller, once', async t => {
      const deeds = deedsIn(t)
      const body = bodyFor(server, 'book', { file: deeds.file })
      const input = JSON.stringify(body.agent_config.script)
      const script = [{ subagent: 'script', input }, { message: '$result' }]
      const asked = { ...body, agent_config: { ...body.agent_config, script } }
      const { id } = await taskIn(await api('POST', '/tasks', asked))
      await whenIt(api, id, 'input-required')
      const message = messageFor(id, { data: { seats: 2 } })
      t.match(await send(message), done)
      t.match(await send(message), done)
      t.same(deeds.answers(), [{ seats }])
    })

    await t.test('stands beside another one: each part names its call', async t => {
      const both = [
        {
          name: { action: 'accept', content: { name: 'Ada' } },
          day: { action: 'accept', content: { day: 'Monday' } },
        },
      ]
      const [name, day] = [{ data: { name: 'Ada' } }, { data: { day: 'Monday' } }]
      const together = await begun(t, 'both')
      const [first, second] = together.calls.map(call_id => ({ metadata: { call_id } }))
      const unnamed = await send(messageFor(together.id, name))
      t.equal(unnamed.status, 400)
      t.match(unnamed.text, /metadata\.call_id/)
      const message = messageFor(together.id, { ...name, ...first }, { ...day, ...second })
      t.match(await send(message), done)
      t.match(await send(message), done)
      t.same(together.deeds.answers(), both)
    })

    await t.test('stands beside another one, which waits for a further message', async t => {
      const { id, deeds, calls } = await begun(t, 'both')
      const [first, second] = calls.map(call_id => ({ metadata: { call_id } }))
      const message = messageFor(id, { data: { name: 'Ada' }, ...first })
      const waits = { status: 200, task: { status: { state: 'TASK_STATE_INPUT_REQUIRED' } } }
      t.match(await send(message), waits)
      t.match(await send(message), waits, 'the same message is taken once')
      const other = await send(messageFor(id, { data: { name: 'Bob' }, ...first }))
      t.equal(other.status, 400, 'an answered question takes no other answer')
      t.match(await send(messageFor(id, { data: { day: 'Monday' }, ...second })), done)
      t.match(deeds.answers(), [{ name: { content: { name: 'Ada' } }, day: { content: { day: 'Monday' } } }])
    })
  })
}
