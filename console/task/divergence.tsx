// The point at which the code of an agent no longer asks for what its journal has: both side by side, and what to do.
import { useSignal } from '@preact/signals'
import type { StoredEntry } from '../../src/contract/events/task-events.ts'
import type { ToolCallItem } from '../../src/contract/wire.ts'
import { millisOf } from '../../src/history/task/millis.ts'
import { readable } from '../ui/readable.ts'
import { timeOfDay } from '../ui/time.tsx'
import type { KnownHistory } from './growing.ts'
import type { Asked } from './journal.ts'
import type { Position } from './position.ts'
import { textOf } from './words.ts'

type Side = { do: string; name?: string; digest: string; arguments?: unknown }
/** `n`: the number of the entry. `asked`: the entry as it is stored. `is`: absent when the code asks for nothing. */
export type Changed = { n: number; was: Side; is: Side | undefined; asked: Asked | undefined }

/** The code of the error `AgentChanged`. Code may throw an error of its own with this name. */
const agentChanged = -32040

/** Where the code has changed, if the task failed for this reason. */
export const divergenceOf = ({ past, journal }: KnownHistory): Changed | undefined => {
  const { status, error } = past.newest
  if (status !== 'failed' || error?.code !== agentChanged) return undefined
  const { n, was, is } = error.data as unknown as Changed
  return { n, was, is, asked: journal.entries[n - 1] }
}

const writtenArguments = (value: unknown): string =>
  readable(typeof value === 'string' ? value : JSON.stringify(value))

/** What the stored entry was asked with: a call in the conversation has its arguments, a model its messages. */
const storedArguments = ({ past }: KnownHistory, entry: StoredEntry | undefined): string | undefined => {
  if (entry?.ask !== undefined) return writtenArguments(entry.ask)
  const call = past.newest.output.find(
    (item): item is ToolCallItem => item.type === 'tool_call' && item.call_id === entry?.call_id,
  )
  return call && readable(call.arguments)
}

const Entry = ({
  title,
  side,
  other,
  given,
}: {
  title: string
  side: Side
  other: Side | undefined
  given: string | undefined
}) => {
  const mark = (isOther: boolean) => (isOther ? 'differs' : '')
  return (
    <>
      <h3>{title}</h3>
      <p>
        <span class={mark(side.do !== other?.do)}>{side.do}</span>{' '}
        {side.name !== undefined && <b class={mark(side.name !== other?.name)}>{side.name}</b>}
      </p>
      {given !== undefined && <pre class={mark(side.digest !== other?.digest)}>{given}</pre>}
    </>
  )
}

/** The event with the result of an entry. */
const resultOf = ({ past, spans }: KnownHistory, asked: Asked | undefined) => {
  const to = spans.ofCall(asked?.entry.call_id ?? '')?.to
  const event = to === undefined ? undefined : past.events[to]
  return event?.type === 'EffectCompleted' ? { event, text: textOf(event.data.content) } : undefined
}

type Props = { changed: Changed; history: KnownHistory; position: Position }

export const Divergence = ({ changed: { n, was, is, asked }, history, position }: Props) => {
  const isOpen = useSignal(true)
  const event = asked && history.past.events[asked.event]
  const result = resultOf(history, asked)
  const version = history.past.newest.agentVersion
  return (
    <details
      class="divergence panel"
      open={isOpen.value}
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open
      }}
    >
      <summary>
        <h2>Where the code has changed: entry {n} of the journal</h2>
      </summary>
      <div class="sides">
        <section aria-label="What the journal has">
          <Entry
            title="The journal has"
            side={was}
            other={is}
            given={storedArguments(history, asked?.entry)}
          />
          {result !== undefined && result.text !== '' && (
            <>
              <h4>with the result</h4>
              <pre>{readable(result.text)}</pre>
            </>
          )}
          {asked !== undefined && event !== undefined && (
            <button type="button" class="link" onClick={() => position.go(asked.event + 1)}>
              event {asked.event}, {timeOfDay(millisOf(event.header.time))}
            </button>
          )}
        </section>
        <section aria-label="What the code asks for now">
          {is === undefined ? (
            <>
              <h3>The code asks now</h3>
              <p class="differs">for nothing: it has ended, or waits for something else.</p>
            </>
          ) : (
            <Entry
              title="The code asks now"
              side={is}
              other={was}
              given={is.arguments === undefined ? undefined : writtenArguments(is.arguments)}
            />
          )}
        </section>
      </div>
      <ul class="ways">
        <li>
          To keep everything that was done: bring back the code with which the task began
          {version === undefined ? '' : ` (version ${version})`}, then fork before the failure.
        </li>
        <li>
          To go on with the present code: fork before entry {n}
          {n > 1 && `, if the code asks for ${n === 2 ? 'entry 1' : `entries 1 to ${n - 1}`} as before`}. The
          tooltip of the button names what runs again.
        </li>
        <li>To begin anew with the present code: run the task again.</li>
      </ul>
    </details>
  )
}
