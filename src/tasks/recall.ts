// Reads a task's own history from the log: the task at an earlier moment, its rollouts, and whether the log still
// agrees with the read models.

import type { CompletedStep } from '../../projections/tasks/steps.ts'
import type { StoredTask } from '../../projections/tasks/stored.ts'
import type { UnwrittenRow } from '../../projections/tasks/unwritten.ts'
import type { PlacedTask } from '../contract/charts/machines.ts'
import { stateAfter } from '../contract/charts/task-state.ts'
import { taskEvents } from '../contract/decoders/task.ts'
import type { StoredMachine } from '../contract/events/task-events.ts'
import type { Clock } from '../contract/ports.ts'
import type { Difference, Replay } from '../contract/responses.ts'
import { ErasedEvent, type Log, type Recorded } from '../contract/stored.ts'
import { taskStream } from '../contract/task-stream.ts'
import { isTerminal } from '../contract/wire.ts'
import { localPause, type Pause, readWithPauses } from '../fairness/slices.ts'
import { atifOf } from '../history/atif/atif.ts'
import { textsOf as atifTexts } from '../history/atif/text.ts'
import type { ReadStream } from '../history/context.ts'
import { compare } from '../history/diff/compare.ts'
import { createRenderer } from '../history/frame-renderer.ts'
import type { Rollout } from '../history/rollout.ts'
import { createDeltas } from '../history/rollout-delta.ts'
import type { Wanted } from '../history/rollout-survey.ts'
import { inOrder, rolloutsOf } from '../history/rollouts.ts'
import { withChart } from '../history/task/journal.ts'
import { taskOf } from '../history/task-object.ts'
import type { FramedTask } from '../history/task-view.ts'
import {
  arrayOf,
  joined,
  jsonText,
  type Pieces,
  type Sized,
  sizedJson,
  type Text,
  withoutEnd,
} from '../platform/pieces.ts'
import { createAsOf, type Moment } from './as-of.ts'
import { createBegunFolds } from './begun-folds.ts'
import type { Queries, TaskRow } from './queries.ts'
import { replayTask, replayUntil } from './replay-task.ts'

async function* textsOf(rollouts: AsyncIterable<Rollout>, pause: Pause): AsyncGenerator<Text> {
  for await (const rollout of rollouts) {
    yield jsonText(rollout)
    await pause()
  }
}

/** The forms of rollouts. `delta`: messages as the difference to an earlier rollout of the same answer. */
export const rolloutForms = ['whole', 'delta'] as const
export type RolloutForm = (typeof rolloutForms)[number]

/** Rollouts in a form, as JSON. `shows`: called with the id of each task before its rollout is given. */
async function* inForm(
  rollouts: AsyncIterable<Rollout>,
  form: RolloutForm,
  pause: Pause,
  shows: (taskId: string) => void = () => {},
): AsyncGenerator<Sized> {
  const deltaOf = createDeltas()
  for await (const rollout of rollouts) {
    shows(rollout.task_id)
    yield sizedJson(form === 'delta' ? deltaOf(rollout) : rollout)
    await pause()
  }
}

/** Ends the rollouts of a task that is erased while they are read. */
async function* unlessErased(rollouts: AsyncIterable<Rollout>): AsyncGenerator<Rollout> {
  try {
    yield* rollouts
  } catch (error) {
    if (!(error instanceof ErasedEvent)) throw error
  }
}

/** A task object with its rollouts as the last field. */
const withRollouts = (task: Text, rollouts: Pieces): Text =>
  joined(withoutEnd(task), ',"rollouts":', rollouts, '}')

async function* timedFrames(read: ReadStream, stream: string): AsyncGenerator<Text> {
  const renderer = createRenderer(read)
  for await (const page of read(stream)) {
    for (const event of page) {
      for (const frame of await renderer.render(event)) {
        yield jsonText({ time: event.header.time, ...frame })
      }
    }
  }
}

type Place = Pick<FramedTask, 'state' | 'created' | 'agentVersion' | 'revision'>

/** The place of a task in its chart after more events. */
const placeAfter = async (before: Place, pages: AsyncIterable<Recorded[]>): Promise<Place> => {
  let { state, created, agentVersion, revision } = before
  for await (const page of pages) {
    for (const event of page.map(taskEvents.read)) {
      const { type, data, header } = event
      state = stateAfter(state, type, data)
      revision = header.revision
      if (event.type === 'TaskCreated') created = event.data
      if (event.type === 'TaskStarted') agentVersion = event.data.agent_version
    }
  }
  return { state, created, agentVersion, revision }
}

/** The newest state of the statechart of an agent, up to a revision. */
const machineAt = async (pages: AsyncIterable<Recorded[]>, upTo: number) => {
  let machine: StoredMachine | undefined
  for await (const page of pages) {
    for (const stored of page) {
      const { type, revision } = stored.header
      if (revision > upTo) return machine
      if (type !== 'AgentStepCompleted') continue
      const event = taskEvents.read(stored)
      const now = event.type === 'AgentStepCompleted' ? event.data.machine : undefined
      if (now !== undefined) machine = withChart(now, machine)
    }
  }
  return machine
}

export const createRecall = (log: Log, queries: Queries, clock: Clock) => {
  const { viewBefore, newestState } = createBegunFolds(log, queries.folds)
  const reader = (pause: Pause): ReadStream => readWithPauses(log.readStream, pause)

  /** The rollouts of a task as a JSON array. */
  const arrayOfRollouts = (stream: string, wanted: Wanted, pause = localPause()): Pieces =>
    arrayOf(textsOf(rolloutsOf(reader(pause), stream, wanted), pause))

  /** The task of a view as JSON text. It has rollouts if the request asked for them and the task has ended. */
  const textOf = (view: FramedTask, upTo?: number, pause = localPause()): Text => {
    const text = jsonText(taskOf(view))
    const { created } = view
    if (!created?.request.return_rollout || !isTerminal(view.status)) return text
    const wanted = upTo === undefined ? {} : { upTo }
    return withRollouts(text, arrayOfRollouts(taskStream(created.task_id), wanted, pause))
  }

  const past = createAsOf({ log, clock, viewBefore, reader, textOf, stored: queries.task })

  return {
    textOf,
    ...past,

    /**
     * The task of a row that was just read, as text, with its rough size in bytes. `isFolded`: it has rollouts, or is not
     * in the tables.
     */
    ofRow(row: TaskRow | UnwrittenRow, pause = localPause()): StoredTask & { isFolded: boolean } {
      if ('unwritten' in row) return { text: textOf(row.unwritten), size: 0, isFolded: true }
      const { text, size } = queries.task(row.position, pause)
      if (row.rollouts === 0 || !isTerminal(row.status)) return { text, size, isFolded: false }
      const rollouts = arrayOfRollouts(taskStream(row.id), {}, pause)
      return { text: withRollouts(text, rollouts), size, isFolded: true }
    },

    /** The rollouts of a task after a position, each as JSON. */
    rollouts(
      taskId: string,
      { after, form }: { after: number; form: RolloutForm },
      pause = localPause(),
    ): AsyncGenerator<Sized> {
      return inForm(rolloutsOf(reader(pause), taskStream(taskId), { after }), form, pause)
    },

    /** The lines of a task's file of rollouts: all of them, whole. */
    rolloutLines: (taskId: string, pause = localPause()): AsyncGenerator<Text> =>
      textsOf(rolloutsOf(reader(pause), taskStream(taskId)), pause),

    /** The lines of a task's log file: frames as JSON, with the times of their events. Rollouts are in another file. */
    logLines: (taskId: string, pause = localPause()): AsyncGenerator<Text> =>
      timedFrames(reader(pause), taskStream(taskId)),

    /** The task as an ATIF document, as JSON. */
    async *atif(taskId: string, pause = localPause()): AsyncGenerator<string> {
      yield* atifTexts(await atifOf(reader(pause), taskStream(taskId)))
    },

    /**
     * The rollouts of steps of many tasks, each as JSON, in the order of their positions. `shows`: called with the id of
     * each task before its rollout is given.
     */
    bulk(
      steps: CompletedStep[],
      { form, shows }: { form: RolloutForm; shows: (taskId: string) => void },
      pause = localPause(),
    ): AsyncGenerator<Sized> {
      const wanted = { subagents: false, summaries: true }
      const rollouts = inOrder(
        steps.map(({ position, id }) => ({ position, stream: taskStream(id) })),
        (stream, after) => unlessErased(rolloutsOf(reader(pause), stream, { ...wanted, after })),
      )
      return inForm(rollouts, form, pause, shows)
    },

    /** Compares two tasks, as they are now. Ids and times do not count. */
    diff: (left: string, right: string, pause = localPause()): Promise<Difference> =>
      compare(reader(pause), taskStream(left), taskStream(right)),

    /** Where a task is in its chart, now or at a moment, and where the statechart of its agent is. */
    async placed(taskId: string, moment?: Moment, pause = localPause()): Promise<PlacedTask> {
      const stream = taskStream(taskId)
      const read = reader(pause)
      const placeNow = async () => {
        const saved = await newestState(stream)
        return placeAfter(saved, read(stream, saved.revision))
      }
      const place = moment === undefined ? await placeNow() : await past.viewThen(taskId, moment, pause)
      const { state, created, agentVersion, revision } = place
      const machine = agentVersion === undefined ? undefined : await machineAt(read(stream), revision)
      return { state, agent: created?.agent ?? '', machine }
    },

    /**
     * Folds the stored events again, frames included, and compares the task with the read models. With a moment: folds
     * the events up to the moment, and compares the task with what `asOf` gives for the moment.
     */
    async replay(row: TaskRow, moment?: Moment, pause = localPause()): Promise<Replay> {
      if (moment === undefined) return replayTask(reader(pause), queries, row, pause)
      const then = await past.viewThen(row.id, moment, pause, 'at')
      return replayUntil(reader(pause), row.id, then, pause)
    },
  }
}
export type Recall = ReturnType<typeof createRecall>
