// reprise tail: follows public events in the log file while they are appended. A server may start, stop and start again
// meanwhile.
import { readConfig } from '../../config.ts'
import { CannotStart } from '../../contract/cannot-start.ts'
import {
  type EventName,
  eventNames,
  optInEvents,
  type PublicEvent,
} from '../../contract/events/public-events.ts'
import type { Recorded } from '../../contract/stored.ts'
import { publicEventOf } from '../../history/public-events.ts'
import { identityOf } from '../../log/chosen-storage.ts'
import { filesOf } from '../../platform/files/data-folder.ts'
import { called } from '../terminal/called.ts'
import { NoAnswer } from '../terminal/exit.ts'
import { fitted, type Printer, type Style } from '../terminal/printer.ts'
import { type Common, openTerminal } from '../terminal/terminal.ts'
import { openLogOf } from './folder.ts'

type Options = Common & { since?: string; type?: string[]; task?: string; session?: string; user?: string }

const sinceOf = (since: string | undefined, head: number): number => {
  if (since === undefined) return head
  if (since === 'earliest') return 0
  const position = Number(since)
  if (!/^\d{1,15}$/.test(since))
    throw new CannotStart(`--since ${since} is neither a position nor "earliest"`)
  if (position > head) throw new CannotStart(`--since ${since} is beyond the end of the log, ${head}`)
  return position
}

const typesOf = (given: string[] | undefined): ReadonlySet<string> | undefined => {
  if (given === undefined) return undefined
  const types = given.flatMap(each => each.split(','))
  const unknown = types.find(type => !eventNames.includes(type as EventName))
  if (unknown !== undefined) throw new CannotStart(`--type ${unknown} is none of ${eventNames.join(', ')}`)
  return new Set(types)
}

type Told = { position: number; owner: string; event: PublicEvent }

/** The ids of the task and of the session, if the event has them. */
const aboutOf = (event: PublicEvent): { task_id?: string; session_id?: string } => event

const isWanted = ({ task, session, user }: Options, types: ReadonlySet<string> | undefined) => {
  const is = (wanted: string | undefined, value: unknown) => wanted === undefined || wanted === value
  return ({ owner, event }: Told): boolean =>
    is(user, owner) &&
    is(task, aboutOf(event).task_id) &&
    is(session, aboutOf(event).session_id) &&
    // As in the server's streams of events, events of some types are shown only when `types` names their type.
    (types === undefined ? !optInEvents.has(event.type) : types.has(event.type))
}

const words: { [T in PublicEvent['type']]?: (event: Extract<PublicEvent, { type: T }>) => string } = {
  TaskCreated: ({ user_id, title }) => `${user_id}: ${title}`,
  TaskUpdated: ({ sequence_number, changed }) => `${changed.join(', ')} at frame ${sequence_number}`,
  TaskStatusChanged: ({ old_status, new_status, reason }) =>
    `${old_status} -> ${new_status}${reason === undefined ? '' : `: ${reason}`}`,
  TaskDeleted: () => '',
  AgentSpawned: ({ agent_id, workdir }) => `${agent_id} in ${workdir}`,
  AgentCompleted: ({ agent_id, success }) => `${agent_id}${success ? '' : ', without success'}`,
  AgentError: ({ agent_id, error }) => `${agent_id}: ${error}`,
  EnvSessionCreated: ({ user_id, env_id }) => `${user_id}: ${env_id}`,
  EnvStepCompleted: ({ session_id, step, tool_name, reward, done }) =>
    `step ${step} of ${session_id}: ${tool_name}, reward ${reward}${done ? ', done' : ''}`,
  EnvSessionReset: ({ seed }) => `seed ${seed}`,
  EnvSessionClosed: ({ reason }) => reason,
  EnvSessionDeleted: () => '',
}
const styleOf = (event: PublicEvent): Style =>
  event.type === 'AgentError' || (event.type === 'TaskStatusChanged' && event.new_status === 'failed')
    ? 'red'
    : 'plain'

const rowOf = (printer: Printer, { position, event }: Told): string => {
  const place = `${String(position).padStart(7)}  ${event.timestamp}  `
  const { task_id, session_id } = aboutOf(event)
  const name = `${event.type.padEnd(17)}  ${task_id ?? session_id ?? ''}`
  const said = words[event.type] as ((event: PublicEvent) => string) | undefined
  const rest = fitted(`${place}${name}  `, said?.(event) ?? JSON.stringify(event), process.stdout)
  return `${printer.paint(place, 'dim')}${printer.paint(name, styleOf(event))}  ${rest}`
}

export const tail = async (options: Options): Promise<void> => {
  const config = readConfig(process.env)
  const wanted = isWanted(options, typesOf(options.type))
  const file = filesOf(config.dataDir).log
  const log = openLogOf(config)
  const head = log.head()
  const after = sinceOf(options.since, head)
  const printer = openTerminal(options)
  const rowsOf = (recorded: Recorded): string[] => {
    const event = publicEventOf(recorded)
    if (event === undefined) return []
    const publicEvent = { position: recorded.position, owner: recorded.header.owner, event }
    if (!wanted(publicEvent)) return []
    return [
      options.json
        ? JSON.stringify({ position: publicEvent.position, ...event })
        : rowOf(printer, publicEvent),
    ]
  }

  const opened = identityOf(file)
  printer.line(`events after position ${after} (Ctrl-C ends it)`)
  const show = async (rows: string[]): Promise<void> => {
    if (!(await printer.rows(rows))) void following.stop()
  }
  // Only a failed write shows that the reader has closed the pipe. So the last line of the stored events is written a
  // moment later than the other lines: if the reader has ended by then, this write fails, and the command ends.
  let held: string[] = []
  const beforeRead = (): Promise<void> => {
    if (following.position() >= log.head() && identityOf(file) !== opened)
      throw new NoAnswer(`${file} was replaced or removed: start ${called} tail again`)
    const rows = held
    held = []
    return show(rows)
  }
  const following = log.subscribe({ after, beforeRead }, page => {
    const rows = page.flatMap(rowsOf)
    if ((page.at(-1)?.position ?? 0) <= head) held = rows.splice(-1)
    return show(rows)
  })
  await following.done.finally(log.close)
}
