// What an MCP server asks the user while a task calls its tool is a question to the client of the task.
import t from 'tap'
import { serveHere } from '../../support/server.ts'
import {
  answer,
  askingPlace,
  askingPrograms,
  asksIn,
  bodyFor,
  deedsIn,
  saidIn,
  taskIn,
  whenIt,
} from './asked.ts'

const [newer, older] = [await askingPlace(t, true), await askingPlace(t, false)]
const { api } = await serveHere(t, { ...newer.env, ...askingPrograms(t) })

/** `isWhole`: all of the cases are played. */
const servers = [
  { what: 'a server of 2026-07-28 at a URL', name: 's', server: newer.server, isWhole: true },
  { what: 'a server of 2025-11-25 at a URL', name: 's', server: older.server, isWhole: true },
  { what: 'a program of 2026-07-28', name: 'new', server: {}, isWhole: false },
  { what: 'a program of 2025-11-25', name: 's', server: {}, isWhole: false },
]

for (const { what, name, server, isWhole } of servers) {
  t.test(`the questions of ${what}`, async t => {
    const begun = async (tool: string, deeds = deedsIn(t)) => {
      const { id } = await taskIn(
        await api('POST', '/tasks', bodyFor(server, tool, { file: deeds.file }, name)),
      )
      return { deeds, task: await whenIt(api, id, 'input-required') }
    }

    await t.test('are asked, and the answer reaches the server once', async t => {
      const { deeds, task } = await begun('book', deedsIn(t))
      const [question] = asksIn(task)
      t.match(question, { name: 'elicitation', metadata: { asked_by: `mcp:${name}` } })
      t.same(JSON.parse(question?.arguments ?? ''), { question: 'How many seats?' })
      t.match(question?.metadata.schema, { properties: { seats: { type: 'integer', maximum: 9 } } })

      const refused = await answer(api, task, { seats: 100 })
      t.equal(refused.status, 422, 'an answer that does not fit is refused')
      t.match(await refused.text(), /The answer does not fit the schema: .*seats/)
      t.equal((await answer(api, task, ['not a form'])).status, 422)
      t.same(deeds.answers(), [], 'and never reaches the server')

      t.equal((await answer(api, task, { seats: 2 })).status, 200)
      t.equal((await answer(api, task, { seats: 2 })).status, 200, 'the same answer again changes nothing')
      t.equal((await answer(api, task, { seats: 3 })).status, 400, 'another one is refused')
      const done = await whenIt(api, task.id, 'completed')
      t.match(saidIn(done), /done with .*seats/)
      t.same(deeds.answers(), [{ seats: { action: 'accept', content: { seats: 2, window: true } } }])
      t.same(
        done.output.map(({ type }) => type),
        ['tool_call', 'tool_result', 'message'],
        'question and answer are no calls of the agent',
      )
    })

    if (!isWhole) return

    await t.test('may be declined, or closed', async t => {
      for (const [said, action] of [
        ['I would rather not', 'decline'],
        ['cancel', 'cancel'],
      ] as const) {
        const { deeds, task } = await begun('book', deedsIn(t))
        await answer(api, task, said)
        t.equal((await whenIt(api, task.id, 'completed')).status, 'completed')
        t.same(deeds.answers(), [{ seats: { action } }])
      }
    })

    await t.test('may be several at a time, and one after the other', async t => {
      const { deeds, task } = await begun('both', deedsIn(t))
      if (asksIn(task).length === 1) {
        // The server of the older version asks its questions one by one.
        await answer(api, task, { name: 'Ada' })
        await answer(api, await whenIt(api, task.id, 'input-required'), { day: 'Monday' })
      } else {
        t.equal((await answer(api, task, { name: 'Ada' })).status, 200)
        const still = await whenIt(api, task.id, 'input-required')
        t.equal(asksIn(still).length, 1, 'the task waits for the rest')
        await answer(api, still, { day: 'Monday' })
      }
      await whenIt(api, task.id, 'completed')
      const given = { action: 'accept' }
      t.match(deeds.answers(), [
        { name: { ...given, content: { name: 'Ada' } }, day: { ...given, content: { day: 'Monday' } } },
      ])

      const { deeds: others, task: chain } = await begun('chain', deedsIn(t))
      await answer(api, chain, { city: 'Bern' })
      await answer(api, await whenIt(api, chain.id, 'input-required'), { city: 'Graz' })
      await whenIt(api, chain.id, 'completed')
      t.match(others.answers(), [{ from: { content: { city: 'Bern' } }, to: { content: { city: 'Graz' } } }])
    })

    await t.test('may lead to a page', async t => {
      const { deeds, task } = await begun('visit', deedsIn(t))
      const [question] = asksIn(task)
      t.equal(question?.metadata.url, 'https://pay.example/7')
      t.match(question?.arguments, /Please pay\.\\nhttps:\/\/pay\.example\/7/)
      await answer(api, task, {})
      await whenIt(api, task.id, 'completed')
      t.same(deeds.answers(), [{ pay: { action: 'accept' } }])
    })

    await t.test('go with the task that is canceled', async t => {
      const { deeds, task } = await begun('book', deedsIn(t))
      t.equal((await api('POST', `/tasks/${task.id}/cancel`)).status, 200)
      await whenIt(api, task.id, 'canceled')
      t.equal((await answer(api, task, { seats: 2 })).status, 400)
      t.notMatch(deeds.answers(), [{ seats: { action: 'accept' } }])
    })

    await t.test('to its model stay refused', async t => {
      const deeds = deedsIn(t)
      const { id } = await taskIn(
        await api('POST', '/tasks', bodyFor(server, 'sample', { file: deeds.file }, name)),
      )
      const done = await whenIt(api, id, 'completed')
      t.match(done.output[1], { type: 'tool_result', status: 'incomplete' })
      t.same(deeds.answers(), [])
    })
  })
}
