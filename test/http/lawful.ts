// The laws of a task's frames: the fields of each kind, the order of an item's frames, the moves of the task.
import type { Frame } from '../support/sse.ts'

const always = ['type', 'sequence_number', 'task_id']
const moved = [...always, 'timestamp']
const item = [...always, 'agent_step', 'item']
const part = [...always, 'item_id', 'agent_step', 'content_index', 'part']
const delta = [...always, 'item_id', 'agent_step', 'content_index', 'delta']
const text = [...always, 'item_id', 'agent_step', 'content_index', 'text']
const call = [...always, 'item_id', 'call_id', 'agent_step']
const compression = [...always, 'agent_step', 'compression_id']
const family = (name: string) => ({ [`task.${name}.delta`]: delta, [`task.${name}.done`]: text })

const fields: Record<string, string[]> = {
  'task.created': [...moved, 'task'],
  'task.queued': moved,
  'task.working': moved,
  'task.input_required': [...moved, 'task', 'input_required'],
  'task.paused': [...moved, 'task'],
  'task.completed': [...moved, 'task'],
  'task.canceled': [...moved, 'task'],
  'task.expired': [...moved, 'task'],
  'task.failed': [...moved, 'task', 'error'],
  'task.tools_updated': [...always, 'tools'],
  'task.context_compression.created': compression,
  'task.context_compression.in_progress': compression,
  'task.context_compression.completed': [...compression, 'usage'],
  'task.output_item.added': item,
  'task.output_item.done': item,
  'task.content_part.added': part,
  'task.content_part.done': part,
  'task.reasoning_summary_part.added': part,
  'task.reasoning_summary_part.done': part,
  ...family('text'),
  ...family('reasoning_summary_text'),
  ...family('reasoning_text'),
  'task.tool_call_arguments.delta': [...call, 'delta'],
  'task.tool_call_arguments.done': [...call, 'arguments'],
  'task.tool_result.delta': [...call, 'delta_message_content', 'delta_block_list'],
  'task.tool_result.done': [...call, 'message_content', 'block_list'],
}

/** Where each status may lead: the table of the interface. */
const waiting = ['working', 'canceled', 'expired']
const moves: Record<string, string[]> = {
  '': ['created'],
  created: ['queued', ...waiting],
  queued: waiting,
  working: ['input_required', 'paused', 'completed', 'failed', 'canceled', 'expired'],
  input_required: waiting,
  paused: waiting,
}

/**
 * `over`: its done frames were told; once more only when its step is abandoned, and then it is incomplete, or when somebody
 * has approved a call with other arguments (`edited`).
 */
type Open = {
  kind: string
  call_id?: string
  text: string
  blocks: unknown[]
  hasDeltas: boolean
  whole: boolean
  over: boolean
  edited: boolean
}
type ItemJson = { type: string; id: string; status: string; call_id?: string; arguments?: string }

/** The text of a result, or of a part of it. */
const textIn = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : (content as (string | { text?: string })[])
        .map(part => (typeof part === 'string' ? part : (part.text ?? JSON.stringify(part))))
        .join('')

/** What is wrong with the frames of one task from the first one on; nothing: they are lawful. */
export const lawful = (frames: Frame[], from = 0): string[] => {
  const wrong: string[] = []
  const open = new Map<string, Open>()
  const seen = new Set<string>()
  const calls = new Set<string>()
  let status = ''
  for (const [index, frame] of frames.entries()) {
    const at = `${from + index} ${frame.type}`
    const check = (is: unknown, what: string) => is || wrong.push(`${at}: ${what}`)
    check(frame.sequence_number === from + index, `numbered ${frame.sequence_number}`)
    check(frame.task_id === frames[0]?.task_id, 'of another task')
    if (frame.type !== 'task.rollout') {
      const known = fields[frame.type]
      if (known === undefined) wrong.push(`${at}: is no kind of frame`)
      const keys = Object.keys(frame).sort().join()
      check(known === undefined || keys === [...known].sort().join(), `has the fields ${keys}`)
      check(
        Object.values(frame).every(value => value !== undefined && value !== null),
        'has an empty field',
      )
    }
    if ('agent_step' in frame)
      check(Number.isInteger(frame.agent_step) && Number(frame.agent_step) > 0, 'step')
    const move = frame.type.slice('task.'.length)
    if ('timestamp' in frame) {
      check(from > 0 || moves[status]?.includes(move), `no move from ${status}`)
      const task = frame.task as { status: string } | undefined
      check(task === undefined || task.status === move.replace('_', '-'), `its task is ${task?.status}`)
      status = move
      check(
        !['input_required', 'completed', 'failed'].includes(move) ||
          [...open.values()].every(({ over }) => over),
        'items are open',
      )
    }
    if (frame.type === 'task.output_item.added') {
      const { id, type, call_id, status: of } = frame.item as ItemJson
      check(typeof id === 'string' && !seen.has(id), 'an id that is taken')
      check(of === 'in_progress', `begins ${of}`)
      if (type === 'tool_call') {
        check(/^tc_./.test(id) && /^call_./.test(call_id ?? ''), `called ${id} ${call_id}`)
        check(!calls.has(call_id ?? ''), `the call ${call_id} is taken`)
      }
      if (type === 'tool_result') {
        check(/^tr_./.test(id), `called ${id}`)
        check(calls.has(call_id ?? ''), `a result of no call: ${call_id}`)
      }
      seen.add(id)
      open.set(id, {
        kind: type,
        ...(call_id === undefined ? {} : { call_id }),
        text: '',
        blocks: [],
        hasDeltas: false,
        whole: false,
        over: false,
        edited: false,
      })
    }
    if ('item_id' in frame) {
      const mine = open.get(frame.item_id as string)
      if (mine === undefined) {
        wrong.push(`${at}: of an item that is not open`)
        continue
      }
      if ('call_id' in frame) check(mine.call_id === frame.call_id, 'of another call')
      if (frame.type.startsWith('task.tool_call_')) check(mine.kind === 'tool_call', `of a ${mine.kind}`)
      if (frame.type.startsWith('task.tool_result')) check(mine.kind === 'tool_result', `of a ${mine.kind}`)
      if (frame.type === 'task.tool_call_arguments.delta') mine.text += frame.delta
      if (frame.type === 'task.tool_call_arguments.done') {
        mine.edited = mine.over && mine.text !== frame.arguments
        if (mine.edited) mine.text = String(frame.arguments)
        check(mine.text === frame.arguments, 'another text than its deltas')
        mine.whole = true
      }
      if (frame.type === 'task.tool_result.delta') {
        check(!mine.whole, 'more of a result that is whole')
        mine.text += textIn(frame.delta_message_content)
        mine.blocks.push(...(frame.delta_block_list as unknown[]))
        mine.hasDeltas = true
      }
      if (frame.type === 'task.tool_result.done') {
        const sum = mine.text === textIn(frame.message_content)
        const blocks = JSON.stringify(mine.blocks) === JSON.stringify(frame.block_list)
        check(!mine.hasDeltas || (sum && blocks), 'another result than the sum of its deltas')
        mine.whole = true
      }
    }
    if (frame.type === 'task.output_item.done') {
      const done = frame.item as ItemJson
      const mine = open.get(done.id)
      check(mine?.kind === done.type, 'of an item that is not open')
      check(done.status === 'completed' || done.status === 'incomplete', `ends ${done.status}`)
      if (done.type === 'tool_call') {
        check(mine?.whole && mine.text === done.arguments, 'arguments that were not told')
        calls.add(done.call_id ?? '')
      }
      if (done.type === 'tool_result') check(mine?.whole, 'a result that was not told')
      check(!mine?.over || mine.edited || done.status === 'incomplete', 'done twice')
      if (mine !== undefined) Object.assign(mine, { over: true, edited: false })
    }
  }
  return wrong
}
