// Which tasks an erasure takes along, or leaves because of: also those that are found late.
import t, { type Test } from 'tap'
import type { ErasableTask } from '../../projections/tasks/ended-rows.ts'
import { type Api, serveHere } from '../support/server.ts'
import { type Erased, makeTask, ok } from './support.ts'

const { api, system } = await serveHere(t)
const statusOf = async (id: string): Promise<number> => (await api('GET', `/tasks/${id}`)).status
const ask = async (session_id: string, text = 'x'): Promise<string> =>
  (await makeTask(api, { client_id: 'echo', user_message_content: text, session_id })).id

/**
 * A session whose second task is forked, and a task in the session of the fork. It quotes the first task, which the fork
 * has brought, and not the fork, which was deleted before.
 */
const withHeir = async (name: string) => {
  const [first, second] = [await ask(name), await ask(name)]
  const fork = await ok<{ id: string; session_id: string }>(
    api('POST', `/tasks/${second}/fork`, { at: 1, user_message_content: 'x' }),
  )
  await ok(api('DELETE', `/tasks/${fork.id}`))
  const heir = await ask(fork.session_id)
  return { first, second, fork: fork.id, heir }
}
const asked = {
  principal: { id: 'system', role: 'admin', userId: undefined, expiresAt: undefined } as const,
  requestId: 'retention_1',
}
const rowsOf = (ids: string[]): ErasableTask[] =>
  ids.flatMap(id => system.tasks.queries.erasable.byId(id) ?? [])

t.test('a task quotes what a deleted fork has brought into its session', async t => {
  const { first, second, fork, heir } = await withHeir('a')
  const refused = await api('DELETE', `/tasks/${fork}?erase=true&reason=x`)
  t.equal(refused.status, 409)
  t.match(await refused.json(), {
    data: { dependants: { tasks: [{ id: heir, of: fork, why: 'quotes it' }] } },
  })
  const { erased } = await ok<Erased>(api('DELETE', `/tasks/${first}?erase=true&cascade=true&reason=x`))
  t.same(erased.tasks.toSorted(), [first, second, fork, heir].toSorted())
})

t.test('retention leaves what such a task quotes', async t => {
  const { first, second, fork, heir } = await withHeir('b')
  const parts: number[] = []
  for await (const part of system.erasures.retire(asked, rowsOf([first, second, fork]), 'old'))
    parts.push(part)
  t.same(parts, [])
  t.equal(await statusOf(heir), 200)
  t.equal(await statusOf(first), 200)
})

/** More tasks than one part of a run of retention has. */
const many = async (of: Api, tasks: number): Promise<string[]> => {
  const ids: string[] = []
  while (ids.length < tasks) {
    const more = Array.from({ length: 50 }, () =>
      makeTask(of, { client_id: 'echo', user_message_content: 'x' }),
    )
    ids.push(...(await Promise.all(more)).map(({ id }) => id))
  }
  return ids
}

const later = async (t: Test, ids: string[], meanwhile: () => Promise<unknown>): Promise<number[]> => {
  const parts: number[] = []
  for await (const part of system.erasures.retire(asked, rowsOf(ids), 'old')) {
    if (parts.length === 0) await meanwhile()
    parts.push(part)
  }
  t.equal(system.erasures.counts().pending, 0)
  return parts
}

t.test('a conversation that goes on while retention works is left as it is', async t => {
  const old = await ask('c')
  const other = await ask('d')
  let fresh = ''
  const parts = await later(t, [...(await many(api, 500)), old, other], async () => {
    fresh = await ask('c', 'and now?')
  })
  t.same(parts, [500, 1])
  t.equal(await statusOf(fresh), 200, 'a new task is not erased because it quotes an old one')
  t.equal(await statusOf(old), 200)
  t.equal(await statusOf(other), 404)
})
