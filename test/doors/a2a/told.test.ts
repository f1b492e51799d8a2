// How a task and a card are told, without a server.
import fastify from 'fastify'
import t from 'tap'
import { sendCard } from '../../../src/doors/a2a/card.ts'
import { createTaskTeller } from '../../../src/doors/a2a/teller.ts'

t.test(
  'what a step said before it broke off is replaced; files in results of tools are artifacts',
  async t => {
    const created = {
      task_id: 'x',
      session_id: 's',
      input_ids: ['in'],
      request: { user_message_content: 'a' },
    }
    const teller = createTaskTeller(created as never)
    let sequence_number = 0
    const tell = (type: string, more: object) =>
      teller.tell({ type, task_id: 'x', sequence_number: sequence_number++, ...more } as never)
    const item = (id: string, status: string) => ({
      item: { type: 'message', role: 'assistant', id, status, message_content: [] },
    })
    const says = (item_id: string, delta: string) =>
      tell('task.text.delta', { item_id, content_index: 0, delta })
    tell('task.output_item.added', item('msg_1', 'in_progress'))
    t.match(says('msg_1', 'half of'), [
      { artifactUpdate: { append: false, artifact: { artifactId: 'answer_1' } } },
    ])
    t.same(tell('task.output_item.done', item('msg_1', 'incomplete')), [])
    tell('task.output_item.added', item('msg_2', 'in_progress'))
    t.match(says('msg_2', 'the '), [
      { artifactUpdate: { append: false, artifact: { artifactId: 'answer_1' } } },
    ])
    t.match(says('msg_2', 'whole'), [{ artifactUpdate: { append: true } }])
    t.match(tell('task.output_item.done', item('msg_2', 'completed')), [
      { artifactUpdate: { append: true, lastChunk: true, artifact: { parts: [{ text: '' }] } } },
    ])
    const file = { file_data: 'data:text/plain;base64,dGNr', filename: 'output.txt' }
    const result = {
      type: 'tool_result',
      id: 'tr_1',
      call_id: 'call_1',
      message_content: [
        { type: 'text', text: 'ok' },
        { type: 'file', file },
      ],
      block_list: [],
    }
    tell('task.output_item.done', { item: result })
    t.same(teller.task().artifacts, [
      { artifactId: 'answer_1', parts: [{ text: 'the whole' }] },
      { artifactId: 'tr_1', parts: [{ raw: 'dGNr', mediaType: 'text/plain', filename: 'output.txt' }] },
    ])
  },
)

t.test('a call that has its answer is asked for no more', async t => {
  const created = { task_id: 'x', session_id: 's', input_ids: [], request: { user_message_content: '' } }
  const teller = createTaskTeller(created as never)
  const pending_inputs = ['c1', 'c2'].map(call_id => ({ call_id, name: call_id, arguments: '{}' }))
  const task = { id: 'x', session_id: 's', status: 'input-required', metadata: { pending_inputs } }
  teller.tell({ type: 'task.input_required', sequence_number: 1, task } as never)
  const item = { type: 'tool_result', id: 'r', call_id: 'c1', message_content: 'one', block_list: [] }
  teller.tell({ type: 'task.output_item.done', sequence_number: 2, item } as never)
  t.same(
    teller.waiting().map(({ call_id }) => call_id),
    ['c2'],
  )
  const parts = teller.task().status.message?.parts ?? []
  t.same(
    parts.flatMap(({ metadata }) => metadata?.call_id ?? []),
    ['c2'],
  )
  t.match(teller.task().history, [{ parts: { length: 4 } }, { parts: [{ text: 'one' }] }])
})

t.test('the card of an own agent is kept by no cache', async t => {
  const list = (user?: string) =>
    ['all', ...(user === undefined ? [] : ['own'])].map(name => ({
      place: name,
      info: { name, description: '', ...(name === 'own' ? { user_id: 'ann' } : {}) },
    }))
  const serving = { root: '', principals: { authenticate: () => ({ userId: 'ann' }) } }
  const app = fastify()
  app.get('/:name', async (request, reply) => {
    const { name } = request.params as { name: string }
    return sendCard({ agents: { list, fallback: 'all' }, serving } as never, request, reply, name)
  })
  const card = async (name: string) =>
    (await app.inject({ url: `/${name}`, headers: { authorization: 'Bearer x' } })).headers
  t.match(await card('own'), { 'cache-control': 'private, no-store', vary: 'Authorization' })
  t.match(await card('all'), { 'cache-control': 'public, max-age=60', vary: 'Authorization' })
})
