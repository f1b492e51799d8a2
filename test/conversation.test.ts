// The conversation of docs/conversation, played again: the documents show what really comes.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import type { Answer } from '../src/fake-model/answer.ts'
import { atifProblems } from './history/atif-problems.ts'
import { lawful } from './http/lawful.ts'
import { fakeModel } from './support/fake-model.ts'
import { serveHere } from './support/server.ts'
import { type Frame, framesOf } from './support/sse.ts'
import { spansOf } from './telemetry/collector.ts'

const root = path.resolve(import.meta.dirname, '..')
const textIn = (file: string): string => readFileSync(path.join(root, file), 'utf8')
const example = (file: string) => JSON.parse(textIn(`examples/conversation/${file}`))
const rewrite = process.env.REWRITE === '1'

/** Deltas are cut as they happen to come: those that follow one another are one. */
const joined = (frames: Frame[]): object[] => {
  const told: (Frame & { delta?: string })[] = []
  for (const { sequence_number: _, ...frame } of frames) {
    const last = told.at(-1)
    if (last?.type === frame.type && last.item_id === frame.item_id && last.delta !== undefined) {
      last.delta += String(frame.delta)
    } else told.push({ ...frame } as Frame)
  }
  return told
}
/** The same for every run: ids by their kind, no times, no numbers of events, and lists in an order of their own. */
const steady = (value: unknown): unknown => {
  if (Array.isArray(value))
    return value.map(steady).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  if (typeof value === 'string') return steadyText(value)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(
        ([key]) =>
          !/^(position|sequence_number|created_at|expires_at|start|end|timestamp|provider_call_ids)$/.test(
            key,
          ),
      )
      .map(([key, inner]) => [steadyText(key), /digest|Id$/.test(key) ? '…' : steady(inner)]),
  )
}
const steadyText = (text: string): string =>
  text
    .replace(/([a-z]+)_[0-9a-f]{32}/g, '$1_…')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'then')
    .replace(/"[^"]*\/default\/[^"]*"|\/\S*\/workspace\S*/g, '…')

t.test(
  'a conversation with three tools, an MCP server and a subagent leaves what the documents show',
  async t => {
    const model = await fakeModel(t, example('model.json') as Answer[])
    const mcp = example('mcp.json')
    const config = path.join(t.testdir(), 'mcp.json')
    const weather = { command: process.execPath, args: [path.join(root, mcp.mcpServers.weather.args[0])] }
    writeFileSync(config, JSON.stringify({ mcpServers: { weather } }))
    const { api, system } = await serveHere(t, { ...model.env, MODEL: 'fake', MCP_CONFIG: config })

    const stream = await (await api('POST', '/tasks', example('task.json'))).text()
    const frames = framesOf(stream)
    t.same(lawful(frames), [])
    t.equal(frames.at(-1)?.type, 'task.completed')
    const get = async (query = '') => (await api('GET', `/tasks/conversation/rollouts${query}`)).json()
    const { result: rollouts } = (await get()) as { result: object[] }
    const trajectory = await get('?format=atif')
    t.same(atifProblems(trajectory), [])
    const trace = await spansOf(system.log)

    const shown = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`
    const documents: [name: string, text: string, compared: (text: string) => unknown][] = [
      ['stream.txt', stream, text => joined(framesOf(text))],
      ['rollouts.json', shown(rollouts), JSON.parse],
      ['trajectory.json', shown(trajectory), JSON.parse],
      ['trace.json', shown(trace), JSON.parse],
    ]
    for (const [name, text, compared] of documents) {
      const file = path.join('docs/conversation', name)
      if (rewrite) writeFileSync(path.join(root, file), text)
      t.same(steady(compared(text)), steady(compared(textIn(file))), name)
      t.notMatch(textIn(file), /sk-secret|\/tmp\//, 'nothing of the machine is in it')
    }
  },
)
