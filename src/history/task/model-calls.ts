// What a task's model was given so far: the session before it, the tools, and what stands in the place of items.
import type { ModelResponse, TaskEventData } from '../../contract/task-events.ts'
import type { Part } from './part.ts'

/** What the model sees instead of `items`. */
export type Summary = { id: string; text: string; items: ReadonlySet<string> }

export type ModelCalls = {
  context: TaskEventData<'TaskStarted'>['context']
  /** The stream with the tools that its model was offered last. */
  toolList: string | undefined
  /** Summaries, each in the place of items before it. */
  summaries: Summary[]
  /** Items of calls that had begun to speak and gave no result. */
  cutItems: Set<string>
  /** Tokens of the newest call of its model, and their ids where the endpoint gives them. */
  contextTokens: number
  tokenIds: number[]
}

/** The ids of a call's prompt, of which a part was said in the call before. */
export const promptIds = (
  { tokenIds }: Pick<ModelCalls, 'tokenIds'>,
  { prompt_token_ids: given }: ModelResponse,
): number[] | undefined => given && [...tokenIds.slice(0, given.shared), ...given.rest]

export const modelCalls: Part<ModelCalls> = {
  begin(view) {
    view.context = []
    view.toolList = undefined
    view.summaries = []
    view.cutItems = new Set()
    view.contextTokens = 0
    view.tokenIds = []
  },
  folds: {
    TaskStarted(view, { context }) {
      view.context = context
    },
    ToolsOffered(view, { stream }) {
      view.toolList = stream
    },
    AgentStepCompleted(view, { response, compressed, usage }) {
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
      view.cutItems.add(item_id)
    },
  },
}
