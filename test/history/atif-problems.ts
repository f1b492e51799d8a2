// Why a value is no ATIF 1.7 document: the schema of its models, and what their own code checks besides.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Trajectory } from '../../src/history/atif/format.ts'
import { trusted } from '../../src/json-schema/checker.ts'

const schema = JSON.parse(readFileSync(path.join(import.meta.dirname, 'atif.schema.json'), 'utf8'))
const check = trusted(schema)

const repeated = (values: (string | undefined)[]) => values.filter((value, n) => values.indexOf(value) !== n)

const tellings = ({ steps, subagent_trajectories = [], final_metrics }: Trajectory): string[] => {
  const problems: string[] = []
  const embedded = subagent_trajectories.map(({ trajectory_id }) => trajectory_id)
  for (const twice of repeated(embedded)) problems.push(`two subagents are ${twice}`)
  for (const [n, step] of steps.entries()) {
    const { step_id, timestamp, tool_calls = [], observation, metrics = {} } = step
    if (step_id !== n + 1) problems.push(`step ${step_id} is number ${n + 1}`)
    if (timestamp !== undefined && Number.isNaN(Date.parse(timestamp)))
      problems.push(`${timestamp} is no time`)
    const calls = tool_calls.map(call => call.tool_call_id)
    for (const twice of repeated(calls)) problems.push(`step ${step_id} has two calls ${twice}`)
    for (const { source_call_id: id, subagent_trajectory_ref: refs = [] } of observation?.results ?? []) {
      if (id !== undefined && !calls.includes(id)) problems.push(`step ${step_id} has no call ${id}`)
      for (const ref of refs) {
        if (!embedded.includes(ref.trajectory_id)) problems.push(`there is no subagent ${ref.trajectory_id}`)
      }
    }
    const { logprobs, completion_token_ids: ids } = metrics
    if (logprobs && ids && logprobs.length !== ids.length)
      problems.push(`step ${step_id}: tokens do not align`)
  }
  if (final_metrics.total_steps !== steps.length) problems.push(`${steps.length} steps are not as counted`)
  return [...problems, ...subagent_trajectories.flatMap(tellings)]
}

/** Empty for a document as it should be. */
export const atifProblems = (value: unknown): string[] => {
  const document: unknown = JSON.parse(JSON.stringify(value))
  const verdict = check(document)
  return verdict.ok ? tellings(document as Trajectory) : verdict.problems
}
