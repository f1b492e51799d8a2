// The filters of GET /api/events, and whose events a token gets.
import t from 'tap'
import { brief, read } from '../support/http.ts'
import { apiOf } from '../support/server.ts'
import { askEvents, givenEvents, heardBy, listen } from './event-streams.ts'

const { api, url, create, tokenOf, everything, hasAll } = await givenEvents(t)

t.test('only the types that are asked for', async t => {
  const all = heardBy(await everything())
  const queries: [string, string[]][] = [
    ['types=TaskCreated', ['TaskCreated']],
    ['types=TaskCreated,AgentSpawned', ['TaskCreated', 'AgentSpawned']],
    ['types=TaskCreated&types=AgentSpawned', ['TaskCreated', 'AgentSpawned']],
    ['types=TaskCreated,AgentSpawned&types=TaskUpdated', ['TaskCreated', 'AgentSpawned', 'TaskUpdated']],
    ['types[]=TaskCreated&types[]=AgentSpawned', ['TaskCreated', 'AgentSpawned']],
    ['types=TaskCreated,TaskCreated', ['TaskCreated']],
    ['types=TaskCreated%2CAgentSpawned', ['TaskCreated', 'AgentSpawned']],
    ['types=CronJobFailed,GroupChatMessage,EnvStepCompleted&types=AgentCompleted', ['AgentCompleted']],
  ]
  for (const [query, types] of queries) {
    const expected = all.filter(({ type }) => types.includes(type))
    const stream = await listen(url, { query: `starting_after=0&${query}` })
    await stream.until(heard => heard.length >= expected.length)
    t.same(stream.heard(), expected, query)
    await stream.cut()
  }
  const bad: [string, string[]][] = [
    ['types=Nothing', ['query types 0 enum']],
    ['types=TaskCreated,Nothing', ['query types 1 enum']],
    ['types=TaskCreated&types=Nothing&types=taskcreated', ['query types 1 enum', 'query types 2 enum']],
    ['types=', ['query types 0 enum']],
    ['types=TaskCreated,', ['query types 1 enum']],
    ['types=TaskCreated,%20TaskUpdated', ['query types 1 enum']],
    ['types=Position', ['query types 0 enum']],
    ['types=Gap', ['query types 0 enum']],
    ['types=__proto__', ['query types 0 enum']],
    ['types=x&session_id=a&session_id=b', ['query types 0 enum', 'query session_id string_type']],
  ]
  for (const [query, problems] of bad) {
    const { status, body } = await read(askEvents(url, { query }))
    t.equal(status, 422, query)
    t.same(brief(body.detail), problems)
  }
  // Every name of the interface and of the environments may be asked for.
  const names = 'TaskCreated,TaskUpdated,TaskDeleted,TaskStatusChanged,AgentSpawned,AgentCompleted,AgentError'
  const later =
    'GroupChatMessage,GroupChatAgentThinking,GroupChatAgentResponse,CronJobTriggered,CronJobCompleted,CronJobFailed'
  const ours = 'EnvSessionCreated,EnvStepCompleted,EnvSessionReset,EnvSessionClosed,EnvSessionDeleted'
  const stream = await listen(url, { query: `types=${names},${later},${ours}` })
  await stream.cut()
})

t.test('only one task, only one session, past and live', async t => {
  const { id, session_id } = await create()
  const streams = await Promise.all(
    [
      `task_id=${id}`,
      `session_id=${session_id}`,
      `session_id=${session_id}&task_id=${id}&types=TaskCreated,TaskDeleted`,
      'task_id=nobody',
      'session_id=',
    ].map(query => listen(url, { query: `starting_after=earliest&${query}` })),
  )
  const second = await create({ session_id })
  await create()
  await read(api('DELETE', `/tasks/${id}`))
  const all = heardBy(await everything())
  const ofTask = all.filter(({ body }) => body.task_id === id)
  const ofSession = all.filter(({ body }) => body.session_id === session_id)
  t.ok(ofSession.some(({ body }) => body.task_id === second.id))
  const both = ofTask.filter(({ type }) => type === 'TaskCreated' || type === 'TaskDeleted')
  t.equal(both.length, 2)
  for (const [n, expected] of [ofTask, ofSession, both, [], []].entries()) {
    const stream = streams[n]
    await stream?.until(heard => heard.length >= expected.length)
    t.same(stream?.heard(), expected)
  }
  const whole = await listen(url, { query: 'starting_after=0' })
  await whole.until(await hasAll())
  t.same(streams[3]?.heard(), [], 'by the time that all others have heard all')
  await Promise.all([...streams, whole].map(stream => stream.cut()))
})

t.test('every role may listen, nobody without a token, and there is nothing but GET', async t => {
  for (const role of ['admin', 'user', 'auditor', 'subscriber']) {
    const { token } = await tokenOf({ role })
    const stream = await listen(url, { token, query: 'starting_after=0' })
    await stream.until(await hasAll())
    t.same(stream.heard(), heardBy(await everything()), role)
    await stream.cut()
  }
  for (const token of ['', 'nonsense']) {
    const { status, headers, body } = await read(askEvents(url, { token }))
    t.equal(status, 401)
    t.equal(headers.get('www-authenticate'), 'Bearer')
    t.match(body, { code: -32030, message: String })
  }
  for (const query of ['token', 'access_token', 'ticket', 'authorization']) {
    t.equal((await askEvents(url, { token: '', query: `${query}=test-admin-token` })).status, 401, query)
  }
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
    const answer = await fetch(`${url}/api/events`, {
      method,
      headers: { authorization: 'Bearer test-admin-token' },
    })
    t.equal(answer.status, 405, method)
    t.equal(answer.headers.get('allow'), 'GET, HEAD')
  }
  t.equal((await askEvents(url, { at: '/v1/api/events' })).status, 404)
  t.equal((await askEvents(url, { at: '/api/events/' })).status, 404)
})

t.test("another user's events never come, whatever is asked for", async t => {
  const session_id = 'shared'
  const tokens = {
    ann: (await tokenOf({ role: 'user', user_id: 'ann' })).token,
    bob: (await tokenOf({ role: 'subscriber', user_id: 'bob' })).token,
    annsAdmin: (await tokenOf({ role: 'admin', user_id: 'ann' })).token,
    bobsAuditor: (await tokenOf({ role: 'auditor', user_id: 'bob' })).token,
  }
  const ann = apiOf(url, tokens.ann)
  const before = await create({ session_id }, ann)
  await create({ session_id, user_id: 'bob' })
  const wishes = ['', 'session_id=shared', `task_id=${before.id}`, 'types=TaskCreated,TaskStatusChanged']
  const open = async (token: string) =>
    Promise.all(wishes.map(wish => listen(url, { token, query: `starting_after=earliest&${wish}` })))
  const streams = await Promise.all(Object.values(tokens).map(open))
  const live = await Promise.all(Object.values(tokens).map(token => listen(url, { token })))

  const script = { agent_config: { agent_id: 'script', script: [{ subagent: 'echo', input: 'hi' }] } }
  const ofAnn = await create({ session_id, ...script }, ann)
  await create({ session_id, user_id: 'bob', ...script })
  await create({ session_id, user_id: 'carl' })
  const all = await everything()
  for (const [n, owner] of ['ann', 'bob', 'ann', 'bob'].entries()) {
    const own = all.filter(event => event.owner === owner)
    const ofAll = streams[n]?.[0]
    await ofAll?.until(heard => heard.at(-1)?.id === own.at(-1)?.id)
    t.same(ofAll?.heard(), heardBy(own), owner)
    await live[n]?.until(heard => heard.at(-1)?.id === own.at(-1)?.id)
    await streams[n]?.[1]?.until(heard => heard.at(-1)?.id === own.at(-1)?.id)
    t.same(streams[n]?.[1]?.heard(), heardBy(own), 'two users share the name of a session, and nothing else')
    const [, , ofTask, ofTypes] = streams[n] ?? []
    if (owner === 'bob') t.same(ofTask?.heard(), [], "ann's task is nothing to bob")
    for (const stream of [live[n], ofTask, ofTypes]) {
      const others = stream?.heard().filter(({ id, type }) => {
        return type !== 'Position' && !own.some(event => event.id === id)
      })
      t.same(others, [])
    }
  }
  const [subtask] = all.filter(({ body }) => 'parent_agent_id' in body && body.session_id === session_id)
  t.equal(subtask?.owner, 'ann', "a subagent's events are its user's")
  t.equal(subtask?.body.session_id, ofAnn.session_id)
  await Promise.all([...streams.flat(), ...live].map(stream => stream.cut()))
})
