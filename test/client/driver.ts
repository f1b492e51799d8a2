// Tells the client for TypeScript what a case says, and gives back what it gave. driver.py does the same for Python.
import {
  NotCompleted,
  Reprise,
  RepriseError,
  type Run,
  type Task,
  textOf,
} from '../../library/client/index.ts'
import type { Does } from './behaviours.ts'

type Outcome = Record<string, unknown>

const parentsOf = (error: Error): string[] => {
  const names: string[] = []
  for (
    let made = Object.getPrototypeOf(error.constructor);
    made?.name && made !== Error;
    made = Object.getPrototypeOf(made)
  )
    names.push(made.name)
  return names
}
const shown = (error: unknown): Outcome => {
  if (!(error instanceof RepriseError)) throw error
  const { name, message, status, code, hint, docs, data, problems, requestId } = error
  const parents = parentsOf(error)
  return { class: name, parents, message, status, code, hint, docs, data, problems, request_id: requestId }
}
const camel = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
const methodOf = (reprise: Reprise, name: string): ((...args: unknown[]) => unknown) => {
  const [group = '', method = ''] = name.split('.')
  const found = (reprise as unknown as Record<string, Record<string, (...args: unknown[]) => unknown>>)[
    group
  ]?.[camel(method)]
  if (found === undefined) throw new Error(`the client has no ${name}`)
  return found
}

type Leaves = { leave?: number; and_then?: 'result'; beside?: true }
const runs = async (run: Run, { leave, and_then, beside }: Leaves, outcome: Outcome): Promise<void> => {
  const frames: number[] = []
  const deltas: string[] = []
  outcome.frames = frames
  outcome.deltas = deltas
  let asked: Promise<Task> | undefined
  try {
    for await (const frame of run) {
      if (beside) asked ??= run.result()
      frames.push(frame.sequence_number)
      if (frame.type === 'task.text.delta') deltas.push(frame.delta)
      if (frames.length === leave && and_then === undefined) return
      if (frames.length === leave) break
    }
  } catch (error) {
    if (and_then === undefined) throw error
  }
  const task = await run.result()
  outcome.status = task.status
  outcome.beside = (await asked)?.status
  outcome.text = textOf(task)
  if ((await run.text()) !== outcome.text) throw new NotCompleted(task)
}

export const drive = async (url: string, does: Does): Promise<Outcome> => {
  const warnings: string[] = []
  const called: string[] = []
  const outcome: Outcome = { called, warnings }
  const { patience, strict } = does
  const reprise = new Reprise({
    baseUrl: `${url}/v1/`,
    token: does.token ?? 'secret',
    patience: (patience ?? 10) * 1000,
    strict,
    onWarning: warning => warnings.push(warning),
  })
  try {
    if ('run' in does || 'follow' in does) {
      const made = Object.entries(does.tools ?? {}).map(([name, tool]) => [
        name,
        (args: unknown) => {
          called.push(`${name} ${JSON.stringify(args)}`)
          if ('raises' in tool) throw new Error(tool.raises)
          return tool.returns
        },
      ])
      const tools = Object.fromEntries(made)
      if ('follow' in does) {
        const { follow, after, until_end } = does
        await runs(reprise.tasks.follow(follow, { after, untilEnd: until_end, tools }), {}, outcome)
        return outcome
      }
      const approve = (call: { name: string; arguments: unknown }) => {
        called.push(`approve ${call.name} ${JSON.stringify(call.arguments)}`)
        return does.approve as boolean
      }
      const options = { tools, ...(does.approve === undefined ? {} : { approve }) }
      await runs(reprise.run(does.run as { user_message_content: string }, options), does, outcome)
    } else if ('call' in does) {
      for (let n = does.again ? 0 : 1; n < 2; n++)
        outcome.value = await methodOf(reprise, does.call)(...does.args)
    } else if ('request' in does) {
      outcome.value = await reprise.request(does.request as Parameters<Reprise['request']>[0])
    } else if ('list' in does) {
      const ids: string[] = []
      const list = methodOf(reprise, does.list)(does.query) as AsyncIterable<{
        id?: string
        session_id: string
      }>
      for await (const { id, session_id } of list) ids.push(id ?? session_id)
      outcome.ids = ids
    } else {
      const positions: number[] = []
      const stored: number[] = []
      const { store, take } = does
      Object.assign(outcome, { positions, stored })
      const kept = { get: () => store?.kept as number, set: (position: number) => stored.push(position) }
      for await (const { position } of reprise.events({ ...does.events, ...(store && { store: kept }) }))
        if (positions.push(position) === take) break
    }
  } catch (error) {
    outcome.error = shown(error)
  }
  return outcome
}
