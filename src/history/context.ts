// Makes the context of an agent: the inputs and items of tasks to which references point, each of them once.

import type { GivenTurn } from '../contract/agent.ts'
import { taskEvents } from '../contract/decoders/task.ts'
import type { TaskEventData } from '../contract/events/task-events.ts'
import type { Log } from '../contract/stored.ts'
import { taskStream } from '../contract/task-stream.ts'
import { chatUser, type MessageItem, type OutputItem } from '../contract/wire.ts'
import { paired } from './paired.ts'
import type { Course } from './task/course.ts'
import type { Message, Messages } from './task/messages.ts'
import type { Output } from './task/output.ts'
import { emptySeen, evolveSeen, type SeenTask } from './task-view.ts'

export type ContextReference = TaskEventData<'TaskStarted'>['context'][number]
export type ReadStream = Log['readStream']

const userMessage = (id: string, message_content: MessageItem['message_content']): OutputItem => ({
  type: 'message',
  id,
  role: 'user',
  message_content,
})

/** A task's own inputs in the order in which its agent sees them. Each has the id that it got when it was accepted. */
export const inputsOf = (created: TaskEventData<'TaskCreated'>): OutputItem[] => {
  const { request, input_ids } = created
  const user = userMessage('', request.user_message_content)
  const inputs = [...(request.history_messages ?? []), ...(request.thought_messages ?? []), user]
  return inputs.map((item, index) => ({ ...item, id: input_ids[index] ?? '' }))
}

/** The output and the messages to the agent, in the order in which the agent saw them. */
const seen = ({ output, messages }: Output & Messages): OutputItem[] => {
  if (messages.length === 0) return output
  const consumed = messages.filter((message): message is Message & { at: number } => message.at !== undefined)
  const before = (n: number) =>
    consumed.filter(({ at }) => at === n).map(({ id, content }) => userMessage(id, content))
  return [...output.flatMap((item, n) => [...before(n), item]), ...before(output.length)]
}

/** Whether an item counts as complete. A message that ended at the model's length limit counts; a call does not. */
const isSaid = ({ cutOff }: Output, { type, id = '', status }: OutputItem): boolean =>
  status === 'completed' || status === undefined || (type === 'message' && cutOff.has(id))

/**
 * Removes the status of a reasoning item from a request, so that models get the item. They do not get an agent's own
 * reasoning, which has a status.
 */
const brought = (item: OutputItem): OutputItem => {
  if (item.type !== 'reasoning') return item
  const { status: _, ...thought } = item
  return thought
}

/**
 * The part of the next step's context that comes from the task itself. It includes the results of failed calls. It
 * leaves out text that a call streamed before the call broke off; a later result of that call is another item.
 */
const ownPast = (view: SeenTask): OutputItem[] =>
  seen(view).filter(
    item => !view.cutItems.has(item.id ?? '') && (item.type === 'tool_result' || isSaid(view, item)),
  )

/** The ids of inputs and items that later tasks of the session may see. */
export const contributed = (view: Course & Output & Messages): string[] => [
  ...(view.created?.input_ids ?? []),
  ...seen(view).flatMap(item => (isSaid(view, item) && item.id !== undefined ? [item.id] : [])),
]

/** The inputs and items that a reference names, in the order of the reference. */
const itemsAt = (view: SeenTask, { items, first_items = 0 }: ContextReference): OutputItem[] => {
  const known = new Map<string, OutputItem>()
  const inputs = view.created === undefined ? [] : inputsOf(view.created)
  for (const item of [...inputs.filter(isWhole).map(brought), ...seen(view)]) {
    if (item.id !== undefined && !known.has(item.id)) known.set(item.id, item) // the first item with an id counts
  }
  return [...items.flatMap(id => known.get(id) ?? []), ...view.output.slice(0, first_items)]
}

/** Replaces items by their summaries. A summary stands where the first of its items stood. */
const summed = (items: OutputItem[], { summaries }: SeenTask): OutputItem[] =>
  summaries.reduce((left, { id, text, items: gone }) => {
    const isGone = (item: OutputItem) => item.id !== undefined && gone.has(item.id)
    const at = left.findIndex(isGone)
    const kept = left.filter(item => !isGone(item))
    return kept.toSpliced(Math.max(0, at), 0, userMessage(id, `Summary of what came before:\n${text}`))
  }, items)

/** A context, and what endpoints gave with its steps besides the items. */
export type Seen = { items: OutputItem[]; given: GivenTurn[] }

/** The context of a task's next step. `first`: the context at its start. `without`: ids of own items to leave out. */
export const seenNext = (view: SeenTask, first: Seen, without?: ReadonlySet<string>): Seen => {
  const own = ownPast(view).filter(({ id }) => id === undefined || !without?.has(id))
  return { items: assemble(summed([...first.items, ...own], view)), given: givenNext(view, first) }
}

/** What endpoints gave with the steps of the next step's context. */
export const givenNext = (view: SeenTask, first: Seen): GivenTurn[] => [...first.given, ...view.given]

/** The view of a task up to a revision. */
export const foldStream = async (
  read: ReadStream,
  stream: string,
  upTo = Number.POSITIVE_INFINITY,
): Promise<SeenTask> => {
  const view = emptySeen()
  for await (const page of read(stream)) {
    for (const event of page) if (event.header.revision <= upTo) evolveSeen(view, taskEvents.read(event))
  }
  return view
}

/**
 * What a speaker of a group chat hears: only messages, in the form that models expect. Messages of others become
 * messages of users with names; messages of the speaker stay messages of the assistant.
 */
const heardBy = (name: string, items: OutputItem[]): OutputItem[] =>
  items.flatMap((item): OutputItem[] => {
    if (item.type !== 'message') return []
    if (item.role === 'user') return [{ ...item, name: item.name ?? chatUser }]
    if (item.role !== 'assistant' || item.name === name) return [item]
    return [{ ...item, role: 'user', name: item.name ?? 'assistant' }]
  })

const streamOf = ({ created }: SeenTask): string => taskStream(created?.task_id ?? '')

/** A fold of each stream that is asked for. A stream is read once. */
const foldsOf = (read: ReadStream, known: SeenTask) => {
  const folds = new Map([[streamOf(known), Promise.resolve(known)]])
  return (stream: string): Promise<SeenTask> => {
    const fold = folds.get(stream) ?? foldStream(read, stream)
    folds.set(stream, fold)
    return fold
  }
}

/**
 * All that a task sees at its start, oldest first. A context that begins with the context of another task begins with all
 * that this task saw of earlier tasks, and so on. A task that is named twice counts once, at its first place.
 */
const wholeContext = async (
  view: SeenTask,
  foldOf: (stream: string) => Promise<SeenTask>,
): Promise<ContextReference[]> => {
  const lists = [view.context]
  for (let next = view.contextOf; next !== undefined; ) {
    const earlier = await foldOf(next)
    const own = next
    lists.unshift(earlier.context.filter(({ stream }) => stream !== own))
    next = earlier.contextOf
  }
  const whole = new Map<string, ContextReference>()
  for (const reference of lists.flat())
    if (!whole.has(reference.stream)) whole.set(reference.stream, reference)
  return [...whole.values()]
}

/** The context of a task at its start: earlier tasks of the session, then its own inputs. */
export const firstSeen = async (read: ReadStream, view: SeenTask): Promise<Seen> => {
  const turn = view.created?.turn
  const lists: OutputItem[][] = []
  const given: GivenTurn[] = []
  const foldOf = foldsOf(read, view)
  for (const reference of await wholeContext(view, foldOf)) {
    const from = await foldOf(reference.stream)
    const items = itemsAt(from, reference)
    lists.push(turn === undefined || from === view ? items : heardBy(turn.name, items))
    if (from !== view) given.push(...from.given)
  }
  return { items: lists.flat(), given }
}

/**
 * Whether an item may be in a context. An incomplete result may, since it says why. Other incomplete items were cut
 * short.
 */
const isWhole = ({ type, status }: OutputItem): boolean => status !== 'incomplete' || type === 'tool_result'

/** The list without items that repeat the id of an earlier item, or the call_id of an earlier item of the same type. */
const withoutDoubles = (items: OutputItem[]): OutputItem[] => {
  const seen = new Set<string>()
  return items.filter(item => {
    const keys = item.id === undefined ? [] : [`id ${item.id}`]
    if (item.type === 'tool_call' || item.type === 'tool_result') keys.push(`${item.type} ${item.call_id}`)
    if (keys.some(key => seen.has(key))) return false
    for (const key of keys) seen.add(key)
    return true
  })
}

/** Removes an agent's own reasoning items for which the request has an item with the same id. */
const broughtOnce = (items: OutputItem[]): OutputItem[] => {
  const isOwn = ({ type, status }: OutputItem) => type === 'reasoning' && status !== undefined
  const again = new Set(items.flatMap(item => (item.type === 'reasoning' && !isOwn(item) ? [item.id] : [])))
  return again.size === 0 ? items : items.filter(item => !isOwn(item) || !again.has(item.id ?? ''))
}

/** One list without duplicates, in which every call has its result. */
export const assemble = (items: OutputItem[]): OutputItem[] => paired(withoutDoubles(broughtOnce(items)))
