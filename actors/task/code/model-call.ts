// Runs a call of a model that an agent's code has made. It is one step of the agent `model`, with the conversation of the code
// in place of the history of the task. What the model says is stored as it comes, unless the call is silent.
import type { Agent, ModelCall, StepEnd, StepInput } from '../../../src/contract/agent.ts'
import type { ModelAsk } from '../../../src/contract/code-agent.ts'
import type { CallOutcome, StepEvent } from '../../../src/contract/commands/commands.ts'
import type { CreateTaskBody, ToolDefinition } from '../../../src/contract/wire.ts'
import type { OpenCall } from '../../../src/history/task/calls.ts'
import { askOf, conversationOf, requestOf } from '../../../src/history/task/conversation.ts'
import type { ModelValue } from '../../../src/history/task/journal.ts'
import { tokensUsed } from '../../../src/history/task/model-calls.ts'
import type { RunningCall } from '../calls/running-calls.ts'
import type { TaskDeps } from '../deps.ts'
import { scopeOf } from '../scope.ts'
import { bySystem, type Self } from '../self.ts'
import { createRecorder, type Recorder } from '../step/recorder.ts'
import { createStop } from '../step/step-stop.ts'
import { createStepWriter } from '../step/step-writer.ts'

/** Names the call in the events of its items. */
const ofCall = (events: StepEvent[], effectId: string): StepEvent[] =>
  events.map(event =>
    event.type === 'ItemDelta' || event.type === 'ItemCompleted'
      ? ({ ...event, data: { ...event.data, effect_id: effectId } } as StepEvent)
      : event,
  )

type Given = Self & { deps: TaskDeps }

/** The definitions of the tools that the code names. A name that the task does not offer is left out. */
const toolsOf = async (
  { view, deps }: Given,
  { tools = [] }: ModelAsk,
  signal: AbortSignal,
): Promise<ToolDefinition[]> => {
  const names = tools.filter(tool => typeof tool === 'string')
  const { created } = view
  if (created === undefined || tools.length === 0) return []
  const offered = names.length === 0 ? [] : (await deps.tools.offered(scopeOf(deps, created), signal)).tools
  return tools.flatMap(tool =>
    typeof tool === 'string' ? (offered.find(({ function: { name } }) => name === tool) ?? []) : tool,
  )
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The answer of a silent call, which no item holds. */
const silentValue = (recorder: Recorder, { schema }: ModelAsk): ModelValue => {
  const text = recorder.answer() ?? ''
  const calls = recorder
    .calls()
    .map(({ callId, name, arguments: args }) => ({ call_id: callId, name, arguments: args }))
  return { text, calls, ...(schema === undefined || calls.length > 0 ? {} : { value: jsonOf(text) }) }
}

export const startModel = (given: Given, { effect, callId }: OpenCall): RunningCall => {
  const { view, tell, deps } = given
  const { world, pace } = deps
  const n = view.entryOf.get(callId) ?? 0
  const entry = view.entries[n - 1]
  const { created } = view
  if (entry === undefined || created === undefined)
    throw new Error(`there is no entry for the call ${callId}`)
  const ask = askOf(entry)
  const request = requestOf(created.request, ask)
  const effectId = effect.id
  const agentStep = view.completedSteps
  const stop = createStop()
  let rest: StepEvent[] = []

  const inputOf = (attempt: number, tools: ToolDefinition[]): StepInput => {
    const { items, turns } = conversationOf(view, n)
    return {
      agentStep,
      attempt,
      request,
      asked: '',
      corrected: false,
      summed: true, // the code decides what the model sees, so nothing is summed up
      history: async () => items,
      given: async () => turns,
      used: { tokens: tokensUsed(view), context: 0, startedAt: view.startedAt },
      env: {},
      tools: async () => tools,
      workdir: deps.workspaceOf(created).workdir,
      signal: stop.signal,
    }
  }

  /** Listens to one attempt. `again`: its answer broke off. */
  const listen = async (agent: Agent, attempt: number, tools: ToolDefinition[]): Promise<Heard> => {
    const recorder = createRecorder(agentStep, world.ids, { stream: undefined, odd: [] })
    let begins = attempt > 0 || view.calls.get(callId)?.saying !== undefined
    const writer = createStepWriter(
      recorder,
      stop,
      ({ events }) => {
        if (ask.silent || (events.length === 0 && !begins)) return Promise.resolve()
        const again = begins ? { begins: true as const } : {}
        begins = false
        return tell({
          type: 'SayModel',
          effectId,
          events: ofCall(events, effectId),
          ...again,
          ...bySystem(view),
        })
      },
      { ...world, pace },
    )
    if (begins) await writer.write()
    const said = agent.step(inputOf(attempt, tools))
    try {
      for (;;) {
        const { done, value } = await said.next()
        if (stop.aborted()) {
          void said.return({ end: 'continue' }).catch(() => {})
          return { recorder, end: undefined }
        }
        if (done === true) return { recorder, end: value }
        if (value.say === 'tools') continue
        recorder.hear(value)
        if (!ask.silent) {
          writer.schedule(recorder.characters(), value.say === 'delta' || value.say === 'call-delta')
        }
      }
    } finally {
      writer.end()
      await writer.written()
    }
  }

  const work = async (): Promise<CallOutcome | undefined> => {
    const agent = deps.agents('model')
    if (agent === undefined) {
      return failed('this server has no model: its operator has to set MODEL_BASE_URL')
    }
    const tools = await toolsOf(given, ask, stop.signal())
    for (let attempt = 0; ; attempt++) {
      const { recorder, end } = await listen(agent, attempt, tools)
      if (end === undefined || stop.aborted()) return undefined
      if (end.end === 'again') continue
      if (end.end === 'fail') {
        rest = ofCall(recorder.take(), effectId)
        return failed(end.error.message, end.error.code)
      }
      recorder.close()
      if (!ask.silent) rest = ofCall(recorder.take(), effectId)
      const content = ask.silent ? JSON.stringify(silentValue(recorder, ask)) : ''
      const list = tools.length === 0 ? undefined : await deps.storeTools(created.user_id, tools)
      return { status: 'completed', content, ...accountOf(end, list, created.request) }
    }
  }

  return {
    stop: stop.abort,
    outlives: false,
    outcome: work().catch(error => (stop.aborted() ? undefined : failed(messageOf(error)))),
    rest: () => rest,
  }
}

type Heard = { recorder: Recorder; end: StepEnd | undefined }

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const failed = (message: string, code?: number): CallOutcome => ({
  status: 'incomplete',
  content: message,
  error: { kind: 'model', ...(code === undefined ? {} : { code }) },
  model: {},
})

/** What a call of a model stores besides its items. */
const accountOf = (end: StepEnd, tools: string | undefined, { return_rollout }: CreateTaskBody) => {
  const { usage, call } = end as { usage?: CallOutcome['usage']; call?: ModelCall }
  const { prompt_token_ids: ids, ...response } = call?.response ?? {}
  return {
    ...(usage === undefined ? {} : { usage }),
    model: {
      ...(call === undefined ? {} : { request: call.request }),
      ...(call === undefined
        ? {}
        : {
            response:
              ids === undefined ? response : { ...response, prompt_token_ids: { shared: 0, rest: ids } },
          }),
      ...(tools === undefined ? {} : { tools }),
      ...(return_rollout === true ? { rollout: true as const } : {}),
    },
  }
}
