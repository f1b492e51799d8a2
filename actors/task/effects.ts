// What a task's state wants running, and the running of it: one agent step at a time. An effect reports to its
// actor through the same mailbox as any caller and never rejects.
import type { Agent, StepEnd, StepPart } from '../../src/contract/agent.ts'
import type { StepFact } from '../../src/contract/commands.ts'
import type { Clock, Ids, Timers } from '../../src/contract/ports.ts'
import type { ItemKind, PartKind } from '../../src/contract/task-events.ts'
import type { CreateTaskBody, OutputItem } from '../../src/contract/wire.ts'
import { isTerminal } from '../../src/contract/wire.ts'
import { effectIdOf, type TaskView } from '../../src/history/task-view.ts'

/** What the state wants: a step running, or a command that brings the task to where something can be wanted. */
export type Wanted =
  | { want: 'nothing' }
  | { want: 'step'; agentStep: number; effectId: string }
  | { want: 'abandon' }
  | { want: 'pause' }
  | { want: 'finish-cancel' }

export const wanted = (view: TaskView, running: string | undefined): Wanted => {
  const { status, openStep } = view
  if (status === 'absent' || isTerminal(status)) return { want: 'nothing' }
  if (view.cancelRequested) return { want: 'finish-cancel' }
  if (status !== 'working') return { want: 'nothing' }
  if (openStep !== undefined && openStep.effectId !== running) return { want: 'abandon' }
  if (view.pauseRequested && running === undefined) return { want: 'pause' }
  return { want: 'step', agentStep: view.completedSteps + 1, effectId: effectIdOf(view) }
}

export type StepReport = { facts: StepFact[]; end?: StepEnd }

export type RunningStep = {
  effectId: string
  agentStep: number
  abort(): void
  /** Resolves when the agent has let go, whatever it did. */
  settled: Promise<void>
}

const flushMs = 50
const flushCharacters = 2048

type OpenItem = {
  id: string
  item: ItemKind
  /** The index of each part, by its kind. */
  parts: Map<PartKind, number>
}

/** Turns what an agent says into facts, text that belongs together in one. */
const recorder = (agentStep: number, ids: Ids) => {
  let facts: StepFact[] = []
  let characters = 0
  let open: OpenItem | undefined

  const close = () => {
    if (open === undefined) return
    const data = { agent_step: agentStep, item_id: open.id, parts: open.parts.size }
    facts.push({ type: 'ItemCompleted', data })
    open = undefined
  }
  const prefix = (item: ItemKind) => (item === 'message' ? 'msg_' : 'rs_')

  const delta = (item: ItemKind, part: PartKind, text: string) => {
    if (open !== undefined && open.item !== item) close()
    const opensItem = open === undefined
    open ??= { id: ids.next(prefix(item)), item, parts: new Map() }
    const known = open.parts.get(part)
    const last = facts.at(-1)
    if (
      known !== undefined &&
      last?.type === 'ItemDelta' &&
      last.data.item_id === open.id &&
      last.data.part === part
    ) {
      last.data.delta += text
      return
    }
    // The parts of a message are one list; those of a reasoning item are two, summary and content.
    const content_index = known ?? (item === 'message' ? open.parts.size : 0)
    open.parts.set(part, content_index)
    facts.push({
      type: 'ItemDelta',
      data: {
        agent_step: agentStep,
        item_id: open.id,
        content_index,
        ...(opensItem ? { item } : {}),
        part,
        ...(known === undefined ? { first: true as const } : {}),
        delta: text,
      },
    })
  }

  return {
    hear(said: StepPart) {
      if (said.say === 'delta') {
        if (said.text === '') return
        characters += said.text.length
        delta(said.item, said.part, said.text)
        return
      }
      close()
      const { item, part, texts } = said
      const item_id = ids.next(prefix(item))
      facts.push({ type: 'ItemSaid', data: { agent_step: agentStep, item_id, item, part, texts } })
    },
    close,
    characters: () => characters,
    take(): StepFact[] {
      const taken = facts
      facts = []
      characters = 0
      return taken
    },
  }
}

/** A way to stop; its signal is made when somebody asks for it, which most steps never do. */
const createStop = () => {
  let aborted = false
  let controller: AbortController | undefined
  return {
    aborted: () => aborted,
    abort() {
      aborted = true
      controller?.abort()
    },
    signal(): AbortSignal {
      controller ??= new AbortController()
      if (aborted) controller.abort()
      return controller.signal
    },
  }
}

/** Runs one agent step; `report` stores what it says and rejects when that cannot be stored. */
export const runStep = (
  agent: Agent,
  input: {
    effectId: string
    agentStep: number
    request: CreateTaskBody
    workdir: string
    history: () => Promise<OutputItem[]>
    env: () => Record<string, unknown>
  },
  report: (report: StepReport) => Promise<void>,
  { clock, timers, ids }: { clock: Clock; timers: Timers; ids: Ids },
): RunningStep => {
  const stop = createStop()
  const heard = recorder(input.agentStep, ids)
  let writing: Promise<void> = Promise.resolve()
  let cancelTimer: (() => void) | undefined
  let ended = false
  let wroteAt = Number.NEGATIVE_INFINITY

  const write = (end?: StepEnd): Promise<void> => {
    cancelTimer?.()
    cancelTimer = undefined
    if (stop.aborted()) return Promise.resolve()
    wroteAt = clock.now()
    writing = report(end === undefined ? { facts: heard.take() } : { facts: heard.take(), end })
    return writing
  }
  /** The first text leaves at once; what follows closely travels together. */
  const writeSoon = () => {
    const wait = wroteAt + flushMs - clock.now()
    if (wait <= 0) cancelTimer?.()
    if (wait <= 0) cancelTimer = undefined
    writeLater(Math.max(0, wait))
  }
  const writeLater = (ms: number) => {
    cancelTimer ??= timers.after(ms, () => {
      cancelTimer = undefined
      if (!ended) void writing.then(() => (ended ? undefined : write())).catch(() => stop.abort())
    })
  }

  const play = async (): Promise<void> => {
    // A step that takes its time shows in the log that it began.
    writeLater(flushMs)
    let end: StepEnd
    try {
      const said = agent.step({
        ...input,
        env: input.env(),
        get signal() {
          return stop.signal()
        },
      })
      for (;;) {
        const next = await said.next()
        if (stop.aborted()) {
          void said.return({ end: 'continue' }).catch(() => {})
          return
        }
        if (next.done === true) {
          end = next.value
          break
        }
        heard.hear(next.value)
        if (heard.characters() >= flushCharacters) {
          await writing
          await write()
        } else if (next.value.say === 'delta') writeSoon()
        else writeLater(flushMs)
      }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      end = { end: 'fail', error: { code: -32000, message } }
    }
    ended = true
    if (end.end !== 'fail') heard.close()
    await writing
    await write(end)
  }

  const settled = play()
    .catch(() => {})
    .finally(() => {
      ended = true
      cancelTimer?.()
    })
  return { effectId: input.effectId, agentStep: input.agentStep, abort: () => stop.abort(), settled }
}
