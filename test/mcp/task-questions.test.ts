// What the task of a server asks after a restart, when the call has asked before.
import t from 'tap'
import { stateOf } from '../../src/mcp/input-required.ts'
import { followTask } from '../../src/mcp/server-task.ts'
import { testWorld } from '../support/world.ts'
import { placeServer } from './support.ts'

const server = placeServer('s', 'http://127.0.0.1')
const schema = { type: 'object', properties: { a: { type: 'string' } } }
const request = { method: 'elicitation/create', params: { message: 'What?', requestedSchema: schema } }
const completed = (text: string) => ({ status: 'completed' as const, content: `{"a":"${text}"}` })

/** What the task gets, and how often the user is asked, when `state` has had its answer before. */
const followed = async (state: string | object) => {
  const world = testWorld()
  let given: unknown
  let asks = 0
  const send = async (method: string, params: object): Promise<unknown> => {
    if (method === 'tasks/update') given = params
    return given === undefined
      ? { status: 'input_required', inputRequests: { a: request } }
      : { status: 'completed', result: { content: [] } }
  }
  const result = followTask(
    { taskId: 't1', pollMs: 1 },
    {
      timers: world.timers,
      signal: new AbortController().signal,
      hear() {},
      send,
      asks: {
        server,
        ask: async () => {
          asks++
          return [completed('new')]
        },
        asked: { state: String(state), questions: [{ metadata: { schema } }], answers: [completed('old')] },
      },
    },
  )
  for (let n = 0; n < 3; n++) await world.advance(60_000)
  await result
  return { given, asks }
}
const accepted = (text: string) => ({
  taskId: 't1',
  inputResponses: { a: { action: 'accept', content: { a: text } } },
})

t.test('an answer to the call is none to its task, which asks under the same key', async t => {
  t.same(await followed(stateOf(server, { keys: ['a'], round: 1 })), { given: accepted('new'), asks: 1 })
})

t.test('an answer to the task is not asked for again', async t => {
  t.same(await followed(stateOf(server, { keys: ['a'], round: 0, taskId: 't1' })), {
    given: accepted('old'),
    asks: 0,
  })
})
