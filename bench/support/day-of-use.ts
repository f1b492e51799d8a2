// A day of real use: what many users ask of one server in its order, over HTTP. Names that end in -000 belong to this
// day; a copy of the day (copied-days.ts) has other names in their place, and other ids.
import { createServer } from 'node:http'
import { randomOf } from '../../test/support/world.ts'

/** How much happens in the day. */
export type Day = {
  users: number
  /** The numbers of turns of the sessions, and of the one long session. */
  sessions: number[]
  longSession: number
  /** How often each kind of work is done. */
  each: number
  envSteps: number
}

/** Some hundreds of events, with every kind of work. */
export const smallDay: Day = { users: 3, sessions: [1, 3, 6], longSession: 8, each: 1, envSteps: 3 }
/** Some thousands of events, beside those of the long session. */
export const fullDay: Day = {
  users: 20,
  sessions: [50, 20, 12, 8, 8, 8, 5, 5, 5, 5, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2],
  longSession: 500,
  each: 5,
  envSteps: 20,
}

/** The user whose tasks are in every copy of the day, so that this user has more tasks in a longer log. */
export const busyUser = 'busy-user'
/** The session that only some copies of the day contain. */
export const longSession = 'long-session-000'
const longUser = 'long-user-000'

type Answer = Record<string, unknown> & { result: Record<string, unknown> }
type Send = (method: string, path: string, body?: object) => Promise<Answer>
type Step = Record<string, unknown>

const words = 'the quick brown fox jumps over a lazy dog while nobody counts how many words there are'.split(
  ' ',
)
/** Milliseconds for which a task that will be canceled sleeps. */
const longSleep = 3_600_000
/** The next time of this pattern is years away, so no copy of the job is due. */
const rarely = '0 0 29 2 *'
const longText = 20_000
/** So long that the log stores it in pieces. */
const veryLongText = 300_000

const clientTool = {
  type: 'function',
  function: { name: 'ask_user', description: 'Asks the user.', parameters: { type: 'object' } },
}

/** A receiver of webhooks, which accepts everything. */
const openReceiver = async () => {
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => response.end())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { url: `http://127.0.0.1:${port}/hook`, close: () => server.closeAllConnections() ?? server.close() }
}

export const senderOf =
  (url: string, token: string): Send =>
  async (method, path, body) => {
    const answer = await fetch(`${url}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 500)}`)
    return text === '' ? { result: {} } : JSON.parse(text)
  }

/** What one user does, one thing after the other. The same seed gives the same requests. */
export const createUser = (send: Send, user: string, seed: number) => {
  const random = randomOf(seed)
  const sentence = (length: number): string =>
    Array.from({ length }, () => words[Math.floor(random() * words.length)]).join(' ')
  const some = () => sentence(4 + Math.floor(random() * 30))
  const create = async (more: object): Promise<Record<string, unknown>> =>
    (await send('POST', '/tasks', { user_id: user, stream: false, user_message_content: some(), ...more }))
      .result
  const play = (script: Step[], more: object = {}) =>
    create({ ...more, agent_config: { agent_id: 'script', script } })
  const echo = (more: object = {}) => create({ ...more, client_id: 'echo' })
  const withTools = (more: object = {}) =>
    play(
      [
        { reasoning: some() },
        { message: some() },
        { tools: [{ tool: 'calculator', arguments: { expression: `${Math.floor(random() * 99)}*7` } }] },
        { tool: 'current_time', arguments: {} },
        { usage: { input_tokens: 120, output_tokens: 30, total_tokens: 150 } },
        { message: `It is $result. ${some()}` },
      ],
      more,
    )
  /** A turn of a conversation: mostly text, sometimes with tools, a failure or a long text. */
  const turn = (session: string) => {
    const kind = random()
    if (kind < 0.1) return withTools({ session_id: session })
    if (kind < 0.13)
      return play([{ message: some() }, { fail: { code: -32000, message: 'the model said no' } }], {
        session_id: session,
      })
    if (kind < 0.15) return echo({ session_id: session, user_message_content: sentence(400) })
    return echo({ session_id: session })
  }
  return {
    echo,
    withTools,
    async talk(session: string, turns: number) {
      for (let n = 0; n < turns; n++) await turn(session)
    },
    streamed: () => play([{ message: sentence(12), delta_ms: 12 }]),
    fail: () => play([{ message: some() }, { fail: { code: -32000, message: 'the model said no' } }]),
    long: () => echo({ user_message_content: 'x'.repeat(longText) }),
    veryLong: () => echo({ user_message_content: 'x'.repeat(veryLongText) }),
    async cancel() {
      const { id } = await play([{ message: some() }, { sleep_ms: longSleep }], { background: true })
      await send('POST', `/tasks/${id}/cancel`, { reason: 'enough' })
    },
    async remove() {
      const { id } = await echo()
      await send('DELETE', `/tasks/${id}`)
    },
    async reward() {
      const { id } = await echo()
      await send('POST', `/tasks/${id}/reward`, { value: random(), name: 'quality' })
    },
    async fork() {
      const { id } = await withTools()
      await send('POST', `/tasks/${id}/fork`, { at: 3, user_message_content: some() })
    },
    async ask(answer: boolean) {
      const asked = await play([{ tool: 'ask_user', arguments: {} }, { message: 'So: $result' }], {
        client_tools: [clientTool],
      })
      if (!answer) return
      const { call_id } = asked.input_required as { call_id: string }
      await send('POST', `/tasks/${asked.id}/input`, {
        tool_results: [{ call_id, message_content: some() }],
      })
    },
    async pause(resume: boolean) {
      const { id } = await play([{ message: some() }, { pause: 'tea' }, { message: some() }])
      if (resume) await send('POST', `/tasks/${id}/resume`)
    },
    subagent: () => play([{ subagent: 'echo', input: some() }, { message: 'It said $result' }]),
    chat: () =>
      create({
        agent_config: {
          agent_id: 'group',
          group: {
            order: 'round_robin',
            max_rounds: 2,
            agents: ['ann', 'bob', 'cem'].map(name => ({
              name,
              agent_id: 'script',
              script: [{ message: some() }, { message: some() }],
            })),
          },
        },
      }),
    async environment(session: string, steps: number, close: boolean) {
      await send('POST', '/env/create', { session_id: session, user_id: user, env_id: 'gridworld' })
      for (let n = 0; n < steps; n++) {
        const direction = ['north', 'east', 'south', 'west'][Math.floor(random() * 4)]
        await send('POST', '/env/step', {
          session_id: session,
          tool_name: 'move',
          tool_args: { direction },
          stream: false,
        })
      }
      await play([{ tool: 'move', arguments: { direction: 'east' } }, { message: '$result' }], {
        session_id: session,
      })
      if (close) await send('POST', '/env/close', { session_id: session })
    },
    async job(name: string, runs: number) {
      const task = { user_message_content: some(), user_id: user, client_id: 'echo' }
      const { job_id } = await send('POST', '/cron/jobs', { name, schedule: rarely, overlap: 'allow', task })
      for (let n = 0; n < runs; n++) await send('POST', `/cron/jobs/${job_id}/trigger`)
    },
  }
}
type User = ReturnType<typeof createUser>

/** The work of one user of the day: everything that is possible, at least once for all users together. */
const workOf = (user: User, day: Day, n: number) => {
  const times = (count: number, work: () => Promise<unknown>) => async () => {
    for (let done = 0; done < count; done++) await work()
  }
  const share = Math.max(1, Math.ceil(day.each / 3))
  const mine = `user-${String(n).padStart(3, '0')}-000`
  const sessions = day.sessions.filter((_, index) => index % day.users === n)
  return [
    times(day.each, () => user.echo()),
    ...sessions.map(
      (turns, index) => () => user.talk(`chat-${String(100 * n + index).padStart(4, '0')}-000`, turns),
    ),
    times(share, user.withTools),
    times(1, user.streamed),
    times(Math.ceil(share / 2), user.fail),
    times(1, user.cancel),
    times(1, user.remove),
    times(1, user.reward),
    times(1, user.fork),
    times(1, () => user.ask(n % 10 !== 0)),
    times(1, () => user.pause(n % 10 !== 1)),
    times(1, user.subagent),
    ...(n % 5 === 0 ? [times(1, user.chat), times(1, user.long)] : []),
    ...(n % 10 === 1 ? [times(1, user.veryLong), () => user.job(`job-${mine}`, share)] : []),
    ...(n % 5 === 2 ? [() => user.environment(`env-${mine}`, day.envSteps, n % 10 === 2)] : []),
  ]
}

/** Resolves when no task works any more. */
const untilQuiet = async (url: string): Promise<void> => {
  for (;;) {
    const { tasks } = (await (await fetch(`${url}/readyz`)).json()) as { tasks: { running: number } }
    if (tasks.running === 0) return
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

/** Does everything that belongs to the day. When it resolves, all of it is stored. */
export const useForADay = async (url: string, token: string, day: Day): Promise<void> => {
  const send = senderOf(url, token)
  const receiver = await openReceiver()
  const types = ['TaskStatusChanged']
  const hooks: unknown[] = []
  for (let n = 0; n < 2; n++) hooks.push((await send('POST', '/webhooks', { url: receiver.url, types })).id)

  const busy = createUser(send, busyUser, 1)
  await createUser(send, longUser, 2).talk(longSession, day.longSession)
  const lanes = Array.from({ length: day.users }, (_, n) => {
    const user = createUser(send, `user-${String(n).padStart(3, '0')}-000`, 100 + n)
    return async () => {
      for (const work of workOf(user, day, n)) await work()
    }
  })
  await Promise.all([
    ...lanes.map(lane => lane()),
    (async () => {
      for (let n = 0; n < 5 * day.each; n++) await busy.echo()
      for (let n = 0; n < day.each; n++) await busy.withTools()
    })(),
  ])
  await untilQuiet(url)
  for (const id of hooks) await send('PATCH', `/webhooks/${id}`, { enabled: false })
  receiver.close()
}
