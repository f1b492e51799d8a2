// Hands numbered entries to many subscribers: first past entries, then new ones, without a gap or a repeat. The newest
// entries are in a window. New entries go to each live subscriber at once, or in turns of the event loop when they are
// many. Nothing is kept for a subscriber that is slow: it goes on from the window or, if it is too slow for the window,
// from its past.
import { Members, TransientMap } from '../platform/transient.ts'
import { indexAfter, type Window } from './window.ts'

/** All entries after a number that a subscriber may want, up to the number `upTo`. */
export type Page<Entry> = { entries: readonly Entry[]; upTo: number }

/** Reads the past of one subscriber. */
export type Past<Entry> = {
  /** The page after a number; undefined: nothing is stored after it. */
  next(after: number): Promise<Page<Entry> | undefined>
  /** Releases what the reading has taken, such as its place. The next call of `next` reads from the start again. */
  close(): void
}

type Request<Entry> = {
  /** Undefined: the subscriber gets the entries of all groups. */
  readonly group?: string | undefined
  readonly past: Past<Entry>
  /**
   * Takes entries, all of them after `position`, and moves `position` behind what it has taken. Returns false when the
   * subscriber has enough for now. From the window the list may be empty. Others get the same list, so it must not be changed.
   */
  readonly take: (entries: readonly Entry[]) => boolean
  /** Called when the entries cannot be read. The subscriber is closed then. */
  readonly onFault: (error: unknown) => void
  /** The number up to which the subscriber has taken everything that is for it. */
  position: number
}

export type Subscriber<Entry> = Request<Entry> & {
  /**
   * Reading: pages of its past are read for it. Live: it gets new entries as soon as they are published. Full: it gets
   * nothing until it resumes. Closed: it gets nothing any more.
   */
  state: 'reading' | 'live' | 'full' | 'closed'
  /** Takes the subscriber off the list of its group. */
  leave: () => void
  /** Whether it came after a fault. Then it reads the past, which may be readable again, until the broadcast goes on. */
  readonly isLate: boolean
}

type Group = string | undefined

type Parts<Entry> = {
  window: Window<Entry>
  /** The group of an entry. Absent: there are no groups, and each subscriber gets all entries. */
  groupOf?: (entry: Entry) => string
  /** Awaited between two turns in which subscribers of a group are served. */
  pause: (group: Group) => Promise<void>
  /** The largest number of subscribers of one group that are served in one turn of the event loop. */
  atOnce?: number | undefined
}

export const createBroadcast = <Entry>({ window: first, groupOf, pause, atOnce = 128 }: Parts<Entry>) => {
  type Member = Subscriber<Entry>
  const groups = new TransientMap<Group, Members<Member>>()
  /** The groups that are served in turns at the moment. */
  const inTurns = new Map<Group, Promise<void>>()
  let window = first
  let failure: { error: unknown } | undefined
  let subscribers = 0

  const join = (member: Member): void => {
    const { group } = member
    const here = groups.get(group) ?? new Members()
    groups.set(group, here)
    const leave = here.join(member)
    member.leave = () => {
      leave()
      if (here.size === 0) groups.delete(group)
    }
    subscribers++
  }
  const close = (member: Member): void => {
    if (member.state === 'closed') return
    member.state = 'closed'
    member.leave()
    member.past.close()
    subscribers--
  }
  const fault = (member: Member, error: unknown): void => {
    if (member.state === 'closed') return
    close(member)
    member.onFault(error)
  }

  /** Returns false when the subscriber takes no more for now. */
  const give = (member: Member, entries: readonly Entry[]): boolean => {
    const takesMore = member.take(entries)
    if (member.state === 'closed') return false
    if (!takesMore) member.state = 'full'
    return takesMore
  }
  /** Hands over the rest from the window; then the subscriber is live. Returns false when the window has not all of it. */
  const giveRest = (member: Member): boolean => {
    const rest = member.isLate && failure !== undefined ? undefined : window.after(member.position)
    if (rest === undefined) return false
    member.past.close()
    if (!give(member, rest)) return true
    member.position = Math.max(member.position, window.upTo())
    if (failure === undefined) member.state = 'live'
    else fault(member, failure.error)
    return true
  }
  const readPast = async (member: Member): Promise<void> => {
    do {
      const page = await member.past.next(member.position)
      if (member.state !== 'reading') return
      if (page === undefined) throw new Error(`nothing is stored after position ${member.position}`)
      if (page.entries.length > 0 && !give(member, page.entries)) return
      const before = member.position
      member.position = Math.max(member.position, page.upTo)
      if (member.position === before) await pause(member.group) // else an empty past would be asked in a loop of its own
      if (member.state !== 'reading') return
    } while (!giveRest(member))
  }
  const catchUp = (member: Member): void => {
    if (giveRest(member)) return
    member.state = 'reading'
    readPast(member).catch(error => fault(member, error))
  }

  /** Each gets all entries that were published since its last turn together. `before`: all of them have those up to it. */
  const serveInTurns = async (group: Group, before: number): Promise<void> => {
    let end = () => {}
    inTurns.set(group, new Promise(resolve => (end = resolve)))
    let upTo: number
    do {
      upTo = window.upTo()
      let served = 0
      for (const member of [...(groups.get(group) ?? [])]) {
        if (member.state !== 'live' || member.position >= window.upTo()) continue
        member.position = Math.max(member.position, before)
        catchUp(member)
        if (++served % atOnce === 0) await pause(group)
      }
    } while (window.upTo() > upTo)
    inTurns.delete(group)
    end()
  }
  const serve = (group: Group, entries: readonly Entry[], before: number): void => {
    const here = groups.get(group)
    if (here === undefined || inTurns.has(group)) return
    if (here.size > atOnce) return void serveInTurns(group, before)
    const { numberOf } = window
    const begin = numberOf(entries[0] as Entry)
    for (const member of here) {
      if (member.state !== 'live') continue
      // The subscriber may have read some of these entries before they were published. It does not get them again.
      const hasSome = begin <= member.position
      give(member, hasSome ? entries.slice(indexAfter(entries, member.position, numberOf)) : entries)
    }
  }
  /** Groups the entries. Those of groups without subscribers are left out. */
  const byGroup = (entries: readonly Entry[]): Map<string, Entry[]> => {
    const found = new Map<string, Entry[]>()
    if (groupOf === undefined) return found
    for (const entry of entries) {
      const group = groupOf(entry)
      if (!groups.has(group)) continue
      const own = found.get(group)
      if (own === undefined) found.set(group, [entry])
      else own.push(entry)
    }
    return found
  }

  return {
    /** Adds a subscriber, which gets nothing until it resumes for the first time. */
    subscribe(request: Request<Entry>): Member {
      const member: Member = { ...request, state: 'full', leave: () => {}, isLate: failure !== undefined }
      join(member)
      return member
    },
    /** Goes on after `take` has returned false. */
    resume(member: Member): void {
      if (member.state !== 'full') return
      member.state = 'reading' // so that `take` cannot resume
      catchUp(member)
    },
    close,
    hasSubscribers: (): boolean => subscribers > 0,
    /** The number up to which a subscriber has its entries: if it is live and waits for no turn, all published ones. */
    passed: ({ state, position, group }: Member): number =>
      state === 'live' && !inTurns.has(group) ? Math.max(position, window.upTo()) : position,

    /** Publishes all entries that are not published yet, up to a number. While there is no subscriber, none is kept. */
    publish(entries: readonly Entry[], upTo: number): void {
      if (subscribers === 0) return void window.clear(upTo)
      const before = window.upTo()
      window.add(entries, upTo)
      if (entries.length === 0) return
      serve(undefined, entries, before)
      for (const [group, own] of byGroup(entries)) serve(group, own, before)
    },
    /** Resolves when the subscribers of a group have what was published. Undefined: they have it already. */
    served: (group?: Group): Promise<void> | undefined => inTurns.get(group),
    /** Drops the kept entries: subscribers that are behind then read the past. */
    forget: (): void => window.clear(window.upTo()),
    /** Goes on with another window, which has all entries up to those that are published next. */
    goOn(next: Window<Entry>): void {
      window = next
      failure = undefined
    },
    /** Called when later entries cannot be read. Each subscriber first gets everything in the window, and then the error. */
    fail(error: unknown): void {
      failure = { error }
      for (const here of [...groups.values()])
        for (const member of [...here]) if (member.state === 'live') fault(member, error)
    },
  }
}
export type Broadcast<Entry> = ReturnType<typeof createBroadcast<Entry>>
