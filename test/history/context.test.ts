// What an agent sees (decisions §6): the session's completed tasks, then what the request brought, without doubles.
import t from 'tap'
import type { Agent } from '../../src/contract/agent.ts'
import type { OutputItem } from '../../src/contract/wire.ts'
import { assemble, contributed, inputsOf } from '../../src/history/context.ts'
import { createdData, fact, opened, stepCompleted, stepStarted, viewOf, working } from '../actors/given.ts'
import { admin, crashed, givenSystem, quiet, type TestSystem } from '../support/system.ts'
import { eventsOf } from './told.ts'

/** Remembers what it saw, by what it was asked, and answers. */
const witness = () => {
  const saw = new Map<string, OutputItem[]>()
  const agent: Agent = {
    name: 'witness',
    async *step({ history, request }) {
      saw.set(request.user_message_content as string, await history())
      yield {
        say: 'item',
        item: 'message',
        part: 'output_text',
        texts: [`re ${request.user_message_content}`],
      }
      return { end: 'answer' }
    },
  }
  return { agent, saw: (asked: string) => (saw.get(asked) ?? []).map(textOf) }
}
const textOf = (item: OutputItem): string => {
  if (item.type === 'tool_call') return `call ${item.call_id}`
  if (item.type === 'tool_result')
    return `result ${item.call_id}${item.status === 'incomplete' ? ' missing' : ''}`
  const content = item.type === 'reasoning' ? item.summary : item.message_content
  return typeof content === 'string'
    ? content
    : content.map(part => (typeof part === 'string' ? part : 'text' in part ? part.text : '')).join('')
}
const message = (text: string, id?: string): OutputItem => ({
  type: 'message',
  role: 'user',
  message_content: text,
  ...(id === undefined ? {} : { id }),
})
const given = async () => {
  const { agent, saw } = witness()
  const system = await givenSystem({ agents: [agent] })
  const ask = async (text: string, more: object = {}) => {
    const id = await system.create({
      user_message_content: text,
      client_id: 'witness',
      session_id: 's',
      ...more,
    })
    await quiet(system)
    return id
  }
  return { system, saw, ask, agent }
}

t.test('history, then thoughts, then the message', async t => {
  const { ask, saw } = await given()
  await ask('now', { history_messages: [message('h1'), message('h2')], thought_messages: [message('th')] })
  t.same(saw('now'), ['h1', 'h2', 'th', 'now'])
})

t.test(
  'the completed tasks of the session come first: inputs and answers, in order of completion',
  async t => {
    const { ask, saw, system } = await given()
    const slow = await system.play([{ pause: 'wait' }, { message: 'slow answer' }], {
      session_id: 's',
      user_message_content: 'slow',
    })
    await ask('quick')
    t.same(saw('quick'), ['quick'], 'a waiting task is not seen')
    await system.commands.resume(admin, slow, 'req')
    await quiet(system)
    await ask('last')
    t.same(saw('last'), ['quick', 're quick', 'slow', 'slow answer', 'last'])
  },
)

t.test('failed, canceled and deleted tasks, other sessions and other users are not seen', async t => {
  const { ask, saw, system } = await given()
  await system.play([{ message: 'x' }, { fail: { code: -32000, message: 'no' } }], { session_id: 's' })
  await quiet(system)
  const canceled = await system.play([{ message: 'x' }, { sleep_ms: 1000 }], { session_id: 's' })
  await quiet(system)
  await system.commands.cancel(admin, canceled, 'req')
  const deleted = await ask('deleted')
  await ask('kept')
  await system.commands.remove(admin, deleted, 'req')
  await ask('elsewhere', { session_id: 'other' })
  await ask('hers', { user_id: 'hers' })
  await ask('now')
  t.same(saw('hers'), ['hers'])
  t.same(saw('now'), ['kept', 're kept', 'now'])
})

t.test('items that are there already, by id or call id, are not added again', async t => {
  const { ask, saw } = await given()
  const call: OutputItem = { type: 'tool_call', call_id: 'c', name: 'n', arguments: '{}' }
  const result: OutputItem = { type: 'tool_result', call_id: 'c', message_content: 'r', block_list: [] }
  await ask('two', {
    history_messages: [message('first', 'a'), call, result, call, result, message('new', 'b')],
  })
  t.same(saw('two'), ['first', 'call c', 'result c', 'new', 'two'])
})

t.test('of two inputs with one id the first is seen', async t => {
  const { ask, saw } = await given()
  await ask('now', { history_messages: [message('first', 'a'), message('second', 'a')] })
  t.same(saw('now'), ['first', 'now'])
})

t.test('an input does not change what an earlier task said under the same id', async t => {
  const { ask, saw, system } = await given()
  const first = await ask('one')
  const id = system.get(first).output[0].id
  await ask('two', { thought_messages: [message('forged', id)] })
  t.same(saw('two'), ['one', 're one', 'two'])
})

t.test('a request with history brings its own past, and names the task before it all the same', async t => {
  const { ask, saw, system } = await given()
  const first = await ask('one')
  const second = await ask('two', { history_messages: [message('one'), message('re one')] })
  t.same(saw('two'), ['one', 're one', 'two'], 'nothing comes twice')
  t.equal(system.get(second).previous_task_id, first)
  await ask('three', { history_messages: [] })
  t.same(saw('three').slice(0, 2), ['one', 're one'], 'an empty history is none')
})

t.test('so does one that has to wait for its turn', async t => {
  const { ask, saw, system } = await given()
  await ask('one')
  await system.play([{ sleep_ms: 1000 }, { message: 'slept' }], { session_id: 's' })
  await ask('two', { history_messages: [message('mine')] })
  await system.world.advance(2000)
  t.same(saw('two'), ['mine', 'two'])
})

t.test('answers to a waiting task bring no past; with anything beside them they do', async t => {
  const { ask, saw, system } = await given()
  const client_tools = [{ type: 'function' as const, function: { name: 'ask', parameters: {} } }]
  const wait = async (asked: string) => {
    const more = { session_id: 's', client_tools, user_message_content: asked }
    const id = await system.play([{ tool: 'ask' }], more)
    await quiet(system)
    const { call_id } = system.get(id).output[0]
    const result: OutputItem = { type: 'tool_result', call_id, message_content: 'r', block_list: [] }
    const call: OutputItem = { type: 'tool_call', call_id, name: 'ask', arguments: '{}' }
    return { id, call_id, call, result }
  }
  const first = await wait('first')
  await ask('then', { history_messages: [first.result] })
  const { call_id: c1 } = first
  t.same(saw('then'), ['first', `call ${c1}`, `result ${c1}`, 'then'])
  const { id, call, result, call_id: c2 } = await wait('second')
  const last = await ask('last', { history_messages: [message('second'), call, result] })
  t.same(saw('last'), ['second', `call ${c2}`, `result ${c2}`, 'last'], 'nothing comes twice')
  t.equal(system.get(id).status, 'completed')
  t.equal(system.get(last).previous_task_id, id)
})

t.test('a call without a result gets one that is marked, in its place', async t => {
  const { ask, saw } = await given()
  const call: OutputItem = { type: 'tool_call', call_id: 'c', name: 'n', arguments: '{}' }
  await ask('now', { history_messages: [call, message('then')] })
  t.same(saw('now'), ['call c', 'result c missing', 'then', 'now'])
})

t.test('results stand behind their calls, wherever they came', async t => {
  const { ask, saw } = await given()
  const call = (call_id: string): OutputItem => ({ type: 'tool_call', call_id, name: 'n', arguments: '{}' })
  const result = (call_id: string): OutputItem => ({
    type: 'tool_result',
    call_id,
    message_content: 'r',
    block_list: [],
  })
  const says: OutputItem = { type: 'message', role: 'assistant', message_content: 'says' }
  const orders: Record<string, [OutputItem[], string[]]> = {
    'before its call': [
      [result('a'), message('m'), call('a')],
      ['m', 'call a', 'result a'],
    ],
    'after a message': [
      [call('a'), message('m'), result('a')],
      ['call a', 'result a', 'm'],
    ],
    'of several, in another order': [
      [call('a'), says, call('b'), call('c'), result('c'), message('m'), result('a')],
      ['call a', 'says', 'call b', 'call c', 'result b missing', 'result c', 'result a', 'm'],
    ],
    'none at all': [
      [call('a'), says, call('b'), result('b')],
      ['call a', 'result a missing', 'says', 'call b', 'result b'],
    ],
    'without its call': [
      [call('a'), result('x'), result('a')],
      ['call a', 'result a', 'call x', 'result x'],
    ],
  }
  for (const [name, [history_messages, seen]] of Object.entries(orders)) {
    await ask(name, { history_messages })
    t.same(saw(name), [...seen, name], name)
  }
})

t.test('what was cut off for its length is seen later, unless its step was abandoned', async t => {
  const cut = fact('ItemCompleted', { agent_step: 1, item_id: 'msg_cut', parts: 1, cut_off: true })
  const begun = [...working, stepStarted(1, 't1/1'), opened('msg_cut', 'as far as'), cut]
  const ended = viewOf([...begun, stepCompleted(1, 't1/1')])
  t.match(ended.output, [{ id: 'msg_cut', status: 'incomplete' }])
  t.same(contributed(ended), ['msg_in', 'msg_cut'])
  const items = [{ item_id: 'msg_cut', parts: 1 }]
  const gone = fact('AgentStepAbandoned', { agent_step: 1, effect_id: 't1/1', items })
  t.same(contributed(viewOf([...begun, gone])), ['msg_in'])
})

t.test('incomplete items are left out', async t => {
  const { ask, saw } = await given()
  await ask('now', {
    history_messages: [{ ...message('cut', 'x'), status: 'incomplete' } as OutputItem, message('whole')],
  })
  t.same(saw('now'), ['whole', 'now'])
})

t.test('a queued task sees what completed before it started, not only before it was created', async t => {
  const { ask, saw, system } = await given()
  await system.play([{ sleep_ms: 1000 }, { message: 'slept' }], {
    session_id: 's',
    user_message_content: 'sleep',
  })
  await ask('after')
  await system.world.advance(2000)
  t.same(saw('after'), ['sleep', 'slept', 'after'])
})

t.test('what it saw is stored in TaskStarted as references, not as texts', async t => {
  const { ask, system } = await given()
  const first = await ask('one')
  const second = await ask('two', { thought_messages: [message('h')] })
  const events = await eventsOf(system, second)
  const started = events.find(({ header }) => header.type === 'TaskStarted')?.data as {
    context: { stream: string; items: string[] }[]
  }
  t.same(
    started.context.map(({ stream }) => stream),
    [`task-${first}`, `task-${second}`],
  )
  t.same(
    started.context.map(({ items }) => items.length),
    [2, 2],
  )
  t.notMatch(JSON.stringify(started), /re one/)
})

const stepwise = (agentSaw: string[][]): Agent => ({
  name: 'stepwise',
  async *step({ history, agentStep }) {
    agentSaw.push((await history()).map(textOf))
    yield { say: 'item', item: 'reasoning', part: 'summary_text', texts: [`thought ${agentStep}`] }
    return agentStep === 1 ? { end: 'pause', reason: 'tea' } : { end: 'answer' }
  },
})
const resumeIt = async (system: TestSystem, taskId: string) => {
  await system.commands.resume(admin, taskId, 'req')
  await quiet(system)
}

t.test('each step sees what the ones before it said, after a crash too', async t => {
  const saw: string[][] = []
  const system = await givenSystem({ agents: [stepwise(saw)] })
  await system.create({ session_id: 's', user_message_content: 'before' })
  await quiet(system)
  const taskId = await system.create({ client_id: 'stepwise', session_id: 's', user_message_content: 'go' })
  await quiet(system)
  const again = await crashed(system)
  await resumeIt(again, taskId)
  t.same(saw, [
    ['before', 'before', 'go'],
    ['before', 'before', 'go', 'thought 1'],
  ])
})

t.test('a task in a session names the one before it', async t => {
  const { ask, system } = await given()
  const first = await ask('one')
  const second = await ask('two')
  const other = await ask('three', { session_id: 'other' })
  const hers = await ask('four', { user_id: 'hers' })
  t.notOk('previous_task_id' in system.get(first))
  t.equal(system.get(second).previous_task_id, first)
  t.notOk('previous_task_id' in system.get(other))
  t.notOk('previous_task_id' in system.get(hers))
})

t.test('inputs keep the ids they were given when accepted', async t => {
  const request = { ...createdData.request, history_messages: [message('h', 'given'), message('g')] }
  t.match(inputsOf({ ...createdData, request, input_ids: ['given', 'msg_1', 'msg_2'] }), [
    { id: 'given' },
    { id: 'msg_1' },
    { id: 'msg_2', role: 'user', message_content: 'hello' },
  ])
  t.same(assemble([]), [])
})
