// Every recorded history is told as a lawful ATIF document; and the check finds out what is none.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import type { Recorded } from '../../src/contract/stored.ts'
import { taskStream } from '../../src/contract/task-stream.ts'
import { atifOf } from '../../src/history/atif/atif.ts'
import type { Trajectory } from '../../src/history/atif/format.ts'
import { decode } from '../../src/log/decode.ts'
import { atifProblems } from './atif-problems.ts'
import { played } from './atif-told.ts'
import { readHistory } from './stored.ts'

const folder = path.join(import.meta.dirname, '../histories')
for (const file of readdirSync(folder).filter(name => name.endsWith('.ndjson'))) {
  t.test(`${file} is told as a lawful document`, async t => {
    const { rows, expected } = readHistory(readFileSync(path.join(folder, file), 'utf8'))
    const events = rows.map(row => decode(row))
    const read = async function* (stream: string): AsyncGenerator<Recorded[]> {
      yield events.filter(({ header }) => header.stream === stream)
    }
    const document = await atifOf(read, taskStream(expected.task.id))
    t.same(atifProblems(document), [])
    t.match(document, { trajectory_id: expected.task.id, extra: { status: expected.task.status } })
    const ends = events.filter(({ header }) => header.type === 'AgentStepCompleted')
    const own = document.steps.filter(({ extra }) => extra?.agent_step !== undefined)
    t.equal(own.length, ends.length, 'one step for each that completed')
    const calls = expected.task.output.filter(
      item => item.type === 'tool_call' && item.status === 'completed',
    )
    t.equal(own.flatMap(({ tool_calls = [] }) => tool_calls).length, calls.length)
    const results = expected.task.output.filter(({ type }) => type === 'tool_result')
    t.equal(own.flatMap(({ observation }) => observation?.results ?? []).length, results.length)
  })
}

t.test('what is no document of the format is found out', async t => {
  const { document } = await played(t, [
    { subagent: 'echo', input: 'x' },
    { tools: [{ tool: 'count' }] },
    { usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } },
  ])
  const wrong: [string, (changed: Trajectory & Record<string, unknown>) => void][] = [
    ['another version', one => Object.assign(one, { schema_version: 'ATIF-v1.8' })],
    ['an unknown key', one => Object.assign(one, { reward: 1 })],
    ['an unknown key in a step', one => Object.assign(one.steps[0] ?? {}, { role: 'user' })],
    ['an unknown key in metrics', one => Object.assign(one.steps[3]?.metrics ?? {}, { reward: 1 })],
    ['no steps', one => Object.assign(one, { steps: [], final_metrics: { total_steps: 0 } })],
    ['a step too few', one => void one.steps.splice(1, 1)],
    ['metrics of a user', one => Object.assign(one.steps[0] ?? {}, { metrics: {} })],
    ['metrics without a call', one => Object.assign(one.steps[3] ?? {}, { llm_call_count: 0 })],
    [
      'a result of another step',
      one => Object.assign(one.steps[2] ?? {}, { observation: one.steps[1]?.observation }),
    ],
    ['arguments as text', one => Object.assign(one.steps[2]?.tool_calls?.[0] ?? {}, { arguments: '{}' })],
    ['a time that is none', one => Object.assign(one.steps[0] ?? {}, { timestamp: '2026-13-01T00:00:00Z' })],
    ['audio', one => Object.assign(one.steps[0] ?? {}, { message: [{ type: 'audio' }] })],
    [
      'a subagent without a name',
      one => Object.assign(one.subagent_trajectories?.[0] ?? {}, { trajectory_id: undefined }),
    ],
    ['a subagent that is not there', one => delete one.subagent_trajectories],
    ['a subagent twice', one => void one.subagent_trajectories?.push(...one.subagent_trajectories)],
    ['a miscount', one => Object.assign(one.final_metrics, { total_steps: 1 })],
  ]
  for (const [what, change] of wrong) {
    const changed = JSON.parse(JSON.stringify(document))
    change(changed)
    t.not(atifProblems(changed).length, 0, what)
  }
})
