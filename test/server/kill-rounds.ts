// Clients at work on a server that is killed again and again; then everything that they were told is held
// against what the server says in the end, and against the log. Used by kill.test.ts and by the soak test.
import { killedStart, launch, type ServerProcess } from '../support/server.ts'
import { randomOf } from '../support/world.ts'
import { flawsOf, queueFaultsOf } from './stored-log.ts'
import {
  allTasks,
  ask,
  createTask,
  endings,
  type Frame,
  framesOf,
  getTask,
  isEnded,
  Refused,
  readStream,
  saidBy,
  sleep,
  type Task,
  until,
} from './wire.ts'

/** One thing that a client wanted, and all that it was told about it. */
type Wish = {
  name: string
  body: Record<string, unknown>
  expected: { status: string; said: string[] }
  answers: Task[]
  /** The frames as a follower put them together over all its connections, and how many were cut. */
  frames: Frame[]
  cuts: number
  retries: number
}
type Script = { script: object[]; said: string[] }

const clients = 20

export const killRounds = async (options: {
  dataDir: string
  seed: number
  rounds: number
  /** The most answers and frames that arrive in a round before the kill. */
  atMost: number
  onRound?: (round: number) => void
}) => {
  const { dataDir, seed, rounds, atMost } = options
  const random = randomOf(seed)
  const upTo = (n: number) => Math.floor(random() * n)
  const pick = <T>(...choices: T[]) => choices[upTo(choices.length)] as T

  const wishes: Wish[] = []
  const problems: string[] = []
  let server: ServerProcess = await launch(dataDir)
  let isUp = Promise.resolve()
  let over = false
  let arrived = 0

  /** Calls until an answer arrives, however often the server dies meanwhile. */
  const insist = async <T>(wish: Wish, call: (attempt: number) => Promise<T>): Promise<T> => {
    for (let attempt = 0; ; attempt++) {
      await isUp
      try {
        const answer = await call(attempt)
        arrived++
        return answer
      } catch (error) {
        if (error instanceof Refused) throw error
        if (attempt > 1000) throw new Error(`${wish.name}: no answer to ${attempt} calls: ${error}`)
        wish.retries++
        await sleep(5) // the server may be dying, and we hear of it first
      }
    }
  }

  const words = (n: number) => Array.from({ length: n }, () => pick('one', 'two', 'three', 'four')).join(' ')
  const someScript = (): Script => {
    const said: string[] = []
    const script = Array.from({ length: 1 + upTo(3) }, () => {
      const kind = pick('message', 'deltas', 'sleep', 'reasoning')
      if (kind === 'sleep') return { sleep_ms: upTo(40) }
      if (kind === 'reasoning') return { reasoning: words(3) }
      const message = words(kind === 'deltas' ? 8 : 4)
      said.push(message)
      return kind === 'deltas' ? { message, delta_ms: 1 + upTo(8) } : { message }
    })
    return { script, said }
  }

  const newWish = (client: number, given: Script | string, body: object = {}, status = 'completed'): Wish => {
    const name = `c${client}-${wishes.length}`
    const what =
      typeof given === 'string'
        ? { client_id: 'echo', user_message_content: given }
        : { user_message_content: name, agent_config: { agent_id: 'script', script: given.script } }
    const said = typeof given === 'string' ? [given] : given.said
    const wish: Wish = {
      name,
      body: { stream: false, metadata: { wish: name }, ...what, ...body },
      expected: { status, said },
      answers: [],
      frames: [],
      cuts: 0,
      retries: 0,
    }
    wishes.push(wish)
    return wish
  }

  /** The three ways to ask again without asking twice. */
  const howToRetry = (wish: Wish): ((attempt: number) => Record<string, string>) => {
    const way = pick('key', 'id', 'count')
    if (way === 'id') wish.body.task_id = `${wish.name}-own`
    return attempt => {
      if (way === 'key') return { 'idempotency-key': wish.name }
      return way === 'count' && attempt > 0 ? { 'x-stainless-retry-count': `${attempt}` } : {}
    }
  }

  const create = async (wish: Wish): Promise<Task> => {
    const headers = howToRetry(wish)
    const task = await insist(wish, attempt => createTask(server.api, wish.body, headers(attempt)))
    wish.answers.push(task)
    return task
  }

  /** Follows a task to its end: on the creating connection, and when that breaks with Last-Event-ID. */
  const follow = async (wish: Wish): Promise<void> => {
    const headers = howToRetry(wish)
    let taskId: string | undefined
    await insist(wish, async attempt => {
      const last = wish.frames.at(-1)
      if (last !== undefined && endings.includes(last.type)) return
      const again = last === undefined ? {} : { 'last-event-id': `${last.sequence_number}` }
      const answer =
        taskId === undefined
          ? await server.api('POST', '/tasks', wish.body, headers(attempt))
          : await server.api('GET', `/tasks/${taskId}/events`, undefined, {
              accept: 'text/event-stream',
              ...again,
            })
      if (answer.status !== 200) throw new Refused(answer.status, `${wish.name}: ${await answer.text()}`)
      taskId ??= answer.headers.get('x-task-id') ?? undefined
      const before = wish.frames.length
      const hear = (frame: Frame) => {
        wish.frames.push(frame)
        arrived++
      }
      await readStream(answer, hear).catch(error => {
        if (wish.frames.length > 0) wish.cuts++
        throw error
      })
      if (wish.frames.length === before) throw new Refused(200, `${wish.name}: a stream without a frame`)
    })
  }

  const acts: Record<string, (client: number) => Promise<unknown>> = {
    echo: client => create(newWish(client, words(3))),
    script: client => create(newWish(client, someScript())),
    background: client => create(newWish(client, someScript(), { background: true })),
    stream: client => follow(newWish(client, someScript(), { stream: true })),
    /** One after the other into one session, so that their order is known. */
    async queue(client) {
      const session_id = `queue-${client}-${wishes.length}`
      for (let n = 0; n < 4 && !over; n++) {
        const what = pick<() => Script | string>(someScript, () => words(2))()
        await create(newWish(client, what, { session_id, background: true }))
      }
    },
    async cancel(client) {
      const long = { script: [{ message: 'begun' }, { sleep_ms: 600_000 }], said: ['begun'] }
      const wish = newWish(client, long, { background: true }, 'canceled')
      const { id } = await create(wish)
      const canceled = await insist(wish, () => ask<Task>(server.api, 'POST', `/tasks/${id}/cancel`, {}))
      wish.answers.push(canceled)
    },
    /** What was once the end of a task is so for ever. */
    async lookBack() {
      const wish = wishes[upTo(wishes.length)]
      const known = wish?.answers.at(-1)
      if (wish !== undefined && known !== undefined) {
        wish.answers.push(await insist(wish, () => getTask(server.api, known.id)))
      }
    },
  }

  const work = async (client: number): Promise<void> => {
    while (!over) {
      const act =
        acts[pick('echo', 'script', 'background', 'stream', 'stream', 'queue', 'cancel', 'lookBack')]
      await act?.(client).catch(error => problems.push(`client ${client}: ${error.message}`))
      await sleep(upTo(20))
    }
  }
  const working = Array.from({ length: clients }, (_, client) => work(client))

  for (let round = 1; round <= rounds; round++) {
    options.onRound?.(round)
    // At a random moment: after so many answers and frames, however slow this machine is, and a little more.
    const enough = arrived + upTo(atMost)
    for (let waited = 0; arrived < enough && waited < 2000; waited += 2) await sleep(2)
    await sleep(upTo(20))
    let rise = () => {}
    isUp = new Promise(resolve => {
      rise = resolve
    })
    await server.end('SIGKILL')
    // Now and then it does not even come up again before the next kill.
    if (upTo(8) === 0) await killedStart(dataDir, 350 + upTo(350))
    server = await launch(dataDir)
    rise()
  }
  over = true
  await Promise.all(working)

  const { api } = server
  await until(
    'every task has ended',
    async () => {
      const open = await ask<{ result: Task[] }>(
        api,
        'GET',
        '/tasks?status=created&status=queued&status=working',
      )
      return open.result.length === 0
    },
    30_000,
  )

  const byWish = new Map<string, Task[]>()
  for (const task of await allTasks(api)) {
    const name = String(task.metadata?.wish)
    byWish.set(name, [...(byWish.get(name) ?? []), task])
  }
  let incomplete = 0
  const complain = (wish: Wish, what: string) => problems.push(`${wish.name}: ${what}`)
  const check = async (wish: Wish): Promise<void> => {
    const found = byWish.get(wish.name) ?? []
    const task = found[0]
    if (task === undefined || found.length !== 1) return void complain(wish, `became ${found.length} tasks`)
    incomplete += task.output.filter(({ status }) => status === 'incomplete').length
    if (task.status !== wish.expected.status) complain(wish, `ended ${task.status}`)
    const said = saidBy(task)
    const expected = wish.expected.said
    const fits =
      wish.expected.status === 'completed'
        ? JSON.stringify(said) === JSON.stringify(expected)
        : said.every((text, n) => text === expected[n])
    if (!fits) complain(wish, `said ${JSON.stringify(said)} instead of ${JSON.stringify(expected)}`)
    for (const answer of wish.answers) {
      // What has ended stays as it was; what had not keeps who it is.
      const known = isEnded(answer) ? answer : identityOf(answer)
      const now = isEnded(answer) ? task : identityOf(task)
      if (JSON.stringify(known) !== JSON.stringify(now)) {
        complain(wish, `was ${JSON.stringify(known)} and is ${JSON.stringify(now)}`)
      }
    }
    const frames = await framesOf(api, task.id, 3 + upTo(200))
    const numbers = frames.map(frame => frame.sequence_number)
    if (numbers.some((number, n) => number !== n)) complain(wish, `frames ${numbers.join(' ')}`)
    const ends = frames.filter(({ type }) => endings.includes(type))
    if (ends.length !== 1 || ends[0] !== frames.at(-1)) complain(wish, `${ends.length} terminal frames`)
    if (frames.some(({ task_id }) => task_id !== task.id)) complain(wish, 'frames of another task')
    if (wish.body.stream === true) {
      const apart = frames.findIndex((frame, n) => JSON.stringify(frame) !== JSON.stringify(wish.frames[n]))
      if (apart !== -1 || wish.frames.length !== frames.length) {
        complain(
          wish,
          `frame ${apart} of ${frames.length} differs from what was seen (${wish.frames.length})`,
        )
      }
    }
  }
  for (let n = 0; n < wishes.length; n += 16) await Promise.all(wishes.slice(n, n + 16).map(check))
  if (byWish.has('undefined')) problems.push('tasks that nobody wished for')

  const [code] = await server.end('SIGTERM')
  if (code !== 0) problems.push(`the last stop ended with ${code}: ${server.output()}`)
  problems.push(...flawsOf(dataDir), ...queueFaultsOf(dataDir))
  const sum = (count: (wish: Wish) => number) => wishes.reduce((total, wish) => total + count(wish), 0)
  return {
    problems,
    tasks: wishes.length,
    /** Streams that broke after their first frame and were taken up again. */
    cuts: sum(wish => wish.cuts),
    /** Calls that got no answer and were made again. */
    retries: sum(wish => wish.retries),
    /** Items of steps that a kill broke off and that ran again. */
    incomplete,
  }
}

const identityOf = ({ id, session_id, user_id, created_at, previous_task_id, metadata }: Task) => ({
  id,
  session_id,
  user_id,
  created_at,
  previous_task_id,
  wish: metadata?.wish,
})
