// An answer to a question with a schema must fit it: the first answer counts for good, and the code could not use another one.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { read, until } from '../support/http.ts'
import { serveHere } from '../support/server.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'reprise-asks-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const write = (name: string, schema: object) =>
  writeFileSync(
    path.join(folder, `${name}.mjs`),
    `import { agent } from 'reprise/agent'
     const schema = ${JSON.stringify(schema)}
     export default agent(async ctx => {
       const given = await ctx.ask('confirm', { question: 'Really?' }, { schema }).catch(({ message }) => message)
       return JSON.stringify(given)
     })`,
  )
const properties = { ok: { type: 'boolean' }, note: { type: 'string' } }
write('confirms', { type: 'object', properties, required: ['ok', 'note'] })
write('unusable', { type: 'nothing' })

const { api } = await serveHere(t, { AGENT_PATH: folder })
const begin = async (agent_id: string) => {
  const body = { user_message_content: 'go', stream: false, agent_config: { agent_id } }
  const { result } = (await read(api('POST', '/tasks', body))).body
  const { pending_inputs } = result.metadata as { pending_inputs: { call_id: string }[] }
  const call_id = pending_inputs[0]?.call_id
  const give = (message_content: string, more = {}) =>
    read(
      api('POST', `/tasks/${result.id}/input`, {
        tool_results: [{ call_id, message_content, ...more }],
      }),
    )
  const said = async () => {
    let output = ''
    await until(async () => {
      const now = (await read(api('GET', `/tasks/${result.id}`))).body.result
      output = JSON.stringify(now.output.at(-1)?.message_content)
      return now.status === 'completed'
    })
    return output
  }
  return { id: result.id, session: result.session_id, call_id, give, said }
}

t.test('an answer that does not fit is refused, and the question still waits', async t => {
  const task = await begin('confirms')
  t.match((await task.give('yes')).text, /does not fit the schema: it is not JSON/)
  const { status, body } = await task.give('{"ok":"maybe"}')
  t.equal(status, 422)
  t.same(
    body.detail.map(({ loc }: { loc: unknown }) => loc),
    [1, 2].map(() => ['body', 'tool_results', 0, 'message_content']),
    'with all that is wrong',
  )
  t.match(JSON.stringify(body.detail), /note.*\/ok must be boolean/)
  t.equal((await task.give('{"ok":true,"note":"well"}')).status, 200)
  t.match(await task.said(), /well/)
})

t.test('a create that brings the answer is told where in its history it does not fit', async t => {
  const { id, session, call_id, said } = await begin('confirms')
  const message = { type: 'message', role: 'user', message_content: 'before' }
  const bring = (message_content: string) =>
    read(
      api('POST', '/tasks', {
        ...{ user_message_content: '', stream: false, task_id: id, session_id: session },
        agent_config: { agent_id: 'confirms' },
        history_messages: [message, { type: 'tool_result', call_id, message_content, block_list: [] }],
      }),
    )
  const { status, body } = await bring('{"ok":true}')
  t.equal(status, 422)
  t.match(body.detail, [{ loc: ['body', 'history_messages', 1, 'message_content'] }])
  t.equal((await bring('{"ok":true,"note":"later"}')).status, 200)
  t.match(await said(), /later/)
})

t.test('a failure needs no form, and a schema that nobody can use refuses nothing', async t => {
  const failed = await begin('confirms')
  t.equal((await failed.give('nobody is there', { status: 'incomplete' })).status, 200)
  t.match(await failed.said(), /nobody is there/)
  const unusable = await begin('unusable')
  t.equal((await unusable.give('{"any":1}')).status, 200)
  t.match(await unusable.said(), /any/)
})
