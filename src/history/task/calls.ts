// The part of a task's view with the calls of the newest completed step: which of them run on the server, what text
// they have streamed, and which have ended. Calls of an agent's code stay until they have ended.

import type { EntryKind } from '../../contract/code-agent.ts'
import type { Answer, Asks, OpenItem, Question, TaskEventData } from '../../contract/events/task-events.ts'
import type { EpisodeEnd } from '../../contract/tools.ts'
import type { Code } from './code.ts'
import { millisOf } from './millis.ts'
import { opensPart } from './output.ts'
import type { Part } from './part.ts'

/** A question of a running call, with its answer. */
export type AskedQuestion = Question & { answer?: Answer }
/** `state`: what a later process gets with the answers; undefined: the questions end with this process. */
export type AskedQuestions = { questions: AskedQuestion[]; state: string | undefined }

/** A call of the newest completed step, or an open call of an agent's code. */
export type Call = {
  callId: string
  name: string
  /** Empty for a turn of a group chat and for a bare call, which have no item. */
  itemId: string
  /** The newest run of the call on the server; undefined for a call of the client, or for a refused call. */
  effect:
    | {
        id: string
        safe: boolean
        /** Whether the call is a step of an environment session. The session then knows how the step ended. */
        inSession: boolean
        child: string | undefined
        at: number
        attempt: number
        /** The name under which the call goes on outside; undefined: it runs here. */
        promise: string | undefined
        /** What the call asks the client; absent: nothing. */
        asks?: AskedQuestions | undefined
      }
    | undefined
  /** The text that the call has streamed, and the item of this text. */
  said: { itemId: string; text: string } | undefined
  /** The items of a running call of a model. */
  saying: OpenItem[] | undefined
  /** What the code of the agent has asked for with the call; undefined: no code has made it. */
  kind: EntryKind | undefined
  /** The schema of the answer that the code asks its client for. */
  schema?: object
  /** Whether the call has its result. `refused`: the call never ran. `dropped`: it was stopped before its result. */
  ended: false | 'answered' | 'refused' | 'dropped'
}

/** A call of the newest step that has no result and runs on the server, or ran there when the server stopped. */
export type OpenCall = Call & { effect: NonNullable<Call['effect']> }

export type Calls = {
  calls: Map<string, Call>
  /** The calls of the current step so far. */
  saidCalls: Call[]
  /** The calls that calls of models have asked for and that the code of the agent has not made yet. */
  wishedCalls: Map<string, Call>
  /** All questions that calls of the server have asked the client, by the ids under which the client answers. */
  questions: Map<string, AskedQuestion>
  /** The call that ended the episode of the environment session: the next step is the last. */
  lastCall: { callId: string; name: string; reason: EpisodeEnd } | undefined
}

/** Whether a call that ended with an error of this kind was stopped before its result. */
export const isDropped = (kind: string | undefined): boolean => kind === 'dropped' || kind === 'timeout'

export const openCalls = ({ calls }: Pick<Calls, 'calls'>): OpenCall[] => {
  const open: OpenCall[] = []
  for (const call of calls.values()) {
    if (call.effect !== undefined && call.ended === false) open.push(call as OpenCall)
  }
  return open
}

/** The questions of a call that have no answer yet. */
export const openQuestions = ({ effect }: Pick<Call, 'effect'>): AskedQuestion[] =>
  (effect?.asks?.questions ?? []).filter(({ answer }) => answer === undefined)

/** Whether a call on the server waits for answers of the client. */
export const isAsking = (call: Pick<Call, 'effect'>): boolean => openQuestions(call).length > 0

/** Whether nothing need run for a call while it asks: a later process, too, can go on with the answers. */
export const isResting = (call: OpenCall): boolean =>
  isAsking(call) && call.effect.asks?.state !== undefined && call.effect.promise === undefined

/** Whether a call can go on here although an earlier process has begun it: it has the answers to what it asked. */
export const hasAnswers = ({ effect: { asks } }: OpenCall): boolean =>
  asks?.state !== undefined && asks.questions.every(({ answer }) => answer !== undefined)

/** Whether a call that an earlier process began can go on here or run again. Otherwise a person must say how it has ended. */
export const canGoOn = (call: OpenCall): boolean => {
  const { safe, child, promise } = call.effect
  return safe || (child ?? promise) !== undefined || hasAnswers(call)
}

/** Whether the outcome of a call is unknown in a task that is paused for that. One that asks, or can go on, only waits for the others. */
export const isUnknown = (call: OpenCall): boolean => !isAsking(call) && !canGoOn(call) && !isPassive(call)

/** What a call asks after an event. */
export const asksAfter = (
  before: AskedQuestions | undefined,
  { questions = [], state, answers = [], withdrawn = [] }: Asks,
): AskedQuestions => {
  const kept = state === undefined ? (before?.questions ?? []) : []
  const all: AskedQuestion[] = [...kept, ...questions].filter(({ call_id }) => !withdrawn.includes(call_id))
  return {
    questions: all.map(question => {
      const answer = answers.find(({ call_id }) => call_id === question.call_id)
      return answer === undefined ? question : { ...question, answer }
    }),
    state: state ?? before?.state,
  }
}

/** The stable effect id of the n-th call (from 1) of a completed step. */
export const callEffectId = (stepEffectId: string, n: number): string => `${stepEffectId}/${n}`

export const callOf = ({ calls }: Pick<Calls, 'calls'>, callId: string): Call => {
  const call = calls.get(callId)
  if (call === undefined) throw new Error(`there is no call ${callId}`)
  return call
}

const newCall = (callId: string, name: string, itemId: string): Call => ({
  ...{ callId, name, itemId, kind: undefined },
  ...{ effect: undefined, said: undefined, saying: undefined, ended: false },
})

/** Whether a call of an agent's code waits for a time or for a message, so that nothing runs for it. */
export const isPassive = ({ kind }: Pick<Call, 'kind'>): boolean => kind === 'sleep' || kind === 'message'

type Said = { item_id: string; effect_id?: string; call?: { call_id: string; name: string } }

const addCall = (view: Calls, { item_id, effect_id, call }: Said) => {
  if (call === undefined) return
  const said = newCall(call.call_id, call.name, item_id)
  if (effect_id === undefined) view.saidCalls.push(said)
  else view.wishedCalls.set(said.callId, said)
}

/** Counts the parts of an item that a call of a model says. */
const say = (view: Calls, { effect_id, item_id }: Said, parts: number) => {
  if (effect_id === undefined) return
  const call = callOf(view, effect_id)
  const open = call.saying?.find(item => item.item_id === item_id)
  if (open === undefined) call.saying = [...(call.saying ?? []), { item_id, parts }]
  else open.parts += parts
}

/** The calls that the code of an agent makes in a turn. */
const madeCalls = (view: Calls, journal: TaskEventData<'AgentStepCompleted'>['journal'] = []): Call[] => {
  const said = new Map(view.saidCalls.map(call => [call.callId, call]))
  return journal.flatMap(({ do: what, name, call_id: id, ask }) => {
    if (id === undefined) return []
    const wished = view.wishedCalls.get(id)
    view.wishedCalls.delete(id)
    const bare = newCall(id, name === undefined ? what : `${what}:${name}`, '')
    const made = { ...(said.get(id) ?? wished ?? bare), kind: what }
    return what === 'ask' && ask !== undefined ? { ...made, schema: ask.schema as object } : made
  })
}

export const calls: Part<Calls, Code> = {
  begin(view) {
    view.calls = new Map()
    view.saidCalls = []
    view.wishedCalls = new Map()
    view.questions = new Map()
    view.lastCall = undefined
  },
  folds: {
    ItemDelta(view, data) {
      if (data.item !== undefined) addCall(view, data)
      say(view, data, opensPart(data) ? 1 : 0)
    },
    ItemSaid: addCall,
    ItemCompleted(view, { item_id, effect_id, cut_off }) {
      if (effect_id !== undefined) {
        if (cut_off)
          for (const [id, { itemId }] of view.wishedCalls) if (itemId === item_id) view.wishedCalls.delete(id)
      } else if (cut_off) view.saidCalls = view.saidCalls.filter(({ itemId }) => itemId !== item_id) // the call is never made
    },
    AgentStepCompleted(view, { journal }) {
      if (view.agentVersion !== undefined) {
        const open = [...view.calls.values()].filter(({ ended }) => ended === false)
        view.calls = new Map([...open, ...madeCalls(view, journal)].map(call => [call.callId, call]))
        view.saidCalls = []
        return
      }
      if (view.calls.size === 0 && view.saidCalls.length === 0) return
      view.calls = new Map(view.saidCalls.map(call => [call.callId, call]))
      view.saidCalls = []
    },
    AgentStepAbandoned(view) {
      view.saidCalls = []
    },
    GroupChatAgentThinking(view, { call_id: callId, name }) {
      view.calls.set(callId, newCall(callId, name, ''))
    },
    EffectIntended(view, { effect_id: id, call_id, safe, in_session, child, attempt = 1 }, { time }) {
      const [isSafe, inSession, at] = [safe === true, in_session === true, millisOf(time)]
      callOf(view, call_id).effect = { id, safe: isSafe, inSession, child, at, attempt, promise: undefined }
    },
    EffectPromised(view, { call_id, promise, asks }) {
      const { effect } = callOf(view, call_id)
      if (effect === undefined) return
      effect.promise = promise
      effect.asks = asks === undefined ? undefined : asksAfter(effect.asks, asks)
      for (const question of effect.asks?.questions ?? []) view.questions.set(question.call_id, question)
    },
    EffectSaid(view, { item_id: itemId, call_id, delta }) {
      const call = callOf(view, call_id)
      call.said = { itemId, text: (call.said?.text ?? '') + delta }
    },
    EffectCut(view, { call_id, items = [] }) {
      const call = callOf(view, call_id)
      call.said = undefined
      call.saying = undefined
      const cut = new Set(items.map(({ item_id }) => item_id))
      for (const [id, { itemId }] of view.wishedCalls) if (cut.has(itemId)) view.wishedCalls.delete(id)
    },
    EffectCompleted(view, { call_id, effect_id, ends, error }) {
      const call = callOf(view, call_id)
      call.said = undefined
      call.saying = undefined
      call.ended = isDropped(error?.kind) ? 'dropped' : effect_id === undefined ? 'refused' : 'answered'
      if (ends !== undefined) view.lastCall = { callId: call_id, name: call.name, reason: ends }
    },
    InputAccepted(view, { item }) {
      if (item.type === 'tool_result') callOf(view, item.call_id).ended = 'answered'
    },
  },
}
