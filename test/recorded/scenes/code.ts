// Tasks whose agents are code of users: files in AGENT_PATH, and a worker. In the end none of them is under way.
import { rmSync, writeFileSync } from 'node:fs'
import { worker } from '../../../library/agent/worker.ts'
import type { Answer } from '../../../src/fake-model/answer.ts'
import type { AgentTask } from '../../http/agent-tasks.ts'
import { pause, until } from '../../support/http.ts'
import type { Stage } from './stage.ts'

const gone = `export default async ctx => 'gone and here: ' + await ctx.ask('colour')`

/** The files of the folder with agents. */
export const agentFiles: Record<string, string> = {
  'worker.mjs': `import { agent } from 'reprise/agent'
export default agent(async ctx => {
  ctx.think('A sum first.')
  const sum = await ctx.tool('calculator', { expression: '6*7' })
  ctx.say('It is ' + sum + '.')
  const none = await ctx.tool('nobody').catch(error => error.message)
  const late = await ctx.ask('colour', { of: 'sky' }, { timeout: 50 }).catch(error => error.kind)
  const child = await ctx.agent('echo', 'say this')
  const done = await ctx.run('note', () => 'noted')
  const failed = await ctx.run('fail', () => { throw new RangeError('not today') }).catch(error => error.message)
  await Promise.race([ctx.sleep(20), ctx.sleep(3_600_000)])
  const message = await ctx.message()
  const answer = await ctx.ask('sure')
  return { sum, none, late, child, done, failed, said: message.text, answer }
}, { description: 'Does a bit of everything.', parameters: { type: 'object' } })
`,
  'fails.mjs': `export default async () => { throw new TypeError('no such order') }`,
  'gone.mjs': gone,
  'asks.mjs': `export default ctx => ctx.agent('echo', 'say this')`,
  'thinks.mjs': `export default async ctx => {
  const loud = await ctx.model('Say hello.', { tools: ['calculator'] })
  const quiet = await ctx.model('Whisper.', { silent: true })
  const wrong = await ctx.model('Fail.').catch(error => error.message)
  return [loud, quiet, wrong].join(' | ')
}
`,
  'talks.mjs': `export default async ctx => ctx.model('Talk for long.')`,
  'lights.mjs': `import { createMachine } from 'xstate'
export default createMachine({
  id: 'lights', initial: 'red', context: { turns: 0 },
  states: {
    red: { on: { go: 'green' } },
    green: { after: { 20: 'yellow' } },
    yellow: { invoke: { src: 'tool:calculator', input: { expression: '1+1' }, onDone: 'off' } },
    off: { type: 'final' },
  },
  output: 'the lights are off',
})
`,
}

/** What the model answers, in the order in which `playModelCalls` asks. */
export const codeAnswers: Answer[] = [
  { text: 'Hello.', tool_calls: [{ name: 'calculator', arguments: { expression: '2+3' } }], logprobs: true },
  { text: 'Hello, five.', token_ids: true },
  { text: 'psst' },
  { error: { status: 400, message: 'no such model' } },
  { text: 'one two three four five six seven eight', token_ms: 400 },
]

/** The call that waits for the client. */
const pending = ({ input_required }: AgentTask) => String(input_required?.call_id)

/** Calls of models by code, one of them cut by a cancel. */
export const playModelCalls = async ({ post, stream, act }: Stage): Promise<void> => {
  await post({ agent_config: { agent_id: 'thinks' }, return_rollout: true })
  const talk = await stream({ agent_config: { agent_id: 'talks' } })
  await talk.until(frames => frames.filter(({ type }) => type === 'task.text.delta').length > 1)
  await act(talk.frames()[0]?.task_id as string, 'cancel')
}

export const playCode = async (stage: Stage): Promise<void> => {
  const { begins, becomes, answer, act, get, frames, must, file, url } = stage
  const all = await begins({ agent_config: { agent_id: 'worker' } })
  await becomes(all, 'input-required')
  await until(async () => (await get(all)).output.filter(({ type }) => type === 'tool_result').length > 3)
  await act(all, 'messages', { content: 'good morning' })
  await until(async () => (await get(all)).input_required?.name === 'sure')
  await answer(all, { call_id: pending(await get(all)), message_content: 'yes' })
  await becomes(all, 'completed')
  await act(all, 'fork', { at: (await frames(all)).length - 1 })
  await becomes(await begins({ agent_config: { agent_id: 'fails' } }), 'failed')

  const asks = await begins({ agent_config: { agent_id: 'asks', approve: ['agent:*'] } })
  const asked = await becomes(asks, 'input-required')
  await act(asks, 'approvals', { call_id: pending(asked), decision: 'approve' })
  await becomes(asks, 'completed')

  const lights = await begins({ agent_config: { agent_id: 'lights' } })
  await until(async () => (await get(lights)).status === 'working')
  await pause(500)
  await act(lights, 'messages', { event: { type: 'go' } })
  await becomes(lights, 'completed')

  const away = await becomes(await begins({ agent_config: { agent_id: 'gone' } }), 'input-required')
  rmSync(file('agents/gone.mjs'))
  await pause(1500)
  await answer(away.id, { call_id: pending(away), message_content: 'blue' })
  await until(async () => (await get(away.id)).metadata?.waiting_for === 'worker')
  writeFileSync(file('agents/gone.mjs'), gone)
  await becomes(away.id, 'completed')

  const { token = '' } = (await must('POST', '/auth/tokens', { role: 'worker' })) as Record<string, string>
  const connect = () =>
    worker({ url: url(), token, agents: { remote: async () => 'from afar' }, version: '7', signals: false })
  const first = await connect()
  await becomes(await begins({ agent_config: { agent_id: 'remote' } }), 'completed')
  await first.stop()
  type Listed = { data: { name: string; workers?: number }[] }
  await until(async () => {
    const { data } = (await must('GET', '/agents')) as unknown as Listed
    return data.find(({ name }) => name === 'remote')?.workers === 0
  })
  const waits = await begins({ agent_config: { agent_id: 'remote' } })
  await until(async () => (await get(waits)).metadata?.waiting_for === 'worker')
  const second = await connect()
  await becomes(waits, 'completed')
  await second.stop()

  const forZoe = { role: 'worker', user_id: 'zoe' }
  const { token: own = '' } = (await must('POST', '/auth/tokens', forZoe)) as Record<string, string>
  const agents = { 'of-zoe': async () => 'for me alone' }
  const zoes = await worker({ url: url(), token: own, agents, version: '1', signals: false })
  await becomes(await begins({ user_id: 'zoe', agent_config: { agent_id: 'of-zoe' } }), 'completed')
  await zoes.stop()
}
