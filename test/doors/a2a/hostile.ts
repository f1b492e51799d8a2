// Messages that nobody should send. None of them may be answered with a 5xx, and none may stop the server.
import type { Test } from 'tap'
import { adminToken, type serveHere } from '../../support/server.ts'

/** Numbers that follow from a seed. */
const randomOf = (seed: number) => {
  let state = seed
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
  const below = (n: number) => Math.floor(next() * n)
  return { below, pick: <T>(list: readonly T[]): T => list[below(list.length)] as T }
}
type Random = ReturnType<typeof randomOf>

const strings = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  '../../etc/passwd',
  '__proto__',
  'constructor',
  'TASK_STATE_WORKING',
  'ROLE_USER',
  'x'.repeat(300),
  '%00',
  'data:text/plain;base64,AAAA',
  'http://127.0.0.1:1/',
  'application/json',
  '💥',
  '-1',
  '1e999',
  'true',
  'null',
]
const scalars = [null, true, false, 0, -1, 1.5, 1e21, Number.MAX_SAFE_INTEGER, -0, 2 ** 31]

const anything = (random: Random, depth = 0): unknown => {
  const kind = random.below(depth > 4 ? 2 : 4)
  if (kind === 0) return random.pick(strings)
  if (kind === 1) return random.pick(scalars)
  const size = random.below(4)
  if (kind === 2) return Array.from({ length: size }, () => anything(random, depth + 1))
  return Object.fromEntries(
    Array.from({ length: size }, (_, n) => [
      random.pick(['text', 'id', 'parts', `k${n}`, 'call_id']),
      anything(random, depth + 1),
    ]),
  )
}

const methods = [
  'SendMessage',
  'SendStreamingMessage',
  'GetTask',
  'ListTasks',
  'CancelTask',
  'SubscribeToTask',
  'CreateTaskPushNotificationConfig',
  'GetTaskPushNotificationConfig',
  'ListTaskPushNotificationConfigs',
  'DeleteTaskPushNotificationConfig',
  'GetExtendedAgentCard',
  'message/send',
  'tasks/get',
  'toString',
  '__proto__',
]

/** Valid parameters, of which one place or several are then replaced. */
const valid = (random: Random, taskId: string): Record<string, unknown> => {
  const message = {
    messageId: `m${random.below(1e9)}`,
    role: 'ROLE_USER',
    parts: [
      { text: 'Hello' },
      { data: { a: [1] }, metadata: { call_id: 'x' } },
      { raw: 'AAAA', mediaType: 'image/png', filename: 'a.png' },
    ],
    metadata: { mine: 1 },
    extensions: ['urn:x'],
    referenceTaskIds: [taskId],
    ...(random.below(3) === 0 ? { taskId } : {}),
  }
  return random.pick<Record<string, unknown>>([
    {
      message,
      configuration: { historyLength: 1, acceptedOutputModes: ['text/plain'], returnImmediately: true },
      metadata: { agent: 'x', a2a: { message_id: 7 } },
    },
    { id: taskId, historyLength: 2 },
    { contextId: 'c', status: 'TASK_STATE_WORKING', pageSize: 5, pageToken: taskId, includeArtifacts: true },
    {
      task_id: taskId,
      id: 'p',
      url: 'http://127.0.0.1:1/',
      token: 't',
      authentication: { scheme: 'Bearer' },
    },
  ])
}

/** Replaces some places of a value. */
const broken = (random: Random, value: unknown, often: number): unknown => {
  if (random.below(often) === 0) return anything(random)
  if (Array.isArray(value)) return value.map(each => broken(random, each, often))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => {
      if (random.below(often * 2) === 0) return []
      const name = random.below(often) === 0 ? random.pick(strings) : key
      return [[name, broken(random, each, often)]]
    }),
  )
}

const cut = (random: Random, text: string): string =>
  random.below(12) === 0 ? text.slice(0, random.below(text.length)) : text

const rests = [
  'tasks',
  'tasks/x',
  'tasks/x:subscribe',
  'extendedAgentCard',
  'tasks/x/pushNotificationConfigs',
]

type Asked = { method: string; where: string; body?: string }
const request = (random: Random, taskId: string): Asked => {
  const root = random.pick(['/a2a', '/a2a/echo', '/a2a/echo/', '/a2a/nobody', '/a2a/%00'])
  const params = broken(random, valid(random, taskId), 9)
  const kind = random.below(4)
  if (kind < 2) {
    const call = {
      jsonrpc: '2.0',
      id: random.pick([1, 'a', null, 1.5, {}]),
      method: random.pick(methods),
      params,
    }
    return { method: 'POST', where: root, body: cut(random, JSON.stringify(broken(random, call, 30))) }
  }
  const base = root.replace(/\/$/, '')
  if (kind === 2) {
    const where = `${base}/${random.pick(['message:send', 'message:stream', `tasks/${taskId}/pushNotificationConfigs`, `tasks/${taskId}:cancel`])}`
    return { method: 'POST', where, body: cut(random, JSON.stringify(params)) }
  }
  const query = Object.entries((params ?? {}) as object)
    .map(
      ([key, each]) =>
        `${encodeURIComponent(key.toWellFormed())}=${encodeURIComponent(String(each).toWellFormed())}`,
    )
    .join('&')
  const rest = random.pick(rests).replace('x', random.pick([taskId, 'none', '%ff']))
  return { method: random.pick(['GET', 'GET', 'POST', 'DELETE']), where: `${base}/${rest}?${query}` }
}

type Here = Awaited<ReturnType<typeof serveHere>>

/** So many requests are under way at a time: some of them wait for an agent. */
const together = 20

/** Sends `count` hostile requests, and then a good one. */
export const hostile = async (
  t: Test,
  { url, lines }: Pick<Here, 'url' | 'lines'>,
  count: number,
  seed = Number(process.env.SEED ?? Date.now() % 1e9),
) => {
  t.comment(`SEED=${seed}`)
  const random = randomOf(seed)
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
  const good = JSON.stringify({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'Hello' }] } })
  const hello = async () =>
    (await (await fetch(`${url}/a2a/echo/message:send`, { method: 'POST', headers, body: good })).json()) as {
      task: { id: string; status: { state: string } }
    }
  const { id } = (await hello()).task
  const statuses = new Map<number, number>()
  const one = async (): Promise<void> => {
    const { method, where, body } = request(random, id)
    const signal = AbortSignal.timeout(60_000)
    const answer = await fetch(url + where, {
      method,
      headers,
      signal,
      ...(body === undefined ? {} : { body }),
    })
    const text = await answer.text()
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    if (answer.status >= 500)
      t.fail(`${answer.status} ${method} ${where} ${body?.slice(0, 500)}: ${text.slice(0, 300)}`)
  }
  let sent = 0
  const sendOn = async (): Promise<void> => {
    while (sent++ < count) await one()
  }
  await Promise.all(Array.from({ length: together }, sendOn))
  t.comment(JSON.stringify(Object.fromEntries([...statuses].toSorted(([a], [b]) => a - b))))
  t.ok(statuses.has(200) && statuses.has(400), 'some are taken, and some are refused')
  t.equal((await hello()).task.status.state, 'TASK_STATE_COMPLETED', 'the server goes on')
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
  )
}
