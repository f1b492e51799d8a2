// A group chat and its turns belong to one user: what others may see, who hears its events, and where its secrets are.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { listen } from '../http/event-streams.ts'
import { read, type TaskJson, until } from '../support/http.ts'
import { apiOf, serveHere } from '../support/server.ts'
import { clientTool } from '../support/tools.ts'
import { chatOf, says } from './chats.ts'

const { api, url, dataDir } = await serveHere(t)
const tokenOf = async (user_id: string): Promise<string> =>
  ((await read(api('POST', '/auth/tokens', { role: 'user', user_id }))).body as unknown as { token: string })
    .token
const [anns, bobs] = [await tokenOf('ann'), await tokenOf('bob')]
const [ann, bob] = [apiOf(url, anns), apiOf(url, bobs)]
const secret = 'a-value-that-nobody-else-has'
const asks = { name: 'dan', agent_id: 'script', script: [{ tool: 'ask' }, { message: 'so $result' }] }
const names = 'GroupChatMessage,GroupChatAgentThinking,GroupChatAgentResponse'
const holding = () =>
  readdirSync(dataDir, { withFileTypes: true })
    .filter(entry => entry.isFile() && readFileSync(path.join(dataDir, entry.name)).includes(secret))
    .map(({ name }) => name)

t.test(
  'another user finds neither a chat nor its turns, speaks in neither, and hears none of its events',
  async t => {
    const heard = {
      ann: await listen(url, { token: anns, query: `types=${names}` }),
      bob: await listen(url, { token: bobs, query: `types=${names},TaskCreated` }),
    }
    const body = chatOf([says('ann', 'one'), asks], { max_rounds: 1 }) as object
    const made = await read(
      ann('POST', '/tasks', { ...body, client_tools: [clientTool('ask')], env: { KEY: secret } }),
    )
    const chat = made.body.result
    t.equal(chat.status, 'input-required')
    t.match(holding(), /^secrets\.db/, 'a turn has the secrets of the chat, and stores none of them')

    const list = await read(ann('GET', `/tasks?session_id=${chat.session_id}&include_subtasks=true`))
    const tasks = list.body.result as unknown as TaskJson[]
    t.equal(tasks.length, 3, 'the chat and two turns')
    const [{ call_id } = { call_id: '' }] = (
      chat.metadata as unknown as { pending_inputs: { call_id: string }[] }
    ).pending_inputs
    const answer = { tool_results: [{ call_id, message_content: 'mine' }] }
    const id = { 'x-request-id': 'same' }
    for (const { id: task } of tasks) {
      for (const [method, tail, sent] of [
        ['GET', ''],
        ['GET', '/events'],
        ['GET', '/machine'],
        ['POST', '/messages', { content: 'hey' }],
        ['POST', '/input', answer],
        ['POST', '/cancel'],
      ] as const) {
        const [theirs, none] = await Promise.all(
          [task, 'task_none'].map(async which => {
            const said = await bob(method, `/tasks/${which}${tail}`, sent, id)
            return `${said.status} ${await said.text()}`
          }),
        )
        t.equal(theirs, none, `${method} ${tail}`)
      }
    }
    await ann('POST', `/tasks/${chat.id}/input`, answer)
    await until(() => heard.ann.heard().filter(({ type }) => type === 'GroupChatMessage').length === 2)
    await bob('POST', '/tasks', { user_message_content: 'x', client_id: 'echo', stream: false })
    await until(() => heard.bob.heard().some(({ type }) => type === 'TaskCreated'))
    t.same(
      heard.bob.heard().filter(({ type }) => type.startsWith('GroupChat')),
      [],
    )
    await until(() => holding().length === 0)
    await heard.ann.cut()
    await heard.bob.cut()
  },
)

t.test('no speaker can pass for the user or for another speaker', async t => {
  for (const name of ['user', 'END', 'bob']) {
    const { status } = await read(ann('POST', '/tasks', chatOf([says('bob', 'x'), says(name, 'y')])))
    t.equal(status, 422, name)
  }
})

t.test('a chat has at most 32 speakers and 1,000 rounds', async t => {
  const speakers = Array.from({ length: 33 }, (_, n) => says(`s${n}`, 'x'))
  for (const body of [chatOf(speakers), chatOf([says('bob', 'x')], { max_rounds: 1001 })]) {
    t.equal((await read(ann('POST', '/tasks', body))).status, 422)
  }
})
