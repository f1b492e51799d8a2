// Both clients with a real server, whose connections break, and which is killed in the middle of a run.
import t, { type Test } from 'tap'
import { Reprise } from '../../library/client/index.ts'
import { type Api, adminToken, launch, serveHere } from '../support/server.ts'
import type { Frame } from '../support/sse.ts'
import type { Does } from './behaviours.ts'
import { breakingProxy } from './breaking-proxy.ts'
import { clients } from './clients.ts'

const words = Array.from({ length: 30 }, (_, n) => `word${n}`).join(' ')
const conversation = (message: object): Does => ({
  patience: 120,
  run: {
    user_message_content: 'go',
    agent_config: {
      agent_id: 'script',
      approve: ['calculator'],
      script: [
        { ...message },
        { tool: 'ask_user', arguments: { question: 'Go on?' } },
        { tool: 'calculator', arguments: { expression: '6*7' } },
        { message: 'It is $result.' },
      ],
    },
  },
  tools: { ask_user: { returns: 'yes' } },
  approve: true,
})

const pageOf = async (api: Api, id: string): Promise<Frame[]> =>
  ((await (await api('GET', `/tasks/${id}/events?limit=1000`)).json()) as { result: Frame[] }).result
const tasksOf = async (api: Api): Promise<{ id: string }[]> =>
  ((await (await api('GET', '/tasks')).json()) as { result: { id: string }[] }).result

/** The conversation has taken place once, and the client has seen all of it. */
const holds = async (t: Test, api: Api, outcome: Record<string, unknown>): Promise<void> => {
  t.equal(outcome.error, undefined)
  t.equal(outcome.text, 'It is 42.')
  t.same(outcome.called, ['ask_user {"question":"Go on?"}', 'approve calculator {"expression":"6*7"}'])
  const [task, ...more] = await tasksOf(api)
  t.same(more, [], 'there is one task')
  const frames = await pageOf(api, task?.id ?? '')
  t.same(
    outcome.frames,
    frames.map(({ sequence_number }) => sequence_number),
    'each frame came once, and in order',
  )
}

for (const { name, skip, start } of clients) {
  t.test(`${name}: a conversation goes through connections that break`, { skip }, async t => {
    const { url, api } = await serveHere(t)
    const proxy = await breakingProxy(t, url, n => 500 + 150 * n)
    const outcome = await start(t)(proxy.url, { ...conversation({ message: words }), token: adminToken })
    await holds(t, api, outcome)
    t.ok(proxy.cuts() > 5, `${proxy.cuts()} cuts`)
  })

  t.test(
    `${name}: a server that is killed goes on with the same task`,
    { skip, timeout: 200_000 },
    async t => {
      const dataDir = t.testdir()
      const first = await launch(dataDir)
      t.teardown(() => first.end('SIGKILL'))
      const outcome = start(t)(first.url, {
        ...conversation({ message: words, delta_ms: 60 }),
        token: adminToken,
      })
      let seen = 0
      while (seen < 8) {
        const [task] = await tasksOf(first.api)
        if (task !== undefined) seen = (await pageOf(first.api, task.id)).length
      }
      await first.end('SIGKILL')
      const again = await launch(dataDir, { PORT: new URL(first.url).port })
      t.teardown(() => again.end('SIGKILL'))
      await holds(t, again.api, await outcome)
    },
  )
}

t.test('every group of requests works with a real server', async t => {
  const { url } = await serveHere(t)
  const warnings: string[] = []
  const reprise = new Reprise({
    baseUrl: url,
    token: adminToken,
    onWarning: warning => warnings.push(warning),
  })
  const task = await reprise.tasks.create({ user_message_content: 'hi', client_id: 'echo' })
  t.equal(await reprise.tasks.follow(task.id).text(), 'hi')
  const forked = await reprise.tasks.fork(task.id, { at: 0, run: false })
  t.ok((await reprise.tasks.diff(task.id, forked.id)).items)
  t.equal((await reprise.tasks.resume(forked.id)).id, forked.id)
  await reprise.tasks.follow(forked.id).result()
  await reprise.tasks.reward(task.id, { value: 1 })
  t.match(await reprise.tasks.counts(), { total: 2 })
  t.equal((await reprise.tasks.summaries({ limit: 1 }).all()).length, 2)
  await t.rejects(reprise.tasks.cancel(task.id), { name: 'NotCancelable', code: -32002 })
  await t.rejects(reprise.tasks.pause(task.id), { name: 'WrongState' })
  await reprise.tasks.delete(forked.id)
  await t.rejects(reprise.tasks.get(forked.id), { name: 'TaskNotFound' })

  const { session_id, tools } = await reprise.env.create({ env_id: 'gridworld' })
  t.ok(tools.length > 0)
  const step = await reprise.env.step({ session_id, tool_name: 'move', tool_args: { direction: 'north' } })
  t.equal(step.step, 1)
  t.ok(await reprise.env.observe(session_id))
  t.ok(await reprise.env.reset({ session_id, seed: 1 }))
  t.equal((await reprise.env.close(session_id)).status, 'closed')
  t.equal((await reprise.env.get('gridworld')).name, 'gridworld')
  t.ok((await reprise.env.list().all()).some(({ name }) => name === 'gridworld'))
  t.match(await reprise.sessions.list({ limit: 1 }).all(), [{ session_id }])
  t.match(await reprise.sessions.get(session_id), { is_active: false })
  t.match(await reprise.sessions.cleanup(0), { cleaned_count: 0 })
  t.match(await reprise.sessions.delete(session_id), { status: 'deleted' })

  const job = { name: 'often', every_seconds: 3600, task: { user_message_content: 'hi', client_id: 'echo' } }
  const { job_id } = await reprise.cron.create(job)
  const { task_id } = await reprise.cron.trigger(job_id)
  t.equal(await reprise.tasks.follow(String(task_id)).text(), 'hi')
  t.match(await reprise.cron.pause(job_id), { status: 'paused' })
  t.match(await reprise.cron.resume(job_id), { status: 'active' })
  t.match(await reprise.cron.change(job_id, { every_seconds: 7200 }), { every_seconds: 7200 })
  t.match(await reprise.cron.runs(job_id).all(), [{ task_id }])
  t.match(await reprise.cron.list().all(), [{ job_id }])
  t.match(await reprise.cron.get(job_id), { name: 'often' })
  t.match(await reprise.cron.delete(job_id), { status: 'deleted' })

  const { id, secret } = await reprise.webhooks.create({ url: 'https://hooks.example.com/', enabled: false })
  t.match(secret, /^whsec_/)
  t.not((await reprise.webhooks.rotateSecret(id)).secret, secret)
  t.match(await reprise.webhooks.change(id, { types: ['TaskDeleted'] }), { types: ['TaskDeleted'] })
  t.match(await reprise.webhooks.list({ limit: 1 }).all(), [{ id }])
  t.same(await reprise.webhooks.deliveries(id).all(), [])
  t.match(await reprise.webhooks.get(id), { id })
  t.match(await reprise.webhooks.delete(id), { status: 'deleted' })

  t.ok((await reprise.agents.list().all()).some(({ name }) => name === 'echo'))
  t.match((await reprise.streamTicket()).ticket, /\S/)
  const events: string[] = []
  for await (const { type } of reprise.events({ cursor: 'earliest', types: ['TaskDeleted'] })) {
    events.push(type)
    break
  }
  t.same(events, ['TaskDeleted'])
  t.same(warnings, [], 'the client sends nothing that the server does not know')
  await reprise.tasks.create({ user_message_content: 'x', agent_confg: {} } as {
    user_message_content: string
  })
  t.match(warnings, [/agent_confg.* did you mean agent_config\?/])
  const strict = new Reprise({ baseUrl: url, token: adminToken, strict: true })
  const wrong = strict.tasks.create({ user_message_content: 'x', agent_confg: {} } as {
    user_message_content: string
  })
  await t.rejects(wrong, { name: 'Invalid', status: 422, problems: [{ loc: ['body', 'agent_confg'] }] })
})

t.test('a signal ends a run, and the task goes on', async t => {
  const { url } = await serveHere(t)
  const reprise = new Reprise({ baseUrl: url, token: adminToken })
  const leave = new AbortController()
  const script = [{ message: words, delta_ms: 20 }]
  const run = reprise.run(
    { user_message_content: 'go', agent_config: { agent_id: 'script', script } },
    { signal: leave.signal },
  )
  const reason = new Error('the user has left')
  await t.rejects(async () => {
    for await (const { type } of run) if (type === 'task.text.delta') leave.abort(reason)
  }, reason)
  const again = reprise.tasks.follow(await run.id(), { after: run.last })
  t.equal(await again.text(), words, 'another run goes on after the last frame')
})
