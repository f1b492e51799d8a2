// The official client of A2A against a server in this process, over both bindings.
import { type Message, Role, type Task, TaskState } from '@a2a-js/sdk'
import type { Client } from '@a2a-js/sdk/client'
import t from 'tap'
import { until } from '../../support/http.ts'
import { serveHere } from '../../support/server.ts'
import { receiver } from '../../webhooks/receiver.ts'
import { all, bindings, clientOf, messageOf, send, textsIn } from './clients.ts'

const agents = {
  'asks.mjs': `import { agent } from 'reprise/agent'
export default agent(async ctx => {
  ctx.say('Let me ask.')
  const answer = await ctx.ask('ask_user', { question: 'Which colour?' })
  return 'It is ' + answer + '.'
}, { description: 'Asks for a colour.' })
`,
  'asks_two.mjs': `import { agent } from 'reprise/agent'
export default agent(async ctx => {
  const [a, b] = await Promise.all([ctx.ask('first', {}), ctx.ask('second', {})])
  return a + ' ' + b
})
`,
  'waits.mjs': `import { agent } from 'reprise/agent'
export default agent(async ctx => 'You said ' + (await ctx.message()).text)
`,
  'fails.mjs': `import { agent } from 'reprise/agent'
export default agent(async () => { throw new Error('It is broken.') })
`,
}
const env = { AGENT_PATH: t.testdir(agents), ENV_UID_BASE: '0', ALLOW_PRIVATE_URLS: '1' }
const { api, url, lines } = await serveHere(t, env)
const to = (agent: string, binding: (typeof bindings)[number], token?: string) =>
  clientOf(`${url}/a2a/${agent}/`, binding, token)
const stateOf = ({ status }: Task) => status?.state

for (const binding of bindings) {
  t.test(`${binding}: a message makes a task, whose answer is an artifact`, async t => {
    const client = await to('echo', binding)
    const task = await send(client, 'Hello')
    t.equal(stateOf(task), TaskState.TASK_STATE_COMPLETED)
    t.same(textsIn(task), ['Hello'])
    t.match(task.history, [{ role: Role.ROLE_USER, taskId: task.id, contextId: task.contextId }])
    const again = await client.getTask({ tenant: '', id: task.id })
    t.same(again, task)
    const none = await client.getTask({ tenant: '', id: task.id, historyLength: 0 })
    t.same(none.history, [])
  })

  t.test(`${binding}: a stream begins with the task and tells what becomes of it`, async t => {
    const client = await to('demo', binding)
    const events = await all(client.sendMessageStream(messageOf('What is 6*7?')))
    const [first, ...rest] = events.map(({ payload }) => payload)
    t.equal(first?.$case, 'task')
    const texts = rest.map(each =>
      each?.$case === 'artifactUpdate'
        ? each.value.artifact?.parts.map(({ content }) => (content?.$case === 'text' ? content.value : ''))
        : [],
    )
    const last = rest.at(-1)
    const whole = await client.getTask({ tenant: '', id: first?.$case === 'task' ? first.value.id : '' })
    t.equal(texts.flat().join(''), textsIn(whole).join(''))
    t.match(last, {
      $case: 'statusUpdate',
      value: { status: { state: TaskState.TASK_STATE_COMPLETED } },
    })
  })

  t.test(`${binding}: a question of the agent is answered in the same task`, async t => {
    const client = await to('asks', binding)
    const task = await send(client, 'Paint it')
    t.equal(stateOf(task), TaskState.TASK_STATE_INPUT_REQUIRED)
    t.match(task.status?.message?.parts, [
      { content: { $case: 'text', value: 'Which colour?' } },
      { content: { $case: 'data', value: { name: 'ask_user', arguments: { question: 'Which colour?' } } } },
    ])
    const answer = messageOf('blue', { taskId: task.id })
    const done = (await client.sendMessage(answer)) as Task
    t.equal(stateOf(done), TaskState.TASK_STATE_COMPLETED)
    t.same(textsIn(done), ['Let me ask.', 'It is blue.'])
    t.same(
      done.history.map(({ role, messageId }) => [role, role === Role.ROLE_USER ? messageId : '']),
      [
        [Role.ROLE_USER, task.history[0]?.messageId],
        [Role.ROLE_AGENT, ''],
        [Role.ROLE_USER, answer.message?.messageId],
      ],
    )
    t.same(await client.sendMessage(answer), done, 'the same message is taken once')
    await t.rejects(client.sendMessage(messageOf('red', { taskId: task.id })), /takes no further messages/)
  })

  t.test(`${binding}: several questions are answered by their ids, in one message or in several`, async t => {
    const client = await to('asks_two', binding)
    const task = await send(client, 'go')
    const ids = (task.status?.message?.parts ?? []).flatMap(({ metadata }) => metadata?.call_id ?? [])
    t.equal(ids.length, 2)
    await t.rejects(client.sendMessage(messageOf('x', { taskId: task.id })), /metadata\.call_id/)
    const part = (text: string, call_id: string) =>
      messageOf(text, { taskId: task.id }, { call_id }).message as Message
    const first = (await client.sendMessage({
      ...messageOf('', {}),
      message: part('one', ids[0]),
    })) as Task
    t.equal(stateOf(first), TaskState.TASK_STATE_INPUT_REQUIRED)
    const done = (await client.sendMessage({ ...messageOf('', {}), message: part('two', ids[1]) })) as Task
    t.same(textsIn(done), ['one two'])
  })

  t.test(`${binding}: a message reaches a task that works, once`, async t => {
    const client = await to('waits', binding)
    const task = await send(client, 'go', { returnImmediately: true })
    await until(async () => {
      const { status } = await client.getTask({ tenant: '', id: task.id })
      return status?.state === TaskState.TASK_STATE_WORKING
    })
    const message = messageOf('hello', { taskId: task.id })
    const [one, two] = (await Promise.all([
      client.sendMessage(message),
      client.sendMessage(message),
    ])) as Task[]
    t.same(textsIn(one as Task), ['You said hello'])
    t.same(textsIn(two as Task), ['You said hello'])
  })

  t.test(`${binding}: tasks are listed by context and state, canceled, and subscribed to`, async t => {
    const client = await to('asks', binding)
    const task = await send(client, 'one')
    const { contextId } = task
    const other = await send(client, 'two', {}, { contextId })
    const status = TaskState.TASK_STATE_UNSPECIFIED
    const list = (more: object) =>
      client.listTasks({ tenant: '', contextId, status, pageToken: '', ...more } as Parameters<
        Client['listTasks']
      >[0])
    const page = await list({ pageSize: 1 })
    t.same([page.tasks[0]?.id, page.totalSize], [other.id, 2])
    t.same(page.tasks[0]?.artifacts, [])
    const rest = await list({ pageSize: 1, pageToken: page.nextPageToken, includeArtifacts: true })
    t.same(
      [rest.tasks[0]?.id, rest.nextPageToken, textsIn(rest.tasks[0] as Task)],
      [task.id, '', ['Let me ask.']],
    )
    const subscribed = all(client.resubscribeTask({ tenant: '', id: task.id }))
    const canceled = await client.cancelTask({ tenant: '', id: task.id, metadata: undefined })
    t.equal(stateOf(canceled), TaskState.TASK_STATE_CANCELED)
    const last = (await subscribed).at(-1)?.payload
    if (last?.$case === 'statusUpdate')
      t.equal(last.value.status?.state, TaskState.TASK_STATE_CANCELED, 'the subscriber hears the end')
    const left = await list({ status: TaskState.TASK_STATE_INPUT_REQUIRED })
    t.same(
      left.tasks.map(({ id }) => id),
      [other.id],
    )
    await t.rejects(client.cancelTask({ tenant: '', id: task.id, metadata: undefined }), /already/)
    await t.rejects(all(client.resubscribeTask({ tenant: '', id: task.id })), /nothing more will come/)
  })

  t.test(`${binding}: a task that fails says why`, async t => {
    const task = await send(await to('fails', binding), 'go')
    t.equal(stateOf(task), TaskState.TASK_STATE_FAILED)
    t.match(task.status?.message?.parts, [{ content: { $case: 'text', value: /It is broken/ } }])
  })

  t.test(`${binding}: changes of a task are sent to its client, with its credentials`, async t => {
    const heard = await receiver(t)
    const client = await to('asks', binding)
    const config = {
      tenant: '',
      id: 'mine',
      taskId: '',
      url: heard.url,
      token: 'hush',
      authentication: { scheme: 'Bearer', credentials: 'secret' },
    }
    const task = await send(client, 'go', { taskPushNotificationConfig: config })
    const { id: taskId } = task
    const known = await client.getTaskPushNotificationConfig({ tenant: '', taskId, id: 'mine' })
    t.match(known, { id: 'mine', taskId, url: heard.url, token: '', authentication: { credentials: '' } })
    await client.createTaskPushNotificationConfig({ ...config, id: 'other', taskId, url: heard.url })
    const { configs } = await client.listTaskPushNotificationConfig({
      tenant: '',
      taskId,
      pageSize: 0,
      pageToken: '',
    })
    t.same(
      configs.map(({ id }) => id),
      ['mine', 'other'],
    )
    for (const _twice of [1, 2])
      await client.deleteTaskPushNotificationConfig({ tenant: '', taskId, id: 'other' })
    await client.sendMessage(messageOf('blue', { taskId }))
    const states = () =>
      heard.received.map(({ body }) => {
        const { statusUpdate } = JSON.parse(body) as { statusUpdate?: { status: { state: string } } }
        return statusUpdate?.status.state
      })
    await until(() => states().includes('TASK_STATE_COMPLETED'))
    t.same(states(), [
      'TASK_STATE_WORKING',
      'TASK_STATE_INPUT_REQUIRED',
      'TASK_STATE_WORKING',
      'TASK_STATE_COMPLETED',
    ])
    t.match(heard.received, [
      { headers: { authorization: 'Bearer secret', 'x-a2a-notification-token': 'hush' } },
    ])
    await until(async () => {
      const left = (await (await api('GET', '/webhooks')).json()) as { data: { task_id: string }[] }
      return left.data.every(({ task_id }) => task_id !== taskId)
    })
  })
}

t.test('the operator was told of no error', async t => {
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
  )
})
