// The part of a task's view with what the model has been given so far: earlier tasks of the chat session, the tools,
// and summaries.
import type { GivenTurn } from '../../contract/agent.ts'
import type { ModelResponse, TaskEventData } from '../../contract/events/task-events.ts'
import type { Account } from './account.ts'
import { itemOf, type Output } from './output.ts'
import type { Part } from './part.ts'

/** The text that the model sees instead of `items`. */
export type Summary = { id: string; text: string; items: ReadonlySet<string> }

export type ModelCalls = {
  context: TaskEventData<'TaskStarted'>['context']
  /** The stream of the task whose first context comes before `context`. */
  contextOf: string | undefined
  /** The stream of the tools that the model was offered last. */
  toolList: string | undefined
  /** Whether the newest step summed up the context. */
  summed: boolean
  /** Summaries, each of which replaces earlier items. */
  summaries: Summary[]
  /** What endpoints gave with the steps of this task, besides the items. */
  given: GivenTurn[]
  /** The ids of items with text that a call streamed before it broke off without a result. */
  cutItems: Set<string>
  /** The number of tokens of the newest model call, and their ids when the endpoint sent them. */
  contextTokens: number
  tokenIds: number[]
}

/**
 * The token ids of a model call's prompt. The event leaves out the beginning that equals the previous call's ids.
 */
export const promptIds = (
  { tokenIds }: Pick<ModelCalls, 'tokenIds'>,
  { prompt_token_ids: given }: ModelResponse,
): number[] | undefined => given && [...tokenIds.slice(0, given.shared), ...given.rest]

/** The number of all tokens that the task and its subagents have used so far. */
export const tokensUsed = ({ usage, subagentUsage }: Account): number =>
  [usage, subagentUsage].reduce((sum, used) => sum + Number(used?.total_tokens ?? 0), 0)

/** What an endpoint gave with the step that has just completed; undefined: nothing that may go back. */
const givenWith = (
  view: Output,
  { request, response }: TaskEventData<'AgentStepCompleted'>,
): GivenTurn | undefined => {
  const { call_ids: callIds, kept } = response ?? {}
  if (request === undefined || (callIds === undefined && kept === undefined)) return undefined
  const { endpoint, model, protocol } = request
  const of = (type: string) => view.stepItems.filter(id => itemOf(view, id).type === type)
  const items = view.stepItems
  return {
    endpoint,
    model,
    protocol,
    items,
    thoughts: of('reasoning'),
    calls: of('tool_call'),
    callIds,
    kept,
  }
}

export const modelCalls: Part<ModelCalls, Output> = {
  begin(view) {
    view.context = []
    view.contextOf = undefined
    view.toolList = undefined
    view.summed = false
    view.summaries = []
    view.given = []
    view.cutItems = new Set()
    view.contextTokens = 0
    view.tokenIds = []
  },
  folds: {
    TaskStarted(view, { context, context_of }) {
      view.context = context
      view.contextOf = context_of
    },
    ToolsOffered(view, { stream }) {
      view.toolList = stream
    },
    AgentStepCompleted(view, data) {
      const { response, compressed, usage } = data
      view.summed = compressed !== undefined
      const given = givenWith(view, data)
      if (given !== undefined) view.given.push(given)
      if (response !== undefined) {
        view.tokenIds = [...(promptIds(view, response) ?? []), ...(response.completion_token_ids ?? [])]
        view.contextTokens = typeof usage?.total_tokens === 'number' ? usage.total_tokens : 0
      }
      if (compressed === undefined) return
      const { item_id: id, summary: text, items } = compressed
      view.summaries = [...view.summaries, { id, text, items: new Set(items) }]
      view.contextTokens = 0
    },
    EffectCut(view, { item_id }) {
      if (item_id !== undefined) view.cutItems.add(item_id)
    },
  },
}
