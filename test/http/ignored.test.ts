// What the server does not understand in a request is named in headers, or refused when the caller wants that.
import t from 'tap'
import { distanceOf } from '../../src/http/request/did-you-mean.ts'
import { read } from '../support/http.ts'
import { serveHere } from '../support/server.ts'
import { tasksOf } from './agent-tasks.ts'

const { api } = await serveHere(t)
const { get } = tasksOf(api)
const strict = { prefer: 'handling=strict' }
const create = { user_message_content: 'hello', stream: false, client_id: 'echo' }
const of = (response: Response) => response.headers.get('x-ignored-fields')

t.test(
  'fields of a body that the server does not know are named in a header, and the request counts',
  async t => {
    const sent = { ...create, agent_confg: { model: 'x' }, 'é,': 1, agent_config: { colour: 'red' } }
    const made = await read(api('POST', '/tasks', sent))
    t.equal(made.status, 200)
    t.equal(made.headers.get('x-ignored-fields'), 'agent_confg, %C3%A9%2C, agent_config.colour')
    const { metadata } = (made.body as unknown as { result: { metadata: { ignored_fields: string[] } } })
      .result
    t.same(metadata.ignored_fields, ['agent_confg', 'é,', 'agent_config.colour'], 'the task names them, too')
    t.equal(of(await api('POST', '/tasks', create)), null, 'no header when all is known')
    const stream = await api('POST', '/tasks', { ...create, stream: true, colour: 1 })
    t.equal(of(stream), 'colour', 'streams have the header')
    await stream.text()
    const long = await api('POST', '/tasks', {
      ...create,
      user_message_content: 'x'.repeat(200_000),
      colour: 1,
    })
    t.equal(of(long), 'colour', 'and so has the answer to a long body, which a thread has read')
  },
)

t.test('a config of MCP servers that is none at all is refused as before', async t => {
  for (const tool_mcp_config of [{ a: null }, { mcpServers: { a: null } }, [null]]) {
    const refused = await api('POST', '/tasks', { ...create, agent_config: { tool_mcp_config } })
    t.equal(refused.status, 422)
  }
  const text = await api('POST', '/tasks', { ...create, agent_config: { tool_mcp_config: { a: 'xyz' } } })
  t.same([text.status, of(text)], [422, null], 'the letters of a text are no fields')
})

t.test('many long names fit into a header that every client can read', async t => {
  const long = Array.from({ length: 30 }, (_, n) => [String.fromCharCode(0x4e00 + n).repeat(100), 1])
  const made = await api('POST', '/tasks', { ...create, ...Object.fromEntries(long) })
  const names = String(of(made)).split(', ')
  t.ok(names.length >= 1 && String(of(made)).length <= 4096)
  t.equal(decodeURIComponent(String(names[0])), '\u4e00'.repeat(100))
})

t.test('every other request with a body has the header', async t => {
  const env = await api('POST', '/env/create', { session_id: 's', env_id: 'gridworld', colour: 1 })
  t.same([env.status, of(env)], [200, 'colour'])
  const schedule = { type: 'cron', expression: '0 0 1 1 *', zone: 'UTC' }
  const job = await api('POST', '/cron/jobs', { name: 'j', schedul: schedule, task: create })
  t.same([job.status, of(job)], [422, 'schedul'], 'a refused body, too')
  const token = await api('POST', '/auth/tokens', { role: 'user', user_id: 'ann', colour: 1 })
  t.same([token.status, of(token)], [200, 'colour'])
})

t.test('a name that is nearly a known one is named with it', async t => {
  const meant = (response: Response) => response.headers.get('x-did-you-mean')
  const wrong = {
    ...create,
    agent_confg: { model: 'x' },
    agent_config: { developerPrompt: 'x', colour: 'red' },
  }
  const made = await api('POST', '/tasks?limt=1', wrong)
  t.equal(made.status, 200)
  t.equal(meant(made), 'agent_confg=agent_config, agent_config.developerPrompt=agent_config.developer_prompt')
  t.equal(meant(await api('GET', '/tasks?limits=1&typse=2')), 'limits=limit', 'in a query, too')
  const both = await api('GET', '/audit/events?strem=a&oder=b')
  t.equal(meant(both), 'strem=stream', 'and nothing for a name that is near none')
  t.equal(meant(await api('POST', '/tasks', create)), null)
  const item = { ...said, colour: undefined, message_contnt: 1 }
  t.equal(
    meant(await api('POST', '/tasks', { ...create, history_messages: [item] })),
    'history_messages.0.message_contnt=history_messages.0.message_content',
  )
  const refused = await read(api('POST', '/tasks', { ...create, agent_confg: {} }, strict))
  t.match(refused.body.detail, [
    { loc: ['body', 'agent_confg'], msg: 'Extra inputs are not permitted: did you mean agent_config?' },
  ])
  const query = await read(api('GET', '/tasks?limits=1', undefined, strict))
  t.match(query.body.detail, [{ msg: /did you mean limit\?$/ }])
  for (const [a, b, distance] of [
    ['', 'ab', 2],
    ['type', 'type', 0],
    ['typse', 'types', 1],
    ['limt', 'limit', 1],
    ['colour', 'color', 1],
    ['kitten', 'sitting', 3],
  ] as const)
    t.equal(distanceOf(a, b), distance, `${a} ${b}`)
})

const said = { type: 'message', role: 'user', message_content: 'hi', colour: 1 }
t.test('with handling=strict nothing is ignored', async t => {
  const count = async () => ((await read(api('GET', '/tasks'))).body.result as unknown as object[]).length
  const before = await count()
  for (const [body, loc] of [
    [{ ...create, agent_confg: {} }, ['body', 'agent_confg']],
    [{ ...create, agent_config: { colour: 'red' } }, ['body', 'agent_config', 'colour']],
    [{ ...create, 'agent.config': {} }, ['body', 'agent.config']],
    [{ ...create, history_messages: [said] }, ['body', 'history_messages', 0, 'colour']],
  ] as const) {
    const { status, body: refused } = await read(api('POST', '/tasks', body, strict))
    t.equal(status, 422)
    t.match(JSON.stringify(refused), JSON.stringify(loc))
    t.match(JSON.stringify(refused), 'extra_forbidden')
  }
  t.equal(await count(), before, 'no task was made')
  t.equal((await api('GET', '/tasks?limits=1', undefined, strict)).status, 422)
  const fine = await api('POST', '/tasks', create, { prefer: 'respond-async, handling="strict"' })
  t.same([fine.status, fine.headers.get('preference-applied')], [200, 'handling=strict'])
  const lenient = await api('POST', '/tasks', { ...create, colour: 1 }, { prefer: 'handling=lenient' })
  t.same([lenient.status, lenient.headers.get('preference-applied')], [200, null])
})

t.test('a fork takes the names of the command line', async t => {
  const made = await read(api('POST', '/tasks', create))
  const { id } = made.body.result as unknown as { id: string }
  const short = { at: 1, agent: 'demo', model: 'large', message: 'and this', pause: true }
  const forked = await read(api('POST', `/tasks/${id}/fork`, short))
  t.equal(forked.status, 200)
  t.equal(forked.headers.get('x-ignored-fields'), null)
  const fork = await get((forked.body as unknown as { id: string }).id)
  t.match(fork, { status: 'paused', metadata: { agent: 'demo', reason: 'forked' } })
  const twice = { at: 1, model: 'a', agent_config: { model: 'b' }, pause: true, run: true }
  const refused = await read(api('POST', `/tasks/${id}/fork`, twice))
  t.equal(refused.status, 422)
  t.match(JSON.stringify(refused.body), /model is short for agent_config\.model.*pause is short for run/)
})
