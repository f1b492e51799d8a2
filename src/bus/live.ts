// Wakes those who follow a stream when something was appended to it. It hands over what was appended when the
// listener waits; who is busy, or was handed too much, is only told to look into the log.
import type { Recorded } from '../contract/stored.ts'

export type Watch = {
  /** The next appended events; `missed` when some went by; undefined when the watch was closed. */
  next(): Promise<Recorded[] | 'missed' | undefined>
  close(): void
}
export type Live = {
  publish(events: Recorded[]): void
  /** Tells everybody to look into the log: more may be stored than was published. */
  lookAgain(): void
  watch(stream: string): Watch
}

const keptAtMost = 64

type Watcher = Watch & { hear(events: Recorded[] | 'missed'): void }

const createWatcher = (onClose: () => void): Watcher => {
  let kept: Recorded[] | 'missed' = []
  let waiting: ((events: Recorded[] | 'missed' | undefined) => void) | undefined
  let closed = false
  return {
    hear(events) {
      if (waiting !== undefined) {
        waiting(events)
        waiting = undefined
      } else if (kept !== 'missed') {
        const tooMany = events === 'missed' || kept.length + events.length > keptAtMost
        kept = tooMany ? 'missed' : [...kept, ...events]
      }
    },
    next() {
      if (closed) return Promise.resolve(undefined)
      if (kept.length > 0) {
        const events = kept
        kept = []
        return Promise.resolve(events)
      }
      return new Promise(resolve => {
        waiting = resolve
      })
    },
    close() {
      if (closed) return
      closed = true
      waiting?.(undefined)
      onClose()
    },
  }
}

export const createLive = (): Live => {
  const watchers = new Map<string, Set<Watcher>>()
  return {
    publish(events) {
      if (watchers.size === 0) return
      const byStream = new Map<string, Recorded[]>()
      for (const event of events) {
        const { stream } = event.header
        if (!watchers.has(stream)) continue
        const own = byStream.get(stream)
        if (own === undefined) byStream.set(stream, [event])
        else own.push(event)
      }
      for (const [stream, own] of byStream)
        for (const watcher of watchers.get(stream) ?? []) watcher.hear(own)
    },
    lookAgain() {
      for (const here of watchers.values()) for (const watcher of here) watcher.hear('missed')
    },
    watch(stream) {
      const here = watchers.get(stream) ?? new Set()
      watchers.set(stream, here)
      const watcher = createWatcher(() => {
        here.delete(watcher)
        if (here.size === 0 && watchers.get(stream) === here) watchers.delete(stream)
      })
      here.add(watcher)
      return watcher
    },
  }
}
