// Which agents there are, which one a task names, and which one runs it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { fakeModel } from '../support/fake-model.ts'
import { apiAs, brief, type Problem, read } from '../support/http.ts'
import { adminToken, runReprise, serveHere } from '../support/server.ts'
import { script, tasksOf } from './agent-tasks.ts'

const { api, url, dataDir } = await serveHere(t)
const { post, play, stream, get } = tasksOf(api)
type Agents = {
  object: string
  data: (Record<'name' | 'description' | 'kind' | 'source', string> & { dialect?: string })[]
}
const agentsOf = async (call = api) => (await read(call('GET', '/agents'))).body as unknown as Agents
const tokenOf = async (role: string) =>
  ((await read(api('POST', '/auth/tokens', { role }))).body as unknown as { token: string }).token

t.test('GET /agents lists the agents by name, each with a sentence about it', async t => {
  const { object, data } = await agentsOf()
  t.equal(object, 'list')
  t.same(
    data.map(({ name }) => name),
    ['demo', 'echo', 'group', 'script'],
  )
  for (const agent of data) {
    t.match(agent, { description: /^[A-Z].{20,}\.$/, kind: 'builtin', source: 'reprise' })
    t.same(Object.keys(agent), ['name', 'description', 'kind', 'source'])
  }
  t.equal((await read(apiAs(url, await tokenOf('auditor'))('GET', '/agents'))).status, 200)
  t.equal((await read(apiAs(url, await tokenOf('subscriber'))('GET', '/agents'))).status, 403)
  t.equal((await fetch(`${url}/v1/agents`)).status, 401)
})

t.test('where a model is configured there is the agent model', async t => {
  const { env } = await fakeModel(t)
  const other = await serveHere(t, env)
  const { data } = await agentsOf(other.api)
  const names = data.map(({ name }) => name)
  t.same(names, ['demo', 'echo', 'group', 'model', 'script'])
  t.match(data[3], { dialect: 'plain' })
  const { body } = await tasksOf(other.api).post({})
  t.equal(body.result.metadata?.agent, 'model', 'and it is the default')
})

t.test('a task says in its metadata which agent runs it, a subagent’s task too', async t => {
  t.match(await post({ client_id: 'echo', metadata: { mine: 1 } }), {
    body: { result: { metadata: { mine: 1, agent: 'echo' } } },
  })
  t.equal((await post({})).body.result.metadata?.agent, 'demo')
  const { id, session_id } = await play([{ subagent: 'echo', input: 'hello' }])
  const all = await read(api('GET', `/tasks?session_id=${session_id}&include_subtasks=true`))
  const agents = (all.body.result as unknown as { id: string; metadata: { agent: string } }[]).map(
    task => task.metadata.agent,
  )
  t.same(agents, ['echo', 'script'])
  t.equal((await get(id)).metadata?.agent, 'script')
  const frames = await (await stream({ client_id: 'echo' })).rest()
  t.match(JSON.stringify(frames), /"metadata\\?":\{\\?"agent\\?":\\?"echo/)
})

t.test('the key agent of metadata is the service’s own', async t => {
  const { status, body } = await post({ client_id: 'echo', metadata: { agent: 'me' } })
  t.equal(status, 422)
  t.same(brief(body.detail), ['body metadata agent value_error'])
})

t.test('an unknown agent_id is refused, with the names of the agents', async t => {
  const refused = await post({ agent_config: { agent_id: 'eccho' }, metadata: { reason: 'x' } })
  t.equal(refused.status, 422)
  const [reserved, unknown] = refused.body.detail as [Problem, Problem]
  t.same(reserved.loc, ['body', 'metadata', 'reason'], 'together with everything else that is wrong')
  t.same(unknown, {
    loc: ['body', 'agent_config', 'agent_id'],
    msg: 'There is no agent "eccho": the agents are demo, echo, group, script',
    type: 'value_error',
  })
  t.match(
    (await post({ agent_config: { agent_id: 'model' } })).text,
    /the server needs MODEL_BASE_URL and MODEL/,
  )
  for (const agent_id of ['constructor', 'Echo', ' echo']) {
    t.equal((await post({ agent_config: { agent_id } })).status, 422, agent_id)
  }
  for (const agent_id of ['', null]) {
    const { body } = await post({ client_id: 'echo', agent_config: { agent_id } })
    t.equal(body.result.metadata?.agent, 'echo', `${JSON.stringify(agent_id)} names none`)
  }
})

t.test('a config with instructions or a model of its own may call its agent what it likes', async t => {
  for (const own of [{ developer_prompt: 'Be kind.' }, { model: 'small-1' }]) {
    const { status, body } = await post({ agent_config: { agent_id: 'kind helper', ...own } })
    t.equal(status, 200)
    t.equal(body.result.metadata?.agent, 'demo', 'the default agent runs it')
    t.same(body.result.metadata?.ignored_fields, ['agent_config.agent_id'], 'and the task says so')
  }
  const empty = { agent_id: 'kind helper', developer_prompt: '', model: null }
  t.equal((await post({ agent_config: empty })).status, 422)
  t.equal(
    (await post({ agent_config: { ...script({ message: 'x' }), model: 'y' } })).body.result.metadata?.agent,
    'script',
  )
})

t.test('an unknown client_id is no error: the default agent runs', async t => {
  t.equal((await post({ client_id: 'some app of ours' })).body.result.metadata?.agent, 'demo')
})

t.test('reprise try refuses an unknown agent with the names, beside a server and without one', async t => {
  const own = mkdtempSync(path.join(tmpdir(), 'reprise-try-'))
  t.teardown(() => rmSync(own, { recursive: true, force: true }))
  for (const DATA_DIR of [dataDir, own]) {
    const said = await runReprise(['try', 'hello', '--agent', 'eccho'], { DATA_DIR, ADMIN_TOKEN: adminToken })
    t.same({ code: said.code, stdout: said.stdout }, { code: 2, stdout: '' })
    t.match(said.stderr, /There is no agent "eccho": the agents are demo, echo, group, script/)
  }
})
