// The examples that follow events, as a reader would run them, while the server is killed, stopped and started again.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import t, { type Test } from 'tap'
import { freePort } from '../../src/platform/free-port.ts'
import { type Heard, listen } from '../http/event-streams.ts'
import { read, until } from '../support/http.ts'
import { type Api, spawnServer } from '../support/server.ts'

t.jobs = 2

const example = (name: string) => path.resolve(import.meta.dirname, '../../examples', name)
const hasPython = spawnSync('python3', ['--version']).status === 0
const examples = [
  { name: 'follow-events.mjs', command: process.execPath, skip: false },
  { name: 'follow_events.py', command: 'python3', skip: hasPython ? false : 'there is no python3' },
]

const run = (t: Test, command: string, args: string[], token: string) => {
  const env = { PATH: process.env.PATH, TOKEN: token, HOME: process.env.HOME }
  const child: ChildProcess = spawn(command, args, { env })
  let [stdout, stderr] = ['', '']
  child.stdout?.on('data', chunk => {
    stdout += chunk
  })
  child.stderr?.on('data', chunk => {
    stderr += chunk
  })
  const over = once(child, 'close') as Promise<[number | null]>
  t.teardown(async () => {
    child.kill('SIGKILL')
    await over
  })
  return { lines: () => stdout.split('\n').slice(0, -1), stderr: () => stderr, over }
}

const work = async (api: Api, text: string): Promise<void> => {
  const body = { user_message_content: text, stream: false, client_id: 'echo' }
  await Promise.all([1, 2, 3, 4].map(() => read(api('POST', '/tasks', body))))
}

for (const { name, command, skip } of examples) {
  t.test(`${name} hears everything once, over a kill and a stop`, { skip }, async t => {
    const dataDir = t.testdir()
    const env = { PORT: `${await freePort()}`, DRAIN_SECONDS: '0' }
    let server = await spawnServer(t, dataDir, env)
    const { url, api } = server
    const made = await read(api('POST', '/auth/tokens', { role: 'subscriber' }))
    const { token } = made.body as unknown as { token: string }
    await work(api, 'before')
    const all = run(t, command, [example(name), url, 'earliest'], token)
    const live = run(t, command, [example(name), url], token)
    await until(() => all.lines().length >= 24)
    // Live it is once it hears something.
    await until(async () => {
      await work(api, 'hello\u2028 é 🙂')
      return live.lines().length > 0
    }, 10_000)
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      const under = work(api, 'under').catch(() => {})
      await server.end(signal)
      await under
      server = await spawnServer(t, dataDir, env)
      await work(api, `after ${signal}`)
    }
    const fresh = await listen(url, { query: 'starting_after=earliest' })
    const titles = ['before', 'hello', 'after SIGKILL', 'after SIGTERM']
    const count = (heard: Heard[], key: string, value: string) =>
      heard.filter(({ body }) => body[key] === value).length
    // Everything: the last tasks too, each to its end.
    await fresh.until(heard => {
      const ended = count(heard, 'new_status', 'completed')
      return count(heard, 'title', 'after SIGTERM') === 4 && count(heard, 'type', 'TaskCreated') === ended
    }, 10_000)
    const expected = () => fresh.heard().map(({ id, body }) => `${id}\t${JSON.stringify(body)}`)
    const plain = (line: string) => line.replaceAll('\\u2028', '\u2028')
    await until(
      () => all.lines().length >= expected().length && all.lines().at(-1) === live.lines().at(-1),
      10_000,
    )
    t.same(all.lines().map(plain), expected())
    t.same(
      live.lines().map(plain),
      expected().slice(-live.lines().length),
      'from when it began, without a hole',
    )
    for (const title of titles)
      t.ok(
        all.lines().some(line => line.includes(`"title":"${title}`)),
        title,
      )
    for (const follower of [all, live]) {
      const waits = `waiting for events of ${url} \\(Ctrl-C ends it\\)\n`
      const away = `waiting for the server at ${url}\n`
      // It may miss that a server came back between two kills.
      t.match(follower.stderr(), new RegExp(`^${waits}(${away}${waits})+$`), 'it says that it waits')
    }
    await fresh.cut()
  })

  t.test(`${name} says that it is refused, and ends`, { skip }, async t => {
    const { url } = await spawnServer(t, t.testdir())
    const refused = run(t, command, [example(name), url], 'nonsense')
    t.same((await refused.over)[0], 1)
    t.match(refused.stderr(), /^refused: 401 \{"code":-32030.*\}\n$/)
    const beyond = run(t, command, [example(name), url, '99'], 'test-admin-token')
    t.same((await beyond.over)[0], 1)
    t.match(beyond.stderr(), /^refused: 422 .*beyond the end/)
    const nobody = run(t, command, [example(name), url], '')
    t.same((await nobody.over)[0], 2)
    t.match(nobody.stderr(), /^TOKEN is not set: paste the line `export PORT=.+\n$/)
  })
}
