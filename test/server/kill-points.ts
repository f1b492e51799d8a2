// A client with patience and a server that is killed at a named point: a file that lines are appended to tells how
// often a call really happened. Used by kill-points.test.ts and by the soak test.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'

import { type Api, adminToken, apiOf } from '../support/server.ts'
import type { Order } from './kill-points-entry.ts'
import { ask, framesOf, isEnded, Refused, sleep } from './wire.ts'

type Item = { type: string; name?: string; call_id?: string }
type Task = {
  id: string
  status: string
  session_id: string
  output: Item[]
  metadata?: {
    reason?: string
    parent_task_id?: string
    continued_by?: string
    effect?: { effect_id: string; call_id: string; name: string }
    pending_inputs?: { call_id: string }[]
  }
}
const root = path.resolve(import.meta.dirname, '../..')

/** The entry and its threads, bundled below a folder of this repository: it starts in a third of the time. */
export const builtEntry = async (folder: string): Promise<string> => {
  copyFileSync(path.join(root, 'package.json'), path.join(folder, 'package.json'))
  await build({
    entryPoints: {
      entry: 'test/server/kill-points-entry.ts',
      'checkpoint-thread': 'src/platform/sqlite/checkpoint-thread.ts',
      'rewrite-thread': 'src/platform/sqlite/rewrite-thread.ts',
      'tree-thread': 'src/proof/store/tree-thread.ts',
      'writer-thread': 'src/log/file/writer-thread.ts',
      'schema-thread': 'src/json-schema/schema-thread.ts',
      'workshop-process': 'src/tools/workshop-process.ts',
      'search-thread': 'src/tools/search-thread.ts',
      'javascript-thread': 'src/tools/javascript-thread.ts',
    },
    absWorkingDir: root,
    outdir: path.join(folder, 'bundle/one'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node22',
    logLevel: 'silent',
  })
  return path.join(folder, 'bundle/one/entry.mjs')
}

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** A server that is started again whenever it dies; `orders`: what each one is told at its start. */
export const mortalServer = (entry: string, dataDir: string, orders: () => Order = () => undefined) => {
  let child: ChildProcess
  let stopping = false
  let deaths = 0
  let errors = ''
  const start = async (): Promise<Api> => {
    const env = {
      PATH: process.env.PATH,
      PORT: '0',
      ADMIN_TOKEN: adminToken,
      DATA_DIR: dataDir,
      LOG_LEVEL: 'warn',
    }
    child = fork(entry, [], {
      env,
      execArgv: [],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    const mine = child
    running.add(mine)
    mine.stderr?.on('data', chunk => (errors += chunk))
    const gone = once(mine, 'exit')
    void gone.then(() => {
      running.delete(mine)
      if (stopping) return
      deaths++
      up = start()
    })
    const said = await Promise.race([once(mine, 'message'), gone.then(() => undefined)])
    if (said === undefined) throw new Error(`the server did not start: ${errors}`)
    const order = orders()
    if (order !== undefined) mine.send(order)
    return apiOf((said[0] as { url: string }).url)
  }
  let up = start()
  return {
    api: () => up,
    deaths: () => deaths,
    errors: () => errors,
    kill: () => void child.kill('SIGKILL'),
    /** From now on it obeys; the answer comes when it has heard. */
    async arm(order: Order) {
      await up
      child.send(order ?? {})
      await once(child, 'message')
    },
    async stop() {
      stopping = true
      await up.catch(() => {})
      const over = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
      child.kill('SIGKILL')
      await over
    },
  }
}
export type MortalServer = ReturnType<typeof mortalServer>

export type AnswerWay = 'input' | 'same task' | 'elsewhere'
export type Round = {
  name: string
  /** What is done besides: the task is canceled while its child works, or its client answers. */
  does: { cancel: true } | { answer: AnswerWay }
  person: 'resume' | 'result'
}

const line = 'once\n'
const append = (file: string) => ({
  tool: 'write_file',
  arguments: { path: file, content: line, append: true },
})
const scriptOf = ({ does }: Round) => {
  const child = [
    { ...append('child.txt') },
    ...('cancel' in does ? [{ sleep_ms: 60_000 }] : [{ message: 'mine' }]),
  ]
  return [
    {
      tools: [
        append('own.txt'),
        { tool: 'calculator', arguments: { expression: '6 * 7' } },
        { tool: 'write_file', arguments: { path: 'whole.txt', content: 'whole' } },
        { tool: 'agent_script', arguments: { input: JSON.stringify(child) } },
      ],
    },
    { tool: 'ask', arguments: {} },
    append('last.txt'),
    { message: 'done' },
  ]
}

/** Plays a round to its end, however often the server dies; the answer: what was wrong. */
export const playRound = async (server: MortalServer, dataDir: string, round: Round): Promise<string[]> => {
  const { name, does, person } = round
  const problems: string[] = []
  const folder = path.join(dataDir, 'workspace/default', name)
  const linesOf = (file: string) => {
    const at = path.join(folder, file)
    return existsSync(at) ? readFileSync(at, 'utf8').split('\n').length - 1 : 0
  }
  const files = ['own.txt', 'child.txt', 'last.txt']
  let asked = 0

  /** Calls until there is an answer. */
  const insist = async <T>(call: (api: Api) => Promise<T>): Promise<T> => {
    for (let n = 0; n < 500; n++) {
      const api = await server.api()
      try {
        return await call(api)
      } catch (error) {
        if (error instanceof Refused) throw error
        await sleep(10)
      }
    }
    throw new Error(`${name}: no answer: ${server.errors()}`)
  }
  const post = (where: string, body?: object, headers?: Record<string, string>) =>
    insist(api => ask<Task>(api, 'POST', where, body, headers))
  const body = { session_id: name, workspace_dir: name }
  const client_tools = [{ type: 'function', function: { name: 'ask', parameters: {} } }]

  const create = (script: object[], more: object, key: string) =>
    insist(async api => {
      const given = {
        user_message_content: 'play',
        background: true,
        agent_config: { agent_id: 'script', script },
      }
      const all = { stream: false, ...given, ...body, ...more }
      return (
        await ask<{ result: Task }>(api, 'POST', '/tasks', all, key === '' ? {} : { 'idempotency-key': key })
      ).result
    })
  const tasks = () =>
    insist(async api => {
      const { result } = await ask<{ result: Task[] }>(api, 'GET', '/tasks?include_subtasks=true&limit=100')
      return result.filter(task => task.session_id === name).reverse()
    })

  const answer = async (task: Task) => {
    const way = 'answer' in does ? does.answer : 'input'
    const calls = task.metadata?.pending_inputs ?? []
    const results = calls.map(({ call_id }) => ({ call_id, message_content: 'yes' }))
    if (way === 'input') return post(`/tasks/${task.id}/input`, { tool_results: results })
    const history_messages = results.map(result => ({ type: 'tool_result', block_list: [], ...result }))
    if (way === 'same task') return create([], { task_id: task.id, history_messages }, '')
    return create([append('last.txt')], { history_messages }, `${name}-2`)
  }
  const lookedInto = async (task: Task) => {
    const effect = task.metadata?.effect
    if (effect === undefined) return problems.push(`${task.id}: no effect is named`)
    if (person === 'resume') {
      return insist(api => {
        asked++ // each may be the one that counts
        return ask<Task>(api, 'POST', `/tasks/${task.id}/resume`)
      })
    }
    asked++
    const tool_results = [{ call_id: effect.call_id, message_content: 'I looked' }]
    await post(`/tasks/${task.id}/input`, { tool_results })
    return post(`/tasks/${task.id}/input`, { tool_results })
  }

  const first = await create(scriptOf(round), { client_tools }, name)
  for (let turns = 0; ; turns++) {
    const mine = await tasks()
    if (mine.every(task => isEnded(task as never))) break
    if (turns > 1500) {
      problems.push(`did not end: ${mine.map(task => `${task.id} ${task.status}`).join(', ')}`)
      break
    }
    for (const task of mine) {
      if (asked === 0) for (const file of files) if (linesOf(file) > 1) problems.push(`${file} twice`)
      if (task.status === 'input-required') await answer(task)
      if (task.status === 'paused') {
        if (task.metadata?.reason !== 'outcome_unknown') problems.push(`paused: ${task.metadata?.reason}`)
        await lookedInto(task)
      }
    }
    const isResult = ({ type }: Item) => type === 'tool_result'
    const isChildAtWork = mine.some(
      ({ metadata, output }) => metadata?.parent_task_id && output.some(isResult),
    )
    if ('cancel' in does && isChildAtWork) await post(`/tasks/${first.id}/cancel`)
    await sleep(10)
  }

  const all = await tasks()
  const expected = 'cancel' in does ? 'canceled' : 'completed'
  const wanted = 'answer' in does && does.answer === 'elsewhere' ? 3 : 2
  if (all.length !== wanted) problems.push(`${all.length} tasks`)
  for (const task of all) {
    if (task.status !== expected) problems.push(`${task.id} is ${task.status}`)
    const replay = await insist(api =>
      ask<{ matches: boolean; mismatches: unknown }>(api, 'POST', `/tasks/${task.id}/replay`),
    )
    if (!replay.matches) problems.push(`replay of ${task.id}: ${JSON.stringify(replay.mismatches)}`)
    const numbers = (await insist(api => framesOf(api, task.id))).map(frame => frame.sequence_number)
    if (numbers.some((number, index) => number !== index)) problems.push(`frames of ${task.id}: ${numbers}`)
  }
  const most = person === 'resume' ? 1 + asked : 1
  for (const file of files) {
    const lines = linesOf(file)
    if (lines > most) problems.push(`${file} has ${lines} lines`)
    if (expected === 'completed' && asked === 0 && lines !== 1) problems.push(`${file} has ${lines} lines`)
  }
  return problems.map(problem => `${name}: ${problem}`)
}
