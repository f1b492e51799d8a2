// Sends the public events of the channels that one connection follows: past and live events, as /api/events sends them.
import type { EventFilter } from '../../bus/event-filter.ts'
import type { Events, Subscription } from '../../bus/events.ts'
import { bodyOf, type Published } from '../../bus/published.ts'
import { channelOf, type EventChannel, eventChannels } from '../../contract/events/public-events.ts'
import { Invalid } from '../../contract/refusals.ts'
import { type ClientFields, defaultEventsOf, eventsOf, hasDefaultEvents } from '../../contract/socket.ts'
import { createMemo } from '../../platform/memo.ts'
import { notOneOf } from '../request/problems.ts'
import { readSince } from './since.ts'
import { textFrame } from './text-frame.ts'

/** The bit that stands for a channel in a set of channels. */
const bitOf = (channel: EventChannel): number => 1 << eventChannels.indexOf(channel)
const bitsOf = (channels: readonly EventChannel[]): number =>
  channels.reduce((bits, channel) => bits | bitOf(channel), 0)

const frameOf = (published: Published): Buffer => {
  const { position, event } = published
  const body = bodyOf(published) // the same bytes as in /api/events
  const { type, timestamp } = event
  return textFrame(
    `{"channel":"${channelOf(type)}","type":"${type}","data":${body},"timestamp":"${timestamp}","id":${position}}`,
  )
}

export type EventEncoder = ReturnType<typeof createEventEncoder>
/**
 * Makes the WebSocket frames of a list of events on some channels, once for all connections. The result is undefined if
 * no event is on these channels.
 */
export const createEventEncoder = () => {
  const frames = createMemo<Published, { bit: number; bytes: Buffer }>('socket frame')
  const lists = createMemo<readonly Published[], Map<number, Buffer | undefined>>('socket frames')
  const frame = (published: Published) => {
    let known = frames.get(published)
    if (known === undefined) {
      known = { bit: bitOf(channelOf(published.event.type)), bytes: frameOf(published) }
      frames.set(published, known)
    }
    return known
  }
  const join = (events: readonly Published[], bits: number): Buffer | undefined => {
    const own = events.flatMap(published => {
      const { bit, bytes } = frame(published)
      return (bits & bit) === 0 ? [] : [bytes]
    })
    return own.length > 1 ? Buffer.concat(own) : own[0]
  }
  const find = (events: readonly Published[], bits: number): Buffer | undefined => {
    if (events.length === 1) return join(events, bits)
    const known = lists.get(events) ?? new Map<number, Buffer | undefined>()
    if (!known.has(bits)) lists.set(events, known.set(bits, join(events, bits)))
    return known.get(bits)
  }
  // Subscribers that ask one after another mostly ask for equal lists and channels, so the last result is kept.
  let last: { events: readonly Published[]; bits: number; bytes: Buffer | undefined } | undefined
  return (events: readonly Published[], bits: number): Buffer | undefined => {
    if (last?.events !== events || last.bits !== bits) last = { events, bits, bytes: find(events, bits) }
    return last.bytes
  }
}

type Wanted = {
  channels: EventChannel[]
  filter: EventFilter
  /** The channels that the subscription wants, as a set of bits. */
  bits: number
}

const mustBeOf = (channels: EventChannel[], types: string[]): void => {
  const known = channels.flatMap(eventsOf)
  const problems = types.flatMap((type, index) =>
    known.some(each => each === type) ? [] : [notOneOf('enum', known, ['body', 'filter', 'types', index])],
  )
  if (problems.length > 0) throw new Invalid(problems)
}

/**
 * What a subscription wants. Subscriptions of one owner without a filter share their lists of events, and therefore
 * their bytes, if each of their channels has events that subscribers get without naming types.
 */
const wantedOf = (
  owner: string | undefined,
  channels: EventChannel[],
  { types, session_id, task_id }: NonNullable<ClientFields<'subscribe'>['filter']>,
): Wanted => {
  mustBeOf(channels, types ?? [])
  const named = types ?? (channels.every(hasDefaultEvents) ? undefined : channels.flatMap(defaultEventsOf))
  return {
    channels,
    bits: bitsOf(channels),
    filter: {
      owner,
      types: named && new Set(named),
      sessionId: session_id ?? undefined,
      taskId: task_id ?? undefined,
    },
  }
}

type Parts = {
  events: Events
  encode: EventEncoder
  /** Returns false if the caller must stop writing for now. */
  write: (bytes: Buffer) => boolean
  onFault: (error: unknown) => void
}

export const createEventSubscription = ({ events, encode, write, onFault }: Parts) => {
  let current: (Wanted & { position: number; subscription: Subscription }) | undefined

  const close = () => {
    current?.subscription.close()
    current = undefined
  }
  const begin = (wanted: Wanted, after: number) => {
    close()
    const take = (list: readonly Published[]): boolean => {
      mine.position = list.at(-1)?.position ?? mine.position
      const bytes = encode(list, wanted.bits)
      return bytes === undefined || write(bytes)
    }
    const mine = {
      ...wanted,
      position: after,
      subscription: events.subscribe(after, wanted.filter, take, onFault),
    }
    current = mine
  }

  return {
    /**
     * Begins a subscription, in place of the earlier one. Writes nothing before the call has returned. Throws Invalid.
     */
    begin(owner: string | undefined, channels: EventChannel[], { since, filter }: ClientFields<'subscribe'>) {
      const wanted = wantedOf(owner, channels, filter ?? {})
      const after = readSince(since, { before: 0, end: events.position(), of: 'log' })
      const position = after ?? events.position()
      begin(wanted, position)
      return { channels, position, recovered: after !== undefined }
    },
    /** Ends the subscription to these channels, or to all. Returns the channels that ended. */
    end(channels: readonly EventChannel[] = eventChannels): EventChannel[] {
      const { channels: had = [], position = 0, filter, bits = 0 } = current ?? {}
      const ended = had.filter(channel => channels.includes(channel))
      const left = had.filter(channel => !channels.includes(channel))
      if (left.length === 0) close()
      else if (ended.length > 0 && filter !== undefined) {
        const types =
          filter.types && new Set([...filter.types].filter(type => left.includes(channelOf(type))))
        begin({ channels: left, bits: bits & bitsOf(left), filter: { ...filter, types } }, position)
      }
      return ended
    },
    resume: () => current?.subscription.resume(),
    close,
  }
}
