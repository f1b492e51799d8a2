// One agent step running: what it says is reported as it comes, its end once its calls are planned and its answer
// is checked. It reports to its actor through the same mailbox as any caller and never rejects.
import type { Agent, StepEnd, StepInput } from '../../src/contract/agent.ts'
import type { PlannedCall, RecordedEnd, StepEvent } from '../../src/contract/commands.ts'
import type { Clock, Ids, Timers } from '../../src/contract/ports.ts'
import { Refusal } from '../../src/contract/refusals.ts'
import { StorageFailure } from '../../src/contract/stored.ts'
import { ToolsUnavailable } from '../../src/contract/tools.ts'
import type {
  CreateTaskBody,
  ErrorObject,
  MessageContent,
  OutputItem,
  ToolDefinition,
} from '../../src/contract/wire.ts'
import { createRecorder } from './recorder.ts'
import { deltaCharacters, type SaidCall } from './step-draft.ts'

export type StepReport = { events: StepEvent[]; end?: RecordedEnd; calls?: PlannedCall[] }

export type RunningStep = {
  effectId: string
  agentStep: number
  abort(): void
  /** Resolves when the agent has let go, whatever it did. */
  settled: Promise<void>
}

const flushMs = 50
/** What is heard while a write is under way waits for it; more than this is not heard before it is over. */
const heldCharacters = 64 * 1024
const agentFailure = -32000
const toolFailure = -32008

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

const correction = ({ message }: ErrorObject): string =>
  `Your answer cannot be used: ${message}. Answer again, with nothing but JSON that fits the schema.`

/** Runs one agent step; `report` stores what it says and rejects when that cannot be stored. */
export const runStep = (
  agent: Agent,
  input: {
    effectId: string
    agentStep: number
    /** Resolves when it may begin; undefined: now. */
    turn: () => Promise<void> | undefined
    attempt: number
    request: CreateTaskBody
    form: StepInput['form']
    asked: MessageContent
    workdir: string
    history: () => Promise<OutputItem[]>
    tools: (signal: AbortSignal) => Promise<ToolDefinition[]>
    env: () => Record<string, unknown>
    /** Where each call leads. */
    plan: (calls: readonly SaidCall[], signal: AbortSignal) => Promise<PlannedCall[]>
    /** Why an answer cannot be given; absent: any can. */
    refuse?: (answer: string | undefined) => Promise<ErrorObject | undefined>
    corrected: StepInput['corrected']
    used: StepInput['used']
    /** The list of the tools that its model was offered last. */
    offered: string | undefined
    /** The list that holds these tools. */
    listOf: (tools: ToolDefinition[]) => Promise<string>
  },
  report: (report: StepReport) => Promise<void>,
  { clock, timers, ids }: { clock: Clock; timers: Timers; ids: Ids },
): RunningStep => {
  const stop = createStop()
  const heard = createRecorder(input.agentStep, ids, input.offered)
  let writing: Promise<void> = Promise.resolve()
  let isWriting = false
  let cancelTimer: (() => void) | undefined
  let ended = false
  let wroteAt = Number.NEGATIVE_INFINITY

  const named = (end: StepEnd): RecordedEnd => {
    if (end.end === 'correct') return { ...end, itemId: ids.next('msg_') }
    if (end.end !== 'continue') return end
    const { compressed, ...rest } = end
    if (compressed === undefined) return rest
    const compression_id = heard.compressionId() ?? ids.next('cmp_')
    return { ...rest, compressed: { compression_id, item_id: ids.next('msg_'), ...compressed } }
  }
  const write = (end?: RecordedEnd, calls: PlannedCall[] = []): Promise<void> => {
    cancelTimer?.()
    cancelTimer = undefined
    if (stop.aborted()) return Promise.resolve()
    wroteAt = clock.now()
    const events = heard.take()
    isWriting = true
    writing = report(
      end === undefined ? { events } : calls.length === 0 ? { events, end } : { events, end, calls },
    ).finally(() => {
      isWriting = false
    })
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
    let calls: PlannedCall[] = []
    try {
      const turn = input.turn()
      if (turn !== undefined) await turn
      if (stop.aborted()) return
      const said = agent.step({
        ...input,
        env: input.env(),
        tools: () => input.tools(stop.signal()),
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
        if (next.value.say === 'tools') {
          const { tools } = next.value
          if (tools.length > 0 || input.offered !== undefined) heard.offer(await input.listOf(tools))
          continue
        }
        heard.hear(next.value)
        const characters = heard.characters()
        if (characters >= heldCharacters) await writing
        if (characters >= deltaCharacters && !isWriting) void write().catch(() => stop.abort())
        else if (next.value.say === 'delta' || next.value.say === 'call-delta') writeSoon()
        else writeLater(flushMs)
      }
      const goesOn = end.end !== 'fail' && end.end !== 'again'
      if (goesOn && heard.calls().length > 0) {
        calls = await input.plan(heard.calls(), stop.signal())
      }
      // An answer that must fit a schema is one that no call comes after.
      if (end.end === 'answer' && calls.length > 0 && input.refuse !== undefined)
        end = { ...end, end: 'continue' }
      if (end.end === 'answer' && calls.length === 0) {
        const error = await input.refuse?.(heard.answer())
        if (error !== undefined && agent.corrects && !input.corrected) {
          end = { ...end, end: 'correct', message: correction(error) }
        } else if (error !== undefined) end = { end: 'fail', error }
      }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      const code = error instanceof ToolsUnavailable ? toolFailure : agentFailure
      end = { end: 'fail', error: { code, message } }
    }
    ended = true
    if (end.end !== 'fail' && end.end !== 'again') heard.close()
    await writing
    await write(named(end), calls).catch(async error => {
      if (error instanceof Refusal || error instanceof StorageFailure) throw error
      // A report that cannot be taken is a bug, of ours or of the agent; its task must not wait for ever.
      await write({ end: 'fail', error: { code: agentFailure, message: 'the step could not be recorded' } })
      throw error
    })
  }

  const settled = play()
    .catch(() => {})
    .finally(() => {
      ended = true
      cancelTimer?.()
    })
  return { effectId: input.effectId, agentStep: input.agentStep, abort: () => stop.abort(), settled }
}
