// kill -9 in the middle of forks: a fork is there as a whole or not at all, and the same request gets it afterwards.
import t from 'tap'
import { type AgentTask, tasksOf } from '../http/agent-tasks.ts'
import { envCalls } from '../http/env-calls.ts'
import { forksOf, plain } from '../http/fork-calls.ts'
import { read } from '../support/http.ts'
import { spawnServer } from '../support/server.ts'

const dataDir = t.testdir()
/** Milliseconds from the first request of a round until the kill. */
const moments = [0, 6, 30]
const perRound = 3

t.test('forks that a kill interrupts are whole or not there, and can be asked for again', async t => {
  let server = await spawnServer(t, dataDir)
  const session_id = await envCalls(server.api).made({ env_class_path: 'gridworld', env_init_kwargs: {} })
  const task = await tasksOf(server.api).play(
    [
      { message: 'one' },
      { tool: 'move', arguments: { direction: 'east' } },
      { subagent: 'echo', input: 'hello' },
      { message: 'x'.repeat(300_000) },
      { message: 'end' },
    ],
    { session_id },
  )
  t.equal(task.status, 'completed')
  const all = (await tasksOf(server.api).frames(task.id)).map(plain)
  const there = (await envCalls(server.api).observe(session_id)).body.state
  let [whole, absent] = [0, 0]
  const forked: { id: string; at: number }[] = []

  for (const [round, ms] of moments.entries()) {
    const wanted = Array.from({ length: perRound }, (_, n) => ({
      id: `fork-${round}-${n}`,
      at: Math.floor(((round * perRound + n + 1) * (all.length - 1)) / (moments.length * perRound)),
    }))
    forked.push(...wanted)
    const { ask } = forksOf(server.api)
    const asked = wanted.map(({ id, at }) => ask(task.id, { at, task_id: id }).catch(() => undefined))
    await new Promise(resolve => setTimeout(resolve, ms))
    await server.end('SIGKILL')
    const answers = await Promise.all(asked)

    server = await spawnServer(t, dataDir)
    const { get, frames } = tasksOf(server.api)
    for (const [n, { id, at }] of wanted.entries()) {
      const found = await get(id)
      if (answers[n]?.status === 200) t.ok(found, `${id} was answered, so it is there`)
      if (found === undefined) {
        absent++
        continue
      }
      whole++
      t.same(found.metadata?.forked_from, { task_id: task.id, at })
      t.same((await frames(id)).slice(0, at + 1).map(plain), all.slice(0, at + 1), `the past of ${id}`)
    }
  }
  t.equal(whole + absent, forked.length)

  const { becomes } = tasksOf(server.api)
  const { ask, diff } = forksOf(server.api)
  const env = envCalls(server.api)
  for (const { id, at } of forked) {
    const again = await ask(task.id, { at, task_id: id })
    t.equal(again.status, 200, `${id} can be asked for again`)
    t.equal((again.body as unknown as AgentTask).id, id)
    const ended = await becomes(id, 'completed')
    const events = await read(server.api('GET', `/tasks/${id}/events?limit=1000`))
    t.equal(events.status, 200, JSON.stringify(events.body).slice(0, 500))
    const mine = (events.body.result as unknown as Parameters<typeof plain>[0][]).map(plain)
    t.ok(mine.length >= at)
    const differs = Array.from({ length: Math.max(all.length, mine.length) }, (_, n) => all[n] !== mine[n])
    const first = differs.indexOf(true)
    const { first_divergence } = await diff(task.id, id)
    t.equal(first_divergence, first === -1 ? null : first, `the first difference of ${id}`)
    t.ok(first === -1 || first > at, `${id} differs only where a step was cut off`)
    t.same((await env.observe(ended.session_id)).body.state, there, 'its session took each step once')
    t.match((await read(server.api('POST', `/tasks/${id}/replay`))).body, { matches: true })
  }
  await server.end('SIGTERM')
  t.comment(`${whole} forks were whole, ${absent} were not there`)
})
