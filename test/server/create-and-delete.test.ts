// Many callers who create tasks and delete them at once, beside others who reward and delete old ones: what is asked of
// the read models meanwhile is answered, every time.
import t from 'tap'
import { read } from '../support/http.ts'
import { spawnServer } from '../support/server.ts'
import { randomOf } from '../support/world.ts'

const seconds = Number(process.env.SECONDS ?? 2)
const seed = Number(process.env.SEED ?? 14)
const olds = 64
t.setTimeout((seconds + 60) * 1000)

t.test('sleeping tasks that are created and deleted, and old ones that are rewarded and deleted', async t => {
  // A process of its own, so that it has as much to do as it can.
  const { api, output } = await spawnServer(t, t.testdir(), { LOG_LEVEL: 'warn' })
  const random = randomOf(seed)
  const counts = new Map<number, number>()
  const wrong: string[] = []
  const ask = async (method: string, where: string, body?: object) => {
    const answer = await read(api(method, where, body))
    counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1)
    if (answer.status !== 200 && answer.status !== 404) wrong.push(`${method} ${where}: ${answer.text}`)
    return answer
  }
  const echo = { user_message_content: 'x', stream: false, client_id: 'echo' }
  const sleeping = {
    user_message_content: 'x',
    stream: false,
    background: true,
    agent_config: { agent_id: 'script', script: [{ sleep_ms: 600_000 }] },
  }
  const old: string[] = []
  const grow = async () => void old.push((await ask('POST', '/tasks', echo)).body.result.id)
  for (let n = 0; n < olds; n++) await grow()

  const end = Date.now() + seconds * 1000
  const until = async (work: () => Promise<unknown>) => {
    while (Date.now() < end && wrong.length === 0) await work()
  }
  const createAndDelete = async () => {
    const { body } = await ask('POST', '/tasks', sleeping)
    await ask('DELETE', `/tasks/${body.result?.id}`)
  }
  const rewardOrDelete = async () => {
    const at = Math.floor(random() * old.length)
    if (random() < 0.7) return ask('POST', `/tasks/${old[at]}/reward`, { value: random() })
    await ask('DELETE', `/tasks/${old.splice(at, 1)[0]}`)
    return grow()
  }
  await Promise.all([
    ...Array.from({ length: 16 }, () => until(createAndDelete)),
    ...Array.from({ length: 8 }, () => until(rewardOrDelete)),
  ])
  t.same(wrong.slice(0, 3), [], `SEED=${seed}`)
  t.equal(counts.get(503) ?? 0, 0, 'nothing was answered 503')
  t.notMatch(output(), /read models/)
  t.comment(JSON.stringify(Object.fromEntries(counts)))
})
