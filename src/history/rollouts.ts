// Makes the rollouts of a task and of its subagents from the log, again at each request.
import { taskEvents } from '../contract/decoders/task.ts'
import { isCodeCall } from './code-call.ts'
import { firstSeen, type ReadStream, type Seen } from './context.ts'
import { type EnvStep, envStepsAt } from './env-steps.ts'
import { type Rollout, rolloutOf, rolloutOfCall } from './rollout.ts'
import { type Survey, surveysOf, type Taken, type Wanted } from './rollout-survey.ts'
import { emptyTask, evolve } from './task-view.ts'
import { toolListReader } from './tool-lists.ts'

/** The calls that an answer of a model asks for. */
const callsIn = (messages: unknown[]): Set<string> =>
  new Set(
    (messages as { tool_calls?: { id: string }[] }[]).flatMap(({ tool_calls = [] }) =>
      tool_calls.map(({ id }) => id),
    ),
  )

type TakenStep = EnvStep & Pick<Taken, 'agentStep'>

/** The environment steps that the calls of a task took. */
const envStepsOf = async (read: ReadStream, taken: Taken[]): Promise<TakenStep[]> => {
  const found: TakenStep[] = []
  for (const stream of new Set(taken.map(({ stream }) => stream))) {
    const here = taken.filter(one => one.stream === stream)
    const steps = await envStepsAt(read, stream, new Set(here.map(({ revision }) => revision)))
    for (const { agentStep, callId, revision } of here) {
      const step = steps.get(revision)
      if (step === undefined) continue
      found.push({ ...step, call_id: callId, agentStep })
    }
  }
  return found
}

/** The rollouts of one stream after a position, oldest first. Each is made when the reader takes it. */
async function* entriesOf(read: ReadStream, survey: Survey, after: number): AsyncGenerator<Rollout> {
  const { stream, upTo, summaries, ends, reward } = survey
  const view = emptyTask()
  const toolsOf = toolListReader(read)
  const envSteps = await envStepsOf(read, survey.taken)
  const stepsOf = ({ step, output_messages }: Rollout): EnvStep[] => {
    const asked = view.agentVersion === undefined ? undefined : callsIn(output_messages)
    return envSteps
      .filter(one => asked?.has(one.call_id) ?? one.agentStep === step)
      .map(({ agentStep: _, ...one }) => one)
  }
  // The reward stands at the last entry that is shown. A hidden summary may come after it.
  const last = ends.findLast(({ isSummary }) => summaries || !isSummary)?.position
  let first: Seen | undefined
  /** Adds what other events than the end of the step tell. */
  const complete = (entry: Rollout): Rollout => {
    if (entry.position === last && reward !== undefined) entry.reward = reward
    const steps = stepsOf(entry)
    return steps.length === 0 ? entry : { ...entry, env_steps: steps }
  }
  for await (const page of read(stream)) {
    for (const stored of page) {
      if (stored.header.revision > upTo) return
      const event = taskEvents.read(stored)
      if (isCodeCall(event) && event.position > after) {
        const { model } = event.data
        yield complete(rolloutOfCall(view, event, await toolsOf(model?.tools)))
      }
      if (event.type === 'AgentStepCompleted' && view.agentVersion === undefined) {
        first ??= await firstSeen(read, view)
        if (event.position > after && (summaries || event.data.compressed === undefined)) {
          yield complete(rolloutOf(view, event, first, await toolsOf(view.toolList)))
        }
      }
      evolve(view, event)
    }
  }
}

/**
 * The most streams that are read at the same time. The folds of further streams are made again when they are needed.
 */
const readAtOnce = 8

type Place = { position: number; stream: string }

/** The rollouts at these places, in order. `open` returns the rollouts of a stream after a position, oldest first. */
export async function* inOrder(
  places: Place[],
  open: (stream: string, after: number) => AsyncGenerator<Rollout>,
): AsyncGenerator<Rollout> {
  const lastOf = new Map(places.map(({ stream, position }) => [stream, position]))
  const readers = new Map<string, AsyncGenerator<Rollout>>()
  const close = async (stream: string) => {
    const reader = readers.get(stream)
    readers.delete(stream)
    await reader?.return(undefined)
  }
  try {
    for (const { position, stream } of places) {
      const reader = readers.get(stream) ?? open(stream, position - 1)
      readers.delete(stream)
      readers.set(stream, reader)
      const [oldest] = readers.keys()
      if (readers.size > readAtOnce && oldest !== undefined) await close(oldest)
      const next = await reader.next()
      if (!next.done) yield next.value
      if (lastOf.get(stream) === position) await close(stream)
    }
  } finally {
    for (const stream of [...readers.keys()]) await close(stream)
  }
}

/**
 * The wanted rollouts, oldest first. Each is made when the reader takes it, since each repeats its whole context.
 */
export async function* rolloutsOf(
  read: ReadStream,
  stream: string,
  wanted: Wanted = {},
): AsyncGenerator<Rollout> {
  const { after = 0 } = wanted
  const surveys = new Map((await surveysOf(read, stream, wanted)).map(survey => [survey.stream, survey]))
  const places = [...surveys.values()].flatMap(({ stream, ends, summaries }) =>
    ends
      .filter(({ position, isSummary }) => position > after && (summaries || !isSummary))
      .map(({ position }) => ({ position, stream })),
  )
  places.sort((a, b) => a.position - b.position)
  yield* inOrder(places, (stream, after) => entriesOf(read, surveys.get(stream) as Survey, after))
}
