// What a task and its stream have made is young when they end, and the next collection of young objects frees it. If it became
// old, a busy server would copy it twice, and stop again and again to look through all its objects.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { spawnServer } from '../support/server.ts'
import { sleep, until } from './wire.ts'

const atOnce = 40
const rounds = 4
t.jobs = 2

/** `keptAtMost`: bytes; while they run, they take four times as many. */
for (const { what, stream, keptAtMost } of [
  { what: 'streamed tasks', stream: true, keptAtMost: 20 * 1024 },
  { what: 'tasks that are not streamed', stream: false, keptAtMost: 11 * 1024 },
])
  t.test(`a collection of young objects frees ${what} that have ended`, async t => {
    const file = path.join(t.testdir(), 'old-bytes')
    const hook = path.join(import.meta.dirname, 'young-objects.ts')
    const server = await spawnServer(t, t.testdir({ data: {} }), {
      NODE_OPTIONS: `--no-warnings --max-semi-space-size=64 --import ${hook}`,
      YOUNG_OBJECTS: file,
    })
    const lines = () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [])
    /** The bytes of old objects after a collection of young ones. */
    const collected = async (): Promise<number> => {
      const before = lines().length
      server.signal('SIGWINCH')
      await until('the collection', () => lines().length > before)
      return Number(lines().at(-1))
    }
    const body = {
      user_message_content: 'go',
      stream,
      agent_config: { agent_id: 'script', script: [{ message: 'one two', delta_ms: 400 }] },
    }
    const play = async () => {
      const answer = await server.api('POST', '/tasks', body)
      t.match(await answer.text(), 'completed')
    }
    const playAll = () => Promise.all(Array.from({ length: atOnce }, play))

    for (let n = 0; n < 4; n++) await playAll()
    const kept: number[] = []
    for (let round = 0; round < rounds; round++) {
      await collected()
      const before = await collected()
      const all = playAll()
      await sleep(300)
      await collected() // while all tasks run: what they hold becomes old if the next collection still finds it
      await all
      await sleep(300) // until the rows are written
      kept.push(((await collected()) - before) / atOnce)
    }
    const least = Math.min(...kept) // the compiler and its notes add to it now and then
    t.ok(least < keptAtMost, `${Math.round(least)} bytes of each are kept`)
  })
