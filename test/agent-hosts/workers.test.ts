// Workers at GET /v1/workers: who may connect, whose agents are seen by whom, and what happens when one is lost.
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { WebSocket } from 'ws'
import { mostListed, openListed } from '../../src/agent-hosts/listed.ts'
import { createRoster } from '../../src/agent-hosts/roster.ts'
import { createWorkers } from '../../src/agent-hosts/workers.ts'
import { read, until } from '../support/http.ts'
import { apiOf, serveHere } from '../support/server.ts'
import { settle, testWorld } from '../support/world.ts'
import { createTake } from './support/take.ts'
import { fakeTask } from './support/task.ts'

const { api, url, system: _, ...server } = await serveHere(t)
const address = `${url.replace('http', 'ws')}/v1/workers`
const tokenOf = async (body: object): Promise<{ id: string; token: string }> =>
  (await read(api('POST', '/auth/tokens', body))).body as never
const shared = await tokenOf({ role: 'worker' })
const annas = await tokenOf({ role: 'worker', user_id: 'anna' })

type Welcome = { agents: string[]; refused: object[] }
type Heard = Record<string, unknown> & { type?: string }
type Hello = { agents?: object[]; auth?: boolean; slots?: number; at?: string }
/** Connects, and says hello. `token`: in a header, unless `auth` says that a message has it. */
const connect = async (
  token: string | undefined,
  {
    agents = [{ name: 'support', kind: 'function', version: '1' }],
    auth = false,
    at = address,
    ...hello
  }: Hello = {},
) => {
  const ws = new WebSocket(
    at,
    token === undefined || auth ? {} : { headers: { authorization: `Bearer ${token}` } },
  )
  const heard: Heard[] = []
  const send = (message: object) => ws.send(JSON.stringify(message))
  const take = createTake(send, text => ws.send(text))
  ws.on('message', data => {
    const message = JSON.parse(String(data))
    heard.push(message)
    take(message)
  })
  const closed = once(ws, 'close').then(([code, reason]) => [code, String(reason)])
  ws.on('error', () => {})
  await once(ws, 'open')
  if (auth) send({ type: 'auth', token })
  send({ type: 'hello', protocol: 1, name: 'billing-1', agents, ...hello })
  await Promise.race([until(() => heard.length > 0), closed])
  t.teardown(() => ws.terminate())
  return { ws, heard, closed, send }
}
/** The status and the body of a refused handshake. */
const refused = async (headers: Record<string, string>) => {
  const ws = new WebSocket(address, { headers })
  ws.on('error', () => {})
  const [, answer] = await once(ws, 'unexpected-response')
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk)
  return { status: answer.statusCode, body: JSON.parse(Buffer.concat(chunks).toString()) }
}
const agentsOf = async (call = api) =>
  ((await read(call('GET', '/agents'))).body as unknown as { data: Record<string, unknown>[] }).data
const workersOf = async (call = api) =>
  (await read(call('GET', '/workers'))).body as unknown as { data: object[] }

t.test('only a token of a worker opens a connection, and it opens nothing else', async t => {
  const user = await tokenOf({ role: 'user', user_id: 'anna' })
  t.match(await refused({ authorization: 'Bearer nobody' }), { status: 401, body: { code: Number } })
  t.match(await refused({ authorization: `Bearer ${user.token}` }), {
    status: 403,
    body: { data: { needs: ['worker'] } },
  })
  t.match(await refused({ authorization: `Bearer ${shared.token}`, origin: 'https://evil.example' }), {
    status: 403,
  })
  const stranger = await connect('nobody', { auth: true })
  t.match(stranger.heard, [{ type: 'error', error: { message: String } }])
  t.match(await stranger.closed, [4001])
  const wrong = await connect(user.token, { auth: true })
  t.match(await wrong.closed, [4003])
  const works = apiOf(url, shared.token)
  for (const path of ['/workers', '/agents', '/tasks', '/auth/token', '/auth/tokens'])
    t.equal((await read(works('GET', path))).status, 403, path)
  t.equal((await read(works('POST', '/tasks', { user_message_content: 'x' }))).status, 403)
  t.equal((await read(apiOf(url, user.token)('GET', '/workers'))).status, 403)
  t.equal((await fetch(`${url}/v1/workers`)).status, 401)
})

t.test('a worker is listed with its agents, to those whose tasks it may serve', async t => {
  const parameters = { type: 'object', properties: { order: { type: 'integer' } } }
  const own = await connect(annas.token, {
    agents: [
      { name: 'support', description: 'Answers.', parameters, version: '3' },
      { name: 'echo' },
      { name: 'No' },
    ],
    slots: 3,
  })
  t.match(own.heard, [
    {
      ...{ type: 'welcome', agents: ['support'] },
      refused: [
        { name: 'echo', reason: 'the name belongs to a built-in agent' },
        { name: 'No', reason: /lower-case/ },
      ],
    },
  ])
  const anna = apiOf(url, (await tokenOf({ role: 'user', user_id: 'anna' })).token)
  const ben = apiOf(url, (await tokenOf({ role: 'user', user_id: 'ben' })).token)
  const support = {
    ...{
      name: 'support',
      description: 'Answers.',
      kind: 'function',
      source: 'worker',
      parameters,
      version: '3',
    },
    ...{ workers: 1, connected_at: Number, user_id: 'anna' },
  }
  t.match(
    (await agentsOf(anna)).filter(({ kind }) => kind !== 'builtin'),
    [support],
  )
  t.match(
    (await agentsOf(ben)).filter(({ kind }) => kind !== 'builtin'),
    [],
  )
  t.equal((await agentsOf(ben)).length, 4)
  t.match(await workersOf(), {
    object: 'list',
    data: [
      {
        ...{ name: 'billing-1', agents: ['support'], versions: { support: '3' } },
        ...{ slots: 3, connected_at: Number, user_id: 'anna' },
      },
    ],
    next_cursor: null,
  })
  const create = (call: typeof api) =>
    call('POST', '/tasks', { user_message_content: 'x', agent_config: { agent_id: 'support' } })
  const { status, text } = await read(create(ben))
  t.equal(status, 422)
  t.match(text, /There is no agent \\"support\\": the agents are demo, echo, group, script/)

  const all = await connect(shared.token, { auth: true })
  t.match(all.heard, [{ type: 'welcome', agents: ['support'] }], 'the token may come in the first message')
  t.match(
    (await agentsOf()).filter(({ kind }) => kind !== 'builtin').map(({ user_id }) => user_id),
    [undefined, 'anna'],
  )
  t.match(
    (await agentsOf(anna)).filter(({ name }) => name === 'support'),
    [{ user_id: 'anna' }],
  )
  t.match(
    (await agentsOf(ben)).filter(({ name }) => name === 'support'),
    [{ version: '1', workers: 1 }],
  )
  for (const { ws, closed } of [own, all]) {
    ws.close()
    await closed
  }

  t.match(
    (await agentsOf(anna)).filter(({ name }) => name === 'support'),
    [{ workers: 0 }],
    'it stays listed',
  )
  t.same((await workersOf()).data, [])
})

t.test('a worker whose names are all refused is sent away, and one that sends garbage too', async t => {
  const none = await connect(shared.token, { agents: [{ name: 'demo' }] })
  t.match(none.heard, [{ type: 'welcome', agents: [], refused: [{ name: 'demo' }] }])
  t.match(await none.closed, [1008, /refused all agents/])
  for (const text of ['no message', '{"type":"turn"}', '[]', '{"__proto__":{"type":"turn"}}']) {
    const wrong = await connect(shared.token)
    wrong.ws.send(text)
    t.match(await wrong.closed, [1008, /does not speak the protocol/], text)
  }
  const binary = await connect(shared.token)
  binary.ws.send(Buffer.from('{}'))
  t.match(await binary.closed, [1008])
  t.same((await workersOf()).data, [])
})

t.test('a token that is revoked ends its connection', async t => {
  const other = await tokenOf({ role: 'worker', user_id: 'eve' })
  const worker = await connect(other.token)
  t.equal((await read(api('DELETE', `/auth/tokens/${other.id}`))).status, 200)
  t.match(await worker.closed, [4001])
})

t.test(
  'a hello may be long, also behind the token in the first message, up to a limit that is told',
  async t => {
    const agentOf = (length: number) => [
      { name: 'long', version: '1', parameters: { text: 'x'.repeat(length) } },
    ]
    for (const auth of [true, false]) {
      const long = await connect(shared.token, { auth, agents: agentOf(900_000) })
      t.match(long.heard, [{ type: 'welcome', agents: ['long'] }])
      long.ws.terminate()
      const longer = await connect(shared.token, { auth, agents: agentOf(1_100_000) })
      t.match(await longer.closed, [1008, /a hello of 1100\d+ bytes, more than 1048576/])
    }
    const ws = new WebSocket(address)
    ws.on('error', () => {})
    await once(ws, 'open')
    ws.send(JSON.stringify({ type: 'auth', token: 'x'.repeat(10_000) }))
    t.match(await once(ws, 'close'), [4001])
  },
)

t.test(
  'a worker that cannot take a message has failed, and one whose connection is lost has not',
  async t => {
    for (const code of [1009, 1000]) {
      const worker = await connect(shared.token)
      worker.ws.close(code)
      await worker.closed
    }
    t.same((await workersOf()).data, [])
  },
)

t.test('DELETE /users/{id}/data takes the agents of the user’s workers off the list, too', async t => {
  const zoes = await tokenOf({ role: 'worker', user_id: 'zoe' })
  const worker = await connect(zoes.token, { agents: [{ name: 'of-zoe' }] })
  worker.ws.close()
  await worker.closed
  const names = async () => (await agentsOf()).map(({ name }) => name)
  t.ok((await names()).includes('of-zoe'))
  t.equal((await api('DELETE', '/users/zoe/data?reason=x')).status, 404, 'the log has nothing of the user')
  t.notOk((await names()).includes('of-zoe'))
})

t.test('strangers fill only the places of strangers', async t => {
  const strangers: WebSocket[] = []
  t.teardown(() => {
    for (const ws of strangers) ws.terminate()
  })
  for (let n = 0; n < 1000; n += 100) {
    const some = Array.from({ length: 100 }, () => new WebSocket(address))
    strangers.push(...some)
    await Promise.all(some.map(ws => once(ws, 'open')))
  }
  t.match(await refused({}), { status: 429 })
  const worker = await connect(shared.token)
  t.match(worker.heard, [{ type: 'welcome' }])
  worker.ws.terminate()
})

t.test('the connections to workers end with the server', async t => {
  const worker = await connect(shared.token)
  await server.stop()
  t.match(await worker.closed, [1001])
})

t.test(
  'after a restart a task for an agent whose worker is away is queued, and waits for the worker',
  async t => {
    const DATA_DIR = mkdtempSync(path.join(tmpdir(), 'reprise-listed-'))
    t.teardown(() => rmSync(DATA_DIR, { recursive: true, force: true, maxRetries: 5 }))
    const addressOf = (one: { url: string }) => `${one.url.replace('http', 'ws')}/v1/workers`
    const before = await serveHere(t, { DATA_DIR })
    const made = (await read(before.api('POST', '/auth/tokens', { role: 'worker' }))).body as never
    const { token } = made as { token: string }
    const first = await connect(token, { at: addressOf(before) })
    t.match(first.heard, [{ type: 'welcome' }])
    await before.stop()
    const after = await serveHere(t, { DATA_DIR })
    const body = { user_message_content: 'x', stream: false, agent_config: { agent_id: 'support' } }
    const { status, body: created } = await read(after.api('POST', '/tasks', { ...body, background: true }))
    t.equal(status, 200)
    const task = created.result as unknown as { id: string }
    t.match(task, { status: 'queued', metadata: { waiting_for: 'worker' } })
    await connect(token, { at: addressOf(after) })
    const stateOf = async () =>
      ((await read(after.api('GET', `/tasks/${task.id}`))).body.result as unknown as { status: string })
        .status
    await until(async () => (await stateOf()) === 'completed')
  },
)

/** Workers without a network, on a clock that the test moves. */
const given = (file?: string, world = testWorld()) => {
  const listed = openListed({ clock: world.clock, report: () => {}, file })
  const roster = createRoster({
    isOwn: (agent, user) => listed.get(agent, user) !== undefined,
    wanted: () => {},
    fault: error => {
      throw error
    },
  })
  const workers = createWorkers({ ...world, roster, listed, refusalOf: () => undefined })
  const connect = (user?: string, version = '1', answers = true, agents?: object[]) => {
    const sent: Record<string, unknown>[] = []
    const cuts: string[] = []
    let pings = 0
    const line = workers.connect(user, {
      send(text) {
        sent.push(JSON.parse(text))
        take(JSON.parse(text))
      },
      unsent: () => 0,
      pause: () => {},
      resume: () => {},
      ping() {
        pings++
        if (answers) line.heard()
      },
      cut: why => void cuts.push(why),
    })
    const hear = (message: object) => line.hear(Buffer.from(JSON.stringify(message)))
    const take = createTake((message: object) => queueMicrotask(() => hear(message)))
    hear({ type: 'hello', protocol: 1, slots: 2, agents: agents ?? [{ name: 'good', version }] })
    return { ...line, hear, sent, cuts, pings: () => pings }
  }
  return { world, roster, workers, listed, connect }
}

t.test('of two workers one is lost: its task goes on with the other', async t => {
  const { roster, connect } = given()
  const one = connect()
  const task = fakeTask(roster)
  await until(() => task.entries.length === 1)
  connect()
  one.closed()
  await until(() => task.versions.length === 2)
  t.same(task.ends, [{ why: 'lost', message: 'the connection to the worker was lost' }])
  task.give(1)
  await until(() => task.outcome() !== undefined)
  t.equal(task.entries.length, 1)
})

t.test('a task that ends its worker at its begin is found, and blames no other task', async t => {
  const { workers, roster } = given()
  /** A worker that comes again at once, and answers what it has got only after it has handled all of it. */
  const connect = () => {
    let isGone = false
    let got: { text: string; answer: () => void }[] = []
    const line = workers.connect(undefined, {
      send(text) {
        const message = JSON.parse(text)
        if (message.type !== 'begin') return
        if (got.length === 0) setImmediate(handle)
        const turn = { type: 'turn', lease: message.lease, seen: message.results.length, moves: [] }
        got.push({
          text: message.input.text,
          answer: () => line.hear(Buffer.from(JSON.stringify(turn))),
        })
      },
      ...{ unsent: () => 0, pause: () => {}, resume: () => {}, ping: () => {}, cut: () => {} },
    })
    const handle = () => {
      const all = got
      got = []
      if (isGone) return
      isGone = all.some(({ text }) => text === 'die')
      if (!isGone) for (const { answer } of all) answer()
      else {
        line.closed()
        connect()
      }
    }
    const agents = [{ name: 'good', version: '1' }]
    line.hear(Buffer.from(JSON.stringify({ type: 'hello', protocol: 1, slots: 20, agents })))
  }
  connect()
  const before = [fakeTask(roster, { most: 99 }), fakeTask(roster, { most: 99, user: 'ben' })]
  const guilty = fakeTask(roster, { text: 'die', most: 11 })
  const after = [fakeTask(roster, { most: 99 }), fakeTask(roster, { most: 99, user: 'ben' })]
  await until(() => guilty.ends.length === 11)
  t.equal(guilty.ends.filter(({ unheard }) => unheard === 'alone').length, 10)
  for (const { ends } of [...before, ...after]) t.notMatch(ends, [{ unheard: 'alone' }])
  const late = fakeTask(roster)
  await until(() => late.turns.length > 0)
})

t.test('a worker that is silent for 15 s loses its leases, and what it still says is dropped', async t => {
  const { world, roster, workers, connect } = given()
  const well = connect('ben')
  const silent = connect('anna', '1', false)
  const task = fakeTask(roster, { isOwn: true })
  await until(() => task.entries.length === 1)
  await world.advance(14_000)
  t.same(task.ends, [])
  await world.advance(1_000)
  t.match(task.ends, [{ why: 'lost', message: 'the worker was silent for 15 s' }])
  t.match(silent.cuts, [/silent for 15 s/])
  silent.hear({ type: 'turn', lease: 'l_1', seen: 1, moves: [] })
  t.equal(task.turns.length, 1)
  t.same(well.cuts, [])
  t.equal(well.pings(), 3)
  t.equal(workers.list(undefined).length, 1)
  connect('anna')
  await until(() => task.versions.length === 2)
})

t.test('a worker that has to stop gets no new lease, and finishes those that it has', async t => {
  const { roster, connect } = given()
  connect()
  const task = fakeTask(roster, { text: 'stop' })
  await until(() => task.entries.length === 1)
  const other = fakeTask(roster)
  await settle()
  t.same(other.versions, [])
  task.give(1)
  await until(() => task.outcome() !== undefined)
  connect()
  await until(() => other.entries.length === 1)
})

t.test(
  'a worker that gives a lease back keeps it not, and an agent is forgotten a day after its last worker',
  async t => {
    const { world, roster, workers, connect } = given()
    const one = connect()
    const task = fakeTask(roster, { text: 'back', again: false })
    await until(() => task.ends.length === 1)
    t.same(task.ends, [{ why: 'released', message: 'it stops' }])
    one.closed()
    t.match(workers.agents(undefined), [{ name: 'good', workers: 0 }])
    await world.advance(24 * 3600 * 1000 - 2000)
    t.equal(workers.agents('anna').length, 1)
    await world.advance(5000)
    t.equal(workers.agents('anna').length, 0)
  },
)

const dayMs = 24 * 3600 * 1000 + 1000
const dayLater = (world: ReturnType<typeof testWorld>) => ({
  ...world,
  clock: { now: () => world.clock.now() + dayMs },
})

t.test('what is listed survives a restart, until a day after the last worker has left', async t => {
  const file = path.join(t.testdir(), 'workers.json')
  const world = testWorld()
  const first = given(file, world)
  first.connect('anna', '3')
  await settle()
  const shared = first.connect(undefined, '4')
  await settle()
  shared.closed()
  await first.workers.close()
  const second = given(file, world)
  t.match(second.workers.agents('anna'), [{ name: 'good', version: '3', user_id: 'anna', workers: 0 }])
  t.match(second.workers.agents('ben'), [{ name: 'good', version: '4', workers: 0 }])
  t.match(second.workers.find('good', 'anna')?.served, { name: 'good', kind: 'function', version: '3' })
  second.connect()
  const task = fakeTask(second.roster, { user: 'anna', isOwn: true })
  await settle()
  t.same(task.versions, [], 'the task waits for a worker of its user, not for a shared one')
  second.connect('anna')
  await until(() => task.entries.length === 1)
  await second.workers.close()

  const third = given(file, dayLater(world))
  await world.advance(1000)
  t.same(third.workers.agents(undefined), [])
  await third.workers.close()
  t.same(given(file, world).workers.agents(undefined), [])
})

t.test(
  'a task of a worker of its user waits for such a worker also when that agent is forgotten',
  async t => {
    const world = testWorld()
    let isLater = false
    const clock = { now: () => world.clock.now() + (isLater ? dayMs : 0) }
    const { roster, connect } = given(undefined, { ...world, clock })
    connect()
    const own = connect('anna')
    await settle()
    own.closed()
    const task = fakeTask(roster, { isOwn: true })
    isLater = true
    await world.advance(1000)
    await settle()
    t.same(task.versions, [])
    connect('anna', '2')
    await until(() => task.versions.length === 1)
    t.same(task.versions, ['2'])
  },
)

t.test('so many agents of workers are listed for a user, and further names are refused', async t => {
  const { connect } = given()
  const names = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => ({ name: `a${from + n}` }))
  const first = connect('anna', '1', true, names(0, mostListed))
  await settle()
  first.closed()
  const more = connect('anna', '1', true, names(mostListed - 1, 2))
  t.match(more.sent, [
    {
      agents: [`a${mostListed - 1}`],
      refused: [{ name: `a${mostListed}`, reason: /1000 agents .* a day after/ }],
    },
  ])
  t.match(connect('ben').sent, [{ agents: ['good'] }])
  const cems = (from: number) => connect('cem', '1', true, names(from, 600)).sent[0] as Welcome
  t.equal(cems(0).agents.length, 600)
  await settle()
  const { agents: taken, refused: left } = cems(600)
  t.same([taken.length, left.length], [400, 200], 'the agents of one hello count together')
  const long = { text: 'x'.repeat(900_000) }
  for (let n = 0; n < 18; n++) {
    connect('eve', '1', true, [{ name: `a${n}`, parameters: long }])
    await settle()
  }
  t.match(connect('eve', '1', true, [{ name: 'last', parameters: long }]).sent, [
    { agents: [], refused: [{ reason: /more than 16 MiB/ }] },
  ])
})

t.test('erasing a user takes the agents of their workers off the list and its file', async t => {
  const file = path.join(t.testdir(), 'workers.json')
  const { workers, connect } = given(file)
  const own = connect('anna')
  connect('ben')
  connect()
  connect('anna', '1', true, [{ name: 'secret' }]).closed()
  await settle()
  await workers.erase('anna')
  t.same(
    JSON.parse(readFileSync(file, 'utf8')).agents.map(({ user }: { user?: string }) => user),
    ['ben', undefined],
  )
  t.match(workers.agents('anna'), [{ name: 'good', user_id: undefined }])
  t.match(own.cuts, [/were erased/], 'a worker may come again')
  await workers.close()
})

t.test('a list that cannot be read is empty, and the log says so', async t => {
  const file = path.join(t.testdir({ 'workers.json': 'no list' }), 'workers.json')
  const lines: string[] = []
  const world = testWorld()
  const listed = openListed({ clock: world.clock, report: (_, line) => void lines.push(line), file })
  t.same(listed.all(), [])
  t.match(lines, [/cannot be read/])
})
