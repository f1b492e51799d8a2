// A task waits for the answer to a question of an MCP server while this server is killed, forked from, and made to erase it.
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { forksOf } from '../../http/fork-calls.ts'
import { folderOf } from '../../mcp/support.ts'
import { until } from '../../support/http.ts'
import { serveHere, spawnServer } from '../../support/server.ts'
import { type Frame, follow } from '../../support/sse.ts'
import {
  answer,
  askingPlace,
  askingPrograms,
  asksIn,
  bodyFor,
  deedsIn,
  saidIn,
  taskIn,
  taskNow,
  whenIt,
} from './asked.ts'

/** The number of the frame with which a task begins to wait. */
const waitFrame = async (id: string): Promise<number> => {
  const stream = await follow(api('GET', `/tasks/${id}/events`, undefined, { accept: 'text/event-stream' }))
  const waits = ({ type }: Frame) => type === 'task.input_required'
  const frames = await stream.until(all => all.some(waits))
  await stream.cut()
  return frames.find(waits)?.sequence_number ?? -1
}

t.test('a kill -9 while a server waits for the answer', async t => {
  const [place, deeds, lost] = [await askingPlace(t, true), deedsIn(t), deedsIn(t)]
  const [dataDir, env] = [path.join(folderOf(t), 'data'), { ...place.env, ...askingPrograms(t) }]
  const first = await spawnServer(t, dataDir, env)
  const waiting = async (server: object, { file }: { file: string }) => {
    const { id } = await taskIn(await first.api('POST', '/tasks', bodyFor(server, 'book', { file })))
    return whenIt(first.api, id, 'input-required')
  }
  const [newest, program] = [await waiting(place.server, deeds), await waiting({}, lost)]
  await first.end('SIGKILL')
  const { api, end } = await spawnServer(t, dataDir, env)

  await t.test('of 2026-07-28: the answer reaches it, and it is called once more', async t => {
    const task = await taskNow(api, newest.id)
    t.same(asksIn(task), asksIn(newest), 'the question is the same')
    t.equal((await answer(api, task, { seats: 100 })).status, 422)
    t.equal((await answer(api, task, { seats: 4 })).status, 200)
    t.match(saidIn(await whenIt(api, task.id, 'completed')), /done with/)
    t.same(deeds.lines(), [
      { asked: ['seats'] },
      { answers: { seats: { action: 'accept', content: { seats: 4, window: true } } } },
    ])
  })

  await t.test('of 2025-11-25: its question is over, and the outcome of its call is unknown', async t => {
    const task = await whenIt(api, program.id, 'paused')
    t.match(task.metadata, { reason: 'outcome_unknown', effect: { name: 's__book' } })
    t.same(asksIn(task), [])
    t.equal((await answer(api, program, { seats: 4 })).status, 422, 'nobody waits for the answer')
    t.equal((await api('POST', `/tasks/${task.id}/resume`)).status, 200, 'the task may run the call again')
    await answer(api, await whenIt(api, task.id, 'input-required'), { seats: 5 })
    await whenIt(api, task.id, 'completed')
    t.match(lost.answers(), [{ seats: { action: 'accept', content: { seats: 5 } } }])
  })
  await end('SIGKILL')

  const third = await spawnServer(t, dataDir, env)
  t.equal((await taskNow(third.api, newest.id)).status, 'completed')
  t.equal(deeds.lines().length, 2, 'a further restart calls nothing')
  await third.end('SIGTERM')
})

const [newer, older] = [await askingPlace(t, true), await askingPlace(t, false)]
const { api } = await serveHere(t, newer.env)

t.test('a fork at the question answers otherwise', async t => {
  const { server } = newer
  const deeds = deedsIn(t)
  const { id } = await taskIn(await api('POST', '/tasks', bodyFor(server, 'book', { file: deeds.file })))
  const task = await whenIt(api, id, 'input-required')
  const fork = await forksOf(api).fork(id, { at: await waitFrame(id) })
  const other = await whenIt(api, fork.id, 'input-required')
  t.not(asksIn(other)[0]?.call_id, asksIn(task)[0]?.call_id)
  await answer(api, other, { seats: 1 })
  await whenIt(api, fork.id, 'completed')
  t.equal((await taskNow(api, id)).status, 'input-required', 'the task itself still waits')
  await answer(api, task, { seats: 2 })
  await whenIt(api, id, 'completed')
  t.match(deeds.answers(), [{ seats: { content: { seats: 1 } } }, { seats: { content: { seats: 2 } } }])
})

t.test('a fork at a question of a connection that it lacks calls the tool again', async t => {
  const { server } = older
  const deeds = deedsIn(t)
  const { id } = await taskIn(await api('POST', '/tasks', bodyFor(server, 'book', { file: deeds.file })))
  const task = await whenIt(api, id, 'input-required')
  const fork = await forksOf(api).fork(id, { at: await waitFrame(id) })
  await until(() => deeds.lines().length === 2)
  const other = await whenIt(api, fork.id, 'input-required')
  t.equal(asksIn(other).length, 1)
  await answer(api, other, { seats: 1 })
  await whenIt(api, fork.id, 'completed')
  await answer(api, task, { seats: 2 })
  await whenIt(api, id, 'completed')
  t.match(deeds.answers(), [{ seats: { content: { seats: 1 } } }, { seats: { content: { seats: 2 } } }])
})

t.test('an erasure removes question, state and answer', async t => {
  const { server, env } = newer
  const { api, dataDir } = await serveHere(t, env)
  const { id } = await taskIn(await api('POST', '/tasks', bodyFor(server, 'book', { file: deedsIn(t).file })))
  const task = await whenIt(api, id, 'input-required')
  const holds = (text: string) =>
    globSync('**/*', { cwd: dataDir, withFileTypes: true })
      .filter(each => each.isFile())
      .some(({ parentPath, name }) => readFileSync(path.join(parentPath, name)).includes(text))
  t.ok(holds('offer-7'), 'the state of the server is stored')
  t.ok(holds('How many seats?'))
  await answer(api, task, { seats: 7 })
  await whenIt(api, id, 'completed')
  const asked = await api('DELETE', `/tasks/${id}?erase=true&reason=asked`)
  t.equal(asked.status, 200, await asked.text())
  t.notOk(holds('offer-7'))
  t.notOk(holds('How many seats?'))
})
