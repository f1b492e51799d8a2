// Tasks that call tools: ours, the client's, those of MCP servers, and subagents.
import { taskServer } from '../../doors/mcp-client/task-server.ts'
import { callId, result, script, tool } from '../../http/agent-tasks.ts'
import { makeAskingServer } from '../../mcp/servers/asking.mjs'
import { serveMcp } from '../../mcp/servers/http.ts'
import { until } from '../../support/http.ts'
import type { Stage } from './stage.ts'

const withMcp = (...steps: object[]) => ({ ...script(...steps), tool_mcp_config: { tools: {} } })

/** Calls that somebody approves, approves with other arguments, or refuses; one of a subagent; one that stays open. */
const playApprovals = async ({ begins, becomes, act }: Stage): Promise<void> => {
  const count = (expression: string) => ({ tool: 'calculator', arguments: { expression } })
  const asking = { tools: [count('1+1'), count('2+2'), count('3+3')] }
  const approve = ['calculator', 'mcp:*']
  const id = await begins({ agent_config: { ...script(asking, { message: '$result' }), approve } })
  const decisions = [
    { decision: 'approve' },
    { decision: 'approve', arguments: { expression: '20+2' }, reason: 'not four' },
    { decision: 'refuse', reason: 'count yourself' },
  ]
  for (const [n, decision] of decisions.entries()) {
    const waiting = await becomes(id, 'input-required')
    await act(id, 'approvals', { call_id: callId(waiting, n), ...decision })
  }
  await becomes(id, 'completed')
  const input = JSON.stringify([count('4+4'), { message: 'from below' }])
  const caller = await begins({
    agent_config: { ...script({ subagent: 'script', input }, { message: '$result' }), approve },
  })
  const below = await becomes(caller, 'input-required')
  await act(caller, 'approvals', { call_id: below.input_required?.call_id, decision: 'approve' })
  await becomes(caller, 'completed')
  const ofServer = { tool: 'tools__echo', arguments: { text: 'hello' } }
  await becomes(
    await begins({ agent_config: { ...withMcp(ofServer, { message: 'x' }), approve } }),
    'input-required',
  )
}

export const playTools = async (stage: Stage): Promise<void> => {
  const { begins, becomes, act, answer, post, play, file, hasBegun } = stage
  await play([
    {
      tools: [
        { tool: 'calculator', arguments: { expression: '6*7' } },
        { tool: 'nobody' },
        { tool: 'calculator', arguments: { words: 5 } },
        { tool: 'write_file', arguments: { path: 'a.txt', content: 'hello' } },
      ],
    },
    { tool: 'read_file', arguments: { path: 'a.txt' } },
    { tool: 'run_javascript', arguments: { code: '[1, 2, 3].map(n => n * n)' } },
    { message: 'then $result' },
  ])
  await play([{ tool: 'calculator', arguments: { expression: '1+1' } }, { message: 'never said' }], {
    stop_tools: ['calculator'],
  })
  await post({ user_message_content: 'what is 6*7?', agent_config: { agent_id: 'demo' } })
  await post({
    agent_config: withMcp(
      { tool: 'tools__echo', arguments: { text: 'hello' } },
      { tools: [{ tool: 'tools__everything' }, { tool: 'tools__fail', arguments: { why: 'not today' } }] },
      { message: 'done' },
    ),
  })
  await play([
    {
      subagent: 'script',
      input: JSON.stringify([{ usage: { input_tokens: 2 } }, { message: 'from below' }]),
    },
    { message: 'it said $result' },
  ])
  const structured_output = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
  await play([{ message: '{"n":1}' }], { structured_output })
  await play([{ message: 'one' }], { structured_output })

  const client_tools = [tool('ask', { type: 'object', properties: { q: { type: 'string' } } })]
  const asking = script(
    { tools: [{ tool: 'ask' }, { tool: 'ask', arguments: { q: '2' } }] },
    { message: '$result' },
  )
  const inParts = await begins({ agent_config: asking, client_tools })
  const waiting = await becomes(inParts, 'input-required')
  const chart = { message_content: [{ type: 'text', text: 'yes' }], block_list: [{ type: 'chart', x: [1] }] }
  await answer(inParts, { call_id: callId(waiting), ...chart })
  await answer(inParts, { call_id: callId(waiting, 1), message_content: 'no', status: 'incomplete' })
  await becomes(inParts, 'completed')

  const askOnce = { agent_config: script({ tool: 'ask' }, { message: '$result' }), client_tools }
  const sameTask = await becomes(await begins({ ...askOnce, session_id: 's3' }), 'input-required')
  await post({
    session_id: 's3',
    task_id: sameTask.id,
    user_message_content: '',
    history_messages: [result(callId(sameTask), 'yes')],
  })
  const elsewhere = await becomes(await begins({ ...askOnce, session_id: 's4' }), 'input-required')
  await post({
    session_id: 's4',
    client_id: 'echo',
    user_message_content: 'and now?',
    history_messages: [result(callId(elsewhere), 'yes')],
  })
  const given = await becomes(await begins(askOnce), 'input-required')
  await act(given.id, 'cancel', { reason: 'nobody answers' })
  await becomes(await begins(askOnce), 'input-required')
  const partly = await becomes(await begins({ agent_config: asking, client_tools }), 'input-required')
  await answer(partly.id, { call_id: callId(partly), message_content: 'the other stays open' })

  await playApprovals(stage)
  await playQuestions(stage)

  const stopped = await begins({
    agent_config: withMcp({ tool: 'tools__wait', arguments: { file: file('stopped') } }),
  })
  await hasBegun('stopped')
  await act(stopped, 'cancel')
  const family = await begins({
    agent_config: script({ subagent: 'script', input: JSON.stringify([{ sleep_ms: 600_000 }]) }),
  })
  await stage.hasChild(family)
  await act(family, 'cancel', { reason: 'both of you' })
}

/** What an MCP server asks the user: one question is answered, one declined, one withdrawn by a cancel, and one stays open. */
const playQuestions = async ({ begins, becomes, act, answer, post, file }: Stage): Promise<void> => {
  const ends: (() => unknown)[] = []
  const t = { teardown: (end: () => unknown) => void ends.push(end) } as never
  const asks = async (modern: boolean, name: string) => {
    const { url } = await serveMcp(t, { modern, make: makeAskingServer })
    const booking = { tool: 's__book', arguments: { file: file(name) } }
    const tool_mcp_config = { s: { url } }
    return begins({ agent_config: { ...script(booking, { message: '$result' }), tool_mcp_config } })
  }
  for (const modern of [true, false]) {
    const answered = await asks(modern, `answered-${modern}`)
    const waiting = await becomes(answered, 'input-required')
    await answer(answered, { call_id: waiting.input_required?.call_id, message_content: '{"seats":2}' })
    await becomes(answered, 'completed')
    const declined = await asks(modern, `declined-${modern}`)
    const other = await becomes(declined, 'input-required')
    await answer(declined, {
      call_id: other.input_required?.call_id,
      message_content: 'no',
      status: 'incomplete',
    })
    await becomes(declined, 'completed')
    const canceled = await asks(modern, `canceled-${modern}`)
    await becomes(canceled, 'input-required')
    await act(canceled, 'cancel')
    await becomes(canceled, 'canceled')
  }
  const posted = await asks(true, 'posted')
  const { input_required } = await becomes(posted, 'input-required')
  const result = { type: 'tool_result', call_id: input_required?.call_id, message_content: '{"seats":2}' }
  await post({ task_id: posted, user_message_content: '', history_messages: [{ ...result, block_list: [] }] })
  await becomes(posted, 'completed')
  await becomes(await asks(true, 'open'), 'input-required')
  for (const end of ends) await end()
}

/** A call that an MCP server has answered with a task, which outlives our server. */
const playServerTask = async ({ begins, becomes }: Stage) => {
  let isDone = false
  const ends: (() => void)[] = []
  const done = { status: 'completed', result: { content: [{ type: 'text', text: 'done' }] } }
  const server = await taskServer({ teardown: (end: () => void) => void ends.push(end) } as never, () =>
    isDone ? done : {},
  )
  const tool_mcp_config = { s: { url: server.url } }
  const id = await begins({
    agent_config: { ...script({ tool: 's__slow' }, { message: '$result' }), tool_mcp_config },
  })
  await until(() => server.of('tasks/get').length > 0)
  return {
    finish: async (): Promise<void> => {
      isDone = true
      await becomes(id, 'completed')
      for (const end of ends) end()
    },
  }
}

/** What is under way when the server is killed. */
export const playUnderWay = async (stage: Stage) => {
  const { begins, becomes, stream, file, hasBegun } = stage
  const waits = (name: string) =>
    begins({
      agent_config: withMcp(
        { tool: 'tools__wait', arguments: { file: file(name) } },
        { message: 'then $result' },
      ),
    })
  const ids = { again: await waits('again'), given: await waits('given'), unknown: await waits('unknown') }
  await begins({
    agent_config: withMcp({ tool: 'tools__look', arguments: { file: file('look') } }, { message: 'then' }),
  })
  for (const name of ['again', 'given', 'unknown', 'look']) await hasBegun(name)
  const secret = await begins({ agent_config: script({ pause: 'tea' }, { message: 'x' }), env: { A: 'b' } })
  await becomes(secret, 'paused')
  const said = { message: 'one two three four five six', delta_ms: 200 }
  const spoken = await stream({ agent_config: script({ reasoning: 'first' }, said, { message: 'and done' }) })
  await spoken.until(frames => frames.filter(({ type }) => type === 'task.text.delta').length > 1)
  return { ...ids, secret, outside: await playServerTask(stage) }
}

/** The same after the kill: one runs once more, one is given its result, one stays as it is. */
export const playAfterKill = async (
  { act, becomes, get, answer, hasBegun }: Stage,
  { again, given, unknown, outside }: Awaited<ReturnType<typeof playUnderWay>>,
): Promise<void> => {
  await outside.finish()
  for (const id of [again, given, unknown]) await becomes(id, 'paused')
  const { metadata } = await get(given)
  const { call_id } = (metadata as { effect: { call_id: string } }).effect
  await answer(given, { call_id, message_content: 'it was done by hand' })
  await act(given, 'resume')
  await becomes(given, 'completed')
  await act(again, 'resume')
  await hasBegun('again')
  await act(again, 'cancel')
}
