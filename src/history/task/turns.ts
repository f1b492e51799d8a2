// The part of a task's view with the turns of a group chat, and with the calls for which tasks of turns and of subagents wait.
import type { TakenTurn } from '../../contract/agent.ts'
import { taskStream } from '../../contract/task-stream.ts'
import type { Part } from './part.ts'

export type Turn = TakenTurn & {
  callId: string
  taskId: string
  agentId: string
  mayPass: boolean
  ended: boolean
}

export type Turns = {
  turns: Turn[]
  /** The stream of the task that waits, or waited, for the result of a call, by the id of the call. */
  askedBy: Map<string, string>
}

export const turns: Part<Turns> = {
  begin(view) {
    view.turns = []
    view.askedBy = new Map()
  },
  folds: {
    GroupChatAgentThinking(view, { call_id, task_id, agent_id, name, round, moderator, may_pass }) {
      const whose = { callId: call_id, taskId: task_id, agentId: agent_id, name, round }
      const rules = { isModerator: moderator === true, mayPass: may_pass === true }
      view.turns.push({ ...whose, ...rules, text: '', said: false, failed: undefined, ended: false })
    },
    GroupChatAgentResponse(view, { call_id, content, said, failed }) {
      const turn = view.turns.find(({ callId }) => callId === call_id)
      if (turn === undefined) throw new Error(`there is no turn ${call_id}`)
      Object.assign(turn, { text: content, said: said === true, failed, ended: true })
    },
    InputRequired(view, { turn, calls }) {
      if (turn === undefined) return
      for (const id of calls) view.askedBy.set(id, taskStream(turn.task_id))
    },
  },
}
