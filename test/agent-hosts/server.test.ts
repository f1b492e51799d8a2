// A server with agents of its own: their tasks, and what a create is told about a file that cannot be loaded.
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import { serveMcp } from '../mcp/servers/http.ts'
import { read, until } from '../support/http.ts'
import { serveHere } from '../support/server.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'reprise-own-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text)
write(
  'sums.mjs',
  `import { agent } from 'reprise/agent'
   export default agent(async ctx => \`\${ctx.input.text}: \${await ctx.tool('calculator', { expression: '40+2' })}\`,
     { description: 'Sums up.' })`,
)
write('broken.mjs', 'export default async ctx => {')

write(
  'calls.mjs',
  `import { agent } from 'reprise/agent'
   export default agent(async ctx => {
     const heard = []
     for (let n = 0; n < 3; n++) {
       heard.push(await ctx.tool('place__echo', { text: 'hello' }).catch(({ kind, message }) => kind + ': ' + message))
       if (heard.at(-1) === 'hello') break
       await ctx.message()
     }
     return heard.join(' | ')
   })`,
)

const { api } = await serveHere(t, { AGENT_PATH: folder, ALLOW_PRIVATE_URLS: '1' })
const create = async (agent_id: string) =>
  read(api('POST', '/tasks', { user_message_content: 'the sum', stream: false, agent_config: { agent_id } }))
type Info = { name: string; error?: string; description: string }
const infoOf = async (name: string) =>
  ((await read(api('GET', '/agents'))).body as unknown as { data: Info[] }).data.find(
    one => one.name === name,
  )

t.test('a task runs on the file that it names', async t => {
  const { body } = await create('sums')
  t.match(body.result, { status: 'completed', metadata: { agent: 'sums', agent_version: String } })
  t.match(JSON.stringify(body.result.output), /the sum: 42/)
  t.match(await infoOf('sums'), { description: 'Sums up.', source: 'sums.mjs' })
})

t.test('a file that cannot be loaded refuses new tasks with the reason, until it is mended', async t => {
  let error: string | undefined
  await until(async () => {
    error = (await infoOf('broken'))?.error
    return error !== undefined
  })
  t.match(error, /SyntaxError/)
  t.notMatch(error, folder, 'the path of the folder is for the operator')
  const { status, body } = await create('broken')
  t.equal(status, 422)
  t.match(body.detail[0]?.msg, /^The agent "broken" cannot be loaded: .*SyntaxError/)
  t.match((await create('sumps')).text, /the agents are broken, calls, demo, echo, group, script, sums/)
  write('broken.mjs', `export default async ctx => 'mended'`)
  let answer: Awaited<ReturnType<typeof create>> | undefined
  await until(async () => {
    answer = await create('broken')
    return answer.status === 200
  })
  t.match(JSON.stringify(answer?.body.result.output), /mended/)
})

/** A server of tools that can go away and come back. */
const place = async (t: Test) => {
  const { url, http } = await serveMcp(t)
  const { port } = new URL(url)
  return {
    url,
    goAway: async () => {
      const closed = once(http, 'close')
      http.close()
      http.closeAllConnections()
      await closed
    },
    comeBack: async () => {
      http.listen(Number(port), '127.0.0.1')
      await once(http, 'listening')
    },
  }
}
type Task = {
  id: string
  status: string
  input_required?: { call_id: string }
  output: { message_content: { text: string }[] }[]
}
const taskOf = async (id: string, on = api) =>
  (await read(on('GET', `/tasks/${id}`))).body.result as unknown as Task
const begin = async (url: string, approve: string[], on = api) => {
  const agent_config = { agent_id: 'calls', tool_mcp_config: { place: { url } }, approve }
  const { body } = await read(
    on('POST', '/tasks', { user_message_content: 'x', stream: false, background: true, agent_config }),
  )
  return (body.result as unknown as Task).id
}
const becomes = async (id: string, status: string, on = api) => {
  await until(async () => (await taskOf(id, on)).status === status)
  return taskOf(id, on)
}

t.test('an approval is refused while the server of the tool is away, and the call still waits', async t => {
  const { url, goAway, comeBack } = await place(t)
  const DATA_DIR = mkdtempSync(path.join(tmpdir(), 'reprise-away-'))
  t.teardown(() => rmSync(DATA_DIR, { recursive: true, force: true, maxRetries: 5 }))
  const env = { AGENT_PATH: folder, ALLOW_PRIVATE_URLS: '1', DATA_DIR }
  const before = await serveHere(t, env)
  const id = await begin(url, ['place__*'], before.api)
  const { input_required } = await becomes(id, 'input-required', before.api)
  const decision = { call_id: input_required?.call_id, decision: 'approve' }
  await before.stop()
  await goAway()
  const { api: now } = await serveHere(t, env)
  const refused = await read(now('POST', `/tasks/${id}/approvals`, decision))
  t.equal(refused.status, 503)
  t.match(refused.body, { code: -32008, message: /place/, data: { hint: /Approve the call again/ } })
  t.equal((await taskOf(id, now)).status, 'input-required')
  await comeBack()
  t.equal((await read(now('POST', `/tasks/${id}/approvals`, decision))).status, 200)
  const done = await becomes(id, 'completed', now)
  t.same(done.output.at(-1)?.message_content[0]?.text, 'hello')
})

t.test('code hears that the server of a tool is away, and may try again', async t => {
  const { url, goAway, comeBack } = await place(t)
  await goAway()
  const id = await begin(url, [])
  const hasFailed = async () => {
    const { body } = await read(api('GET', `/tasks/${id}`))
    return JSON.stringify(body).includes('place')
  }
  await until(hasFailed)
  await comeBack()
  await api('POST', `/tasks/${id}/messages`, { content: 'again' })
  const done = await becomes(id, 'completed')
  t.match(done.output.at(-1)?.message_content[0]?.text, /^refused: .*place.* \| hello$/)
})
