// The part of a task's view with the calls of the newest completed step: which of them run on the server, what text
// they have streamed, and which have ended.

import type { EpisodeEnd } from '../../contract/tools.ts'
import { millisOf } from './millis.ts'
import type { Part } from './part.ts'

/** A call of the newest completed step. */
export type Call = {
  callId: string
  name: string
  /** Empty for a turn of a group chat, which has no item. */
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
      }
    | undefined
  /** The text that the call has streamed, and the item of this text. */
  said: { itemId: string; text: string } | undefined
  /** Whether the call has its result. `refused`: the call never ran. */
  ended: false | 'answered' | 'refused'
}

/** A call of the newest step that has no result and runs on the server, or ran there when the server stopped. */
export type OpenCall = Call & { effect: NonNullable<Call['effect']> }

export type Calls = {
  calls: Map<string, Call>
  /** The calls of the current step so far. */
  saidCalls: Call[]
  /** The call that ended the episode of the environment session: the next step is the last. */
  lastCall: { callId: string; name: string; reason: EpisodeEnd } | undefined
}

export const openCalls = ({ calls }: Pick<Calls, 'calls'>): OpenCall[] => {
  const open: OpenCall[] = []
  for (const call of calls.values()) {
    if (call.effect !== undefined && call.ended === false) open.push(call as OpenCall)
  }
  return open
}

/** The stable effect id of the n-th call (from 1) of a completed step. */
export const callEffectId = (stepEffectId: string, n: number): string => `${stepEffectId}/${n}`

export const callOf = ({ calls }: Pick<Calls, 'calls'>, callId: string): Call => {
  const call = calls.get(callId)
  if (call === undefined) throw new Error(`there is no call ${callId}`)
  return call
}

const addCall = (view: Calls, itemId: string, call: { call_id: string; name: string } | undefined) => {
  if (call === undefined) return
  const { call_id: callId, name } = call
  view.saidCalls.push({ callId, name, itemId, effect: undefined, said: undefined, ended: false })
}

export const calls: Part<Calls> = {
  begin(view) {
    view.calls = new Map()
    view.saidCalls = []
    view.lastCall = undefined
  },
  folds: {
    ItemDelta(view, { item_id, item, call }) {
      if (item !== undefined) addCall(view, item_id, call)
    },
    ItemSaid: (view, { item_id, call }) => addCall(view, item_id, call),
    ItemCompleted(view, { item_id, cut_off }) {
      if (cut_off) view.saidCalls = view.saidCalls.filter(({ itemId }) => itemId !== item_id) // the call is never made
    },
    AgentStepCompleted(view) {
      if (view.calls.size === 0 && view.saidCalls.length === 0) return
      view.calls = new Map(view.saidCalls.map(call => [call.callId, call]))
      view.saidCalls = []
    },
    AgentStepAbandoned(view) {
      view.saidCalls = []
    },
    GroupChatAgentThinking(view, { call_id: callId, name }) {
      const call = { callId, name, itemId: '', effect: undefined, said: undefined, ended: false } as const
      view.calls.set(callId, call)
    },
    EffectIntended(view, { effect_id: id, call_id, safe, in_session, child, attempt = 1 }, { time }) {
      const [isSafe, inSession, at] = [safe === true, in_session === true, millisOf(time)]
      callOf(view, call_id).effect = { id, safe: isSafe, inSession, child, at, attempt }
    },
    EffectSaid(view, { item_id: itemId, call_id, delta }) {
      const call = callOf(view, call_id)
      call.said = { itemId, text: (call.said?.text ?? '') + delta }
    },
    EffectCut(view, { call_id }) {
      callOf(view, call_id).said = undefined
    },
    EffectCompleted(view, { call_id, effect_id, ends }) {
      const call = callOf(view, call_id)
      call.said = undefined
      call.ended = effect_id === undefined ? 'refused' : 'answered'
      if (ends !== undefined) view.lastCall = { callId: call_id, name: call.name, reason: ends }
    },
    InputAccepted(view, { item }) {
      if (item.type === 'tool_result') callOf(view, item.call_id).ended = 'answered'
    },
  },
}
