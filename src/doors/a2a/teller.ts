// Tells a task of the server as a task of A2A: as events, one frame after the other, and as it is after them. Everything
// follows from the frames, so each reading of the log tells the same, and a stream can be taken up after any frame.
//
// What the agent says is an artifact for each message. When a step broke off, what it says next takes the place of what it
// said before. Files in the results of tools are artifacts, too.
import type {
  A2AArtifact,
  A2AMessage,
  A2APart,
  A2AStatus,
  A2AStreamResponse,
  A2ATask,
} from '../../contract/a2a/objects.ts'
import type { TaskEventData } from '../../contract/events/task-events.ts'
import {
  isTerminal,
  type MessageContent,
  type MessageItem,
  type OutputItem,
  type PendingCallItem,
  type ToolResultItem,
} from '../../contract/wire.ts'
import type { Frame } from '../../history/frames.ts'
import { callsForClient, taskIn } from '../turns.ts'
import { factsOf, messageIn, metadataShown } from './facts.ts'
import { filesIn, partsShown } from './parts.ts'
import { askedIn, isQuestion, questionOf, statusOf } from './status.ts'

type Created = TaskEventData<'TaskCreated'>

/** The number of messages of a history; undefined: all. */
export type Shown = { historyLength?: number | undefined; withArtifacts?: boolean }

/** The value of a text that is JSON, and otherwise the text itself. */
const dataIn = (text: string): A2APart => {
  try {
    return { data: JSON.parse(text) as unknown, mediaType: 'application/json' }
  } catch {
    return { text }
  }
}

const atLeastOne = (content: MessageContent): A2APart[] => {
  const parts = partsShown(content)
  return parts.length > 0 ? parts : [{ text: '' }]
}

const firstMessage = ({
  request,
  input_ids,
  task_id: taskId,
  session_id: contextId,
}: Created): A2AMessage[] => {
  const { message_id, message_metadata, extensions, reference_task_ids } = factsOf(request.metadata)
  const content = request.user_message_content
  if (content.length === 0) return []
  return [
    {
      messageId: typeof message_id === 'string' ? message_id : (input_ids.at(-1) ?? taskId),
      contextId,
      taskId,
      role: 'ROLE_USER',
      parts: partsShown(content),
      ...(message_metadata === undefined ? {} : { metadata: message_metadata }),
      ...(extensions === undefined ? {} : { extensions }),
      ...(reference_task_ids === undefined ? {} : { referenceTaskIds: reference_task_ids }),
    },
  ]
}

export const createTaskTeller = (created: Created) => {
  const { task_id: taskId, session_id: contextId, request } = created
  const place = { taskId, contextId }
  /** The agent must answer with JSON, so its answer is data. */
  const givesData = Boolean(request.structured_output)
  let status: A2AStatus = { state: 'TASK_STATE_SUBMITTED' }
  let isOver = false
  let waiting: PendingCallItem[] = []
  const artifacts = new Map<string, A2AArtifact>()
  const history = firstMessage(created)
  /** The calls that the client was asked for. */
  const asked = new Set<string>()
  /** Those of them that ask for a tool server. */
  const questions = new Set<string>()
  /** The artifact of each message that the agent is saying, by the id of its item. */
  const saying = new Map<string, string>()
  let said = 0

  const update = (
    { artifactId, ...artifact }: A2AArtifact,
    how: { append?: boolean; lastChunk?: boolean },
  ): A2AStreamResponse[] => [{ artifactUpdate: { ...place, artifact: { artifactId, ...artifact }, ...how } }]

  const begins = (item: MessageItem): void => {
    const artifactId = `answer_${said + 1}`
    saying.set(item.id ?? '', artifactId)
    artifacts.delete(artifactId)
  }
  const says = ({ item_id, content_index, delta }: Frame): A2AStreamResponse[] => {
    const artifactId = saying.get(String(item_id))
    if (artifactId === undefined || delta === '') return []
    const known = artifacts.get(artifactId)
    const artifact: A2AArtifact = known ?? { artifactId, parts: [] }
    const at = Number(content_index)
    const before = artifact.parts[at]?.text ?? ''
    artifact.parts[at] = { text: before + String(delta) }
    artifacts.set(artifactId, artifact)
    if (givesData) return []
    return update({ artifactId, parts: [{ text: String(delta) }] }, { append: known !== undefined })
  }
  const hasSaid = (item: MessageItem): A2AStreamResponse[] => {
    const artifactId = saying.get(item.id ?? '')
    saying.delete(item.id ?? '')
    const artifact = artifactId === undefined ? undefined : artifacts.get(artifactId)
    if (artifact === undefined || item.status === 'incomplete') return []
    said++
    artifact.parts = artifact.parts.filter(part => part !== undefined)
    if (!givesData) return update({ ...artifact, parts: [{ text: '' }] }, { append: true, lastChunk: true })
    artifact.parts = artifact.parts.map(({ text = '' }) => dataIn(text))
    return update(artifact, { append: false, lastChunk: true })
  }
  /** A call that has its answer is asked for no more. */
  const isAnswered = (callId: string): void => {
    waiting = waiting.filter(({ call_id }) => call_id !== callId)
    const { message, ...bare } = status
    if (message === undefined || waiting.length === 0) return
    status = { ...bare, message: { ...message, parts: waiting.flatMap(questionOf) } }
  }
  const hasResult = ({
    id = '',
    call_id,
    message_content,
    block_list,
  }: ToolResultItem): A2AStreamResponse[] => {
    if (asked.delete(call_id)) {
      isAnswered(call_id)
      history.push({
        ...messageIn(block_list, id),
        ...place,
        role: 'ROLE_USER',
        parts: atLeastOne(message_content),
      })
      return []
    }
    const parts = filesIn(message_content)
    if (parts.length === 0) return []
    const artifact = { artifactId: id, parts }
    artifacts.set(id, artifact)
    return update(artifact, { append: false, lastChunk: true })
  }
  const itemDone = (item: OutputItem): A2AStreamResponse[] => {
    if (item.type === 'tool_result') return hasResult(item)
    return item.type === 'message' ? hasSaid(item) : []
  }

  const moved = (next: A2AStatus, timestamp: unknown): A2AStreamResponse[] => {
    const isSame = next.state === status.state && next.message === undefined && status.message === undefined
    if (isSame) return []
    if (next.state !== 'TASK_STATE_INPUT_REQUIRED') waiting = []
    status = { ...next, ...(typeof timestamp === 'string' ? { timestamp } : {}) }
    return [{ statusUpdate: { ...place, status } }]
  }
  const stood = (frame: Frame): A2AStreamResponse[] => {
    const task = taskIn(frame)
    isOver = isTerminal(task.status)
    if (frame.type === 'task.input_required') {
      for (const { call_id } of callsForClient(task)) asked.add(call_id)
    }
    waiting = askedIn(task)
    for (const call of waiting) if (isQuestion(call)) questions.add(call.call_id)
    const next = statusOf(task, `${taskId}.${frame.sequence_number}`)
    if (next.message !== undefined && waiting.length > 0) history.push(next.message)
    return moved(next, frame.timestamp)
  }

  const rules: Partial<Record<Frame['type'], (frame: Frame) => A2AStreamResponse[]>> = {
    'task.created'(frame) {
      status = { ...status, timestamp: String(frame.timestamp) }
      return []
    },
    'task.queued': ({ timestamp }) => moved({ state: 'TASK_STATE_SUBMITTED' }, timestamp),
    'task.working': ({ timestamp }) => moved({ state: 'TASK_STATE_WORKING' }, timestamp),
    'task.input_required': stood,
    'task.paused': stood,
    'task.completed': stood,
    'task.failed': stood,
    'task.canceled': stood,
    'task.expired': stood,
    'task.output_item.added'({ item }) {
      const { type, role } = item as MessageItem
      if (type === 'message' && role === 'assistant') begins(item as MessageItem)
      return []
    },
    'task.text.delta': says,
    'task.output_item.done': ({ item }) => itemDone(item as OutputItem),
  }

  return {
    /** The events that a frame of the task gives: at most one. The frames must come from the first one on. */
    tell: (frame: Frame): A2AStreamResponse[] => rules[frame.type]?.(frame) ?? [],
    /** The task as it is now. */
    task({ historyLength, withArtifacts = true }: Shown = {}): A2ATask {
      const messages = history.slice(Math.max(0, history.length - (historyLength ?? history.length)))
      const shown = [...artifacts.values()].map(({ artifactId, parts }) => ({
        artifactId,
        parts: [...parts],
      }))
      const metadata = metadataShown(request.metadata)
      return {
        id: taskId,
        contextId,
        status,
        ...(withArtifacts ? { artifacts: shown } : {}),
        ...(historyLength === 0 ? {} : { history: messages }),
        ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
      }
    },
    status: () => status,
    /** The calls for which the task waits. */
    waiting: () => waiting,
    /** The calls, waiting or not, with which tool servers have asked the client. */
    questions: () => questions,
    /** Whether the task has ended. */
    isOver: () => isOver,
    /** Whether the task has ended, or waits for its client. */
    isAtRest: () => isOver || status.state === 'TASK_STATE_INPUT_REQUIRED',
  }
}
export type Teller = ReturnType<typeof createTaskTeller>
