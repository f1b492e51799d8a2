// Each method with each credential: who may not see a task learns nothing of it, and who may not change one changes nothing.
import t from 'tap'
import { methods } from '../../../src/doors/a2a/names.ts'
import { serveHere } from '../../support/server.ts'

const asks = `import { agent } from 'reprise/agent'
export default agent(async ctx => 'It is ' + (await ctx.ask('ask_user', {})))
`
const env = { AGENT_PATH: t.testdir({ 'asks.mjs': asks }), ENV_UID_BASE: '0', ALLOW_PRIVATE_URLS: '1' }
const { api, url, lines } = await serveHere(t, env)
const tokenOf = async (body: object): Promise<string> =>
  ((await (await api('POST', '/auth/tokens', body)).json()) as { token: string }).token

type Answer = { status: number; text: string; code: number | undefined; result: Record<string, unknown> }
const call = async (token: string, method: string, params: object): Promise<Answer> => {
  const response = await fetch(`${url}/a2a/asks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  if (response.headers.get('content-type') === 'text/event-stream') {
    await response.body?.cancel()
    return { status: response.status, text: 'a stream', code: undefined, result: {} }
  }
  const text = await response.text()
  const { error, result } = JSON.parse(text) as {
    error?: { code: number }
    result?: Record<string, unknown>
  }
  return { status: response.status, text, code: error?.code, result: result ?? {} }
}
const message = (more: object = {}) => ({
  message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'blue' }], ...more },
})

const anns = await tokenOf({ role: 'user', user_id: 'ann' })
const made = (await call(anns, 'SendMessage', message())).result.task as { id: string; contextId: string }
const config = { taskId: made.id, id: 'mine', url: 'http://127.0.0.1:9/' }
await call(anns, 'CreateTaskPushNotificationConfig', config)

/** The parameters of each method about a task. */
const about = (taskId: string): Record<keyof typeof methods, object> => ({
  SendMessage: message({ taskId, messageId: 'other' }),
  SendStreamingMessage: message({ taskId, messageId: 'other' }),
  GetTask: { id: taskId },
  ListTasks: {},
  CancelTask: { id: taskId },
  SubscribeToTask: { id: taskId },
  CreateTaskPushNotificationConfig: { ...config, taskId, id: 'theirs' },
  GetTaskPushNotificationConfig: { taskId, id: 'mine' },
  ListTaskPushNotificationConfigs: { taskId },
  DeleteTaskPushNotificationConfig: { taskId, id: 'mine' },
  GetExtendedAgentCard: {},
})
const names = Object.keys(methods) as (keyof typeof methods)[]
/** Methods that are about one task. */
const ofOne = names.filter(name => name !== 'ListTasks' && name !== 'GetExtendedAgentCard')

for (const body of [
  { role: 'user', user_id: 'bob' },
  { role: 'admin', user_id: 'cem' },
]) {
  t.test(`a token of the role ${body.role} of another user tells nothing of a task`, async t => {
    const token = await tokenOf(body)
    for (const name of ofOne) {
      const [one, other] = [
        await call(token, name, about(made.id)[name]),
        await call(token, name, about('task_none')[name]),
      ]
      t.match(one, { status: 200, code: -32001 }, name)
      t.equal(one.text.replaceAll(made.id, 'task_none'), other.text, name)
    }
    t.match(await call(token, 'ListTasks', {}), { result: { tasks: [], totalSize: 0 } })
    const same = (await call(token, 'SendMessage', message({ contextId: made.contextId }))).result
    const { id } = same.task as { id: string }
    t.notMatch((await call(anns, 'ListTasks', {})).text, id, 'a context of the same name is another one')
  })
}

t.test('a configuration of an admin replaces none of the user, whatever its id', async t => {
  const { id } = (await call(anns, 'SendMessage', message())).result.task as { id: string }
  const admins = await tokenOf({ role: 'admin' })
  for (const token of [anns, admins])
    t.match(await call(token, 'CreateTaskPushNotificationConfig', { ...config, taskId: id }), { status: 200 })
  const list = async (token: string) =>
    (await call(token, 'ListTaskPushNotificationConfigs', { taskId: id })).result.configs
  t.match(await list(anns), [{ id: 'mine' }])
  t.match(await list(admins), [{ id: 'mine' }, { id: 'mine' }], 'an admin sees both')
})

t.test('an auditor reads, and changes nothing', async t => {
  const token = await tokenOf({ role: 'auditor' })
  for (const name of names) {
    const { status, code, text } = await call(token, name, about(made.id)[name])
    if (methods[name] === 'write') t.match({ status, code }, { status: 403, code: -32031 }, name)
    else if (name === 'GetExtendedAgentCard') t.equal(code, -32004)
    else t.same([status, code], [200, undefined], `${name} ${text}`)
  }
})

for (const role of ['subscriber', 'eraser', 'worker', undefined]) {
  t.test(`${role === undefined ? 'nobody' : `the role ${role}`} calls no method`, async t => {
    const token = role === undefined ? '' : await tokenOf({ role })
    for (const name of names) {
      const { status } = await call(token, name, about(made.id)[name])
      t.equal(status, role === undefined ? 401 : 403, name)
    }
  })
}

t.test('the task and its configuration are as they were', async t => {
  t.match(await call(anns, 'GetTask', { id: made.id }), {
    result: { status: { state: 'TASK_STATE_INPUT_REQUIRED' } },
  })
  t.match(await call(anns, 'ListTaskPushNotificationConfigs', { taskId: made.id }), {
    result: { configs: [{ id: 'mine' }], nextPageToken: '' },
  })
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
  )
})
