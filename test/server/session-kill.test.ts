// A real server killed at work on environment sessions: no step that was answered is lost, none is done twice.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { counter, type EnvBody, envCalls, kept, modules } from '../http/env-calls.ts'
import { pause } from '../support/http.ts'
import { launch, type ServerProcess } from '../support/server.ts'
import { randomOf } from '../support/world.ts'

const rounds = Number(process.env.ROUNDS ?? 3)
const seed = Number(process.env.SEED ?? 20_260_101)
t.setTimeout(Math.max(110_000, rounds * 15_000))

type Wish = { tool: string; args: object }
type Client = {
  session_id: string
  create: object
  wishes: Wish[]
  /** The texts of the answers, by number of the wish. */
  answers: string[]
}

const isUnknown = (text: string): boolean => (JSON.parse(text) as EnvBody).info.outcome_unknown === true

t.test('killed during steps, sessions go on where they were', async t => {
  const random = randomOf(seed)
  const pick = <T>(...from: T[]): T => from[Math.floor(random() * from.length)] as T
  const dataDir = mkdtempSync(path.join(tmpdir(), 'reprise-session-kill-'))
  const env = { ENV_PATH: modules, LOG_LEVEL: 'error', ALLOW_UNSANDBOXED_SHELL: '1' }
  let server: ServerProcess = await launch(dataDir, env)
  t.teardown(async () => {
    await server.end('SIGKILL')
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 })
  })
  let isUp = Promise.resolve()
  let arrived = 0
  let cuts = 0
  let over = false

  const insert = (n: number): Wish => ({ tool: 'execute', args: { sql: `INSERT INTO seen VALUES (${n})` } })
  const clients: Client[] = [
    {
      create: { env_class_path: counter },
      wish: () => pick({ tool: 'add', args: { by: 3 } }, { tool: 'draw', args: {} }),
    },
    {
      create: { env_class_path: kept },
      wish: () => pick({ tool: 'add', args: { by: 3 } }, { tool: 'draw', args: {} }),
    },
    {
      create: {
        env_class_path: 'gridworld',
        env_init_kwargs: { max_steps: 1_000_000, map: '###\n#@#\n#.#\n#G#\n###' },
      },
      wish: () => ({ tool: 'look', args: {} }),
    },
    { create: { env_class_path: 'sql' }, wish: insert },
    {
      create: { env_class_path: 'workspace' },
      wish: (n: number) => ({
        tool: 'shell',
        args: { command: `echo ${n} >> log; head -c 200000 /dev/zero >> zeros; ln -sfn ${n} link` },
      }),
    },
  ].map(({ create, wish }, n) => {
    const wishes = Array.from({ length: Math.max(400, rounds * 60) }, (_, at) => wish(at))
    if (create.env_class_path === 'sql')
      wishes.unshift({ tool: 'execute', args: { sql: 'CREATE TABLE seen (n)' } })
    return { session_id: `s${n}`, create, wishes, answers: [] }
  })

  /** Asks until there is an answer, however often the server dies meanwhile. */
  const insist = async (
    ask: (calls: ReturnType<typeof envCalls>) => ReturnType<ReturnType<typeof envCalls>['call']>,
  ) => {
    for (let n = 0; ; n++) {
      await isUp
      try {
        const answer = await ask(envCalls(server.api))
        if (answer.status === 200) return answer
        if (answer.status !== 503) throw new Error(`${answer.status} ${answer.text}`)
      } catch (error) {
        const isCut = error instanceof TypeError // what fetch says of a connection that broke
        if (!isCut || n > 1000) throw error
      }
      cuts++
      await pause(5)
    }
  }
  const keyOf = ({ session_id }: Client, n: number) => ({ 'idempotency-key': `${session_id}-${n}` })
  const ask = async (client: Client, n: number) => {
    const { tool, args } = client.wishes[n] as Wish
    const answer = await insist(calls => calls.step(client.session_id, tool, args, {}, keyOf(client, n)))
    return { ...answer, text: answer.text.trimStart() } // an answer that comes late begins with spaces
  }
  const work = async (client: Client) => {
    const { session_id, create } = client
    await insist(calls => calls.create({ session_id, ...create }))
    for (let n = 0; n < client.wishes.length && !over; n++) {
      const { text } = await ask(client, n)
      client.answers.push(text)
      // What may have happened is wished once more, as a new step.
      if (isUnknown(text)) client.wishes.splice(n + 1, 0, client.wishes[n] as Wish)
      arrived++
    }
  }
  const working = clients.map(work)
  const failed = Promise.all(working).then(
    () => {},
    error => {
      over = true
      throw error
    },
  )
  failed.catch(() => {})

  for (let round = 0; round < rounds && !over; round++) {
    const until = arrived + 20 + Math.floor(random() * 30)
    while (arrived < until && !over) await pause(2)
    let up = () => {}
    isUp = new Promise(resolve => {
      up = resolve
    })
    await server.end('SIGKILL')
    server = await launch(dataDir, env)
    up()
  }
  const enough = arrived + 20
  while (arrived < enough && !over) await pause(2)
  over = true
  await failed

  t.ok(cuts > 0, 'calls were cut and made again')
  const { call, observe, step } = envCalls(server.api)
  for (const client of clients) {
    const { session_id, answers, wishes } = client
    const what = JSON.stringify(client.create)
    const steps = answers.map(text => JSON.parse(text) as EnvBody)
    t.same(
      steps.map(answer => answer.step),
      steps.map((_, n) => n + 1),
      `each wish is the step of its number: ${what}`,
    )
    for (const [n, text] of answers.entries()) {
      const again = await ask(client, n)
      if (again.text !== text) t.equal(again.text, text, `${what}: step ${n + 1} is answered as it was`)
    }
    const { state } = (await observe(session_id)).body
    const last = steps.at(-1) // on a slow machine the run may end before the first step of a session
    if (last !== undefined) t.same(state, last.state, `${what}: what is seen is what was recorded last`)
    const taken = wishes.filter((_, n) => n < answers.length && !isUnknown(answers[n] ?? ''))
    if (session_id === 's0' || session_id === 's1') {
      const adds = taken.filter(({ tool }) => tool === 'add').length
      t.equal(state.total, adds * 3, 'each was done once')
      t.equal(state.drawn.length, taken.length - adds)
      t.equal(new Set(state.drawn).size, state.drawn.length)
    }
    if (session_id === 's2') t.equal(state.steps, taken.length, 'each was done once')
    if (session_id === 's3') {
      const { body } = await step(session_id, 'query', {
        sql: 'SELECT count(*) AS n, count(DISTINCT n) AS d FROM seen',
      })
      const rows = taken.length - 1
      t.match(
        String(body.tool_result.message_content),
        new RegExp(`\\b${rows}\\b.*\\b${rows}\\b`, 's'),
        'each was done once',
      )
    }
    if (session_id === 's4') {
      const { body } = await step(session_id, 'shell', {
        command: 'readlink link; wc -c < zeros; tr "\\n" " " < log',
      })
      const done = taken.map((_, n) => n)
      t.equal(
        body.tool_result.message_content,
        `${taken.length - 1}\n${taken.length * 200_000}\n${done.join(' ')} `,
        'each was done once',
      )
    }
  }
  const { body } = await call('GET', '/env/sessions')
  t.equal(body.sessions.filter(one => one.is_active).length, clients.length)
  t.comment(JSON.stringify({ seed, rounds, arrived, cuts }))
  t.notMatch(server.output(), /error/i)
})
