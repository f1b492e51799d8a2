// Who may act while nobody asks. What a user has set up (a webhook, a cron job) acts as its maker: it pauses when the user has
// no valid token left, because the last one was revoked or has expired, and goes on by itself when the user has one again.
import { principalEvents } from '../contract/decoders/principal.ts'
import type { World } from '../contract/ports.ts'
import type { Recorded } from '../contract/stored.ts'
import type { MakerRow } from '../tasks/queries.ts'

/** The longest time between two looks for expired tokens, in milliseconds: the operator may set the clock. */
const longestMs = 60_000

/** Principals that are no tokens of the log: the operator's own token, and the server itself. */
const always: ReadonlySet<string> = new Set(['admin', 'system'])

/**
 * The token with which something was set up, and the user as whom it acts; null: as nobody in particular. A token without a
 * user may set up something that acts as a user.
 */
export type Maker = { token: string; userId: string | null }
export type Makers = ReturnType<typeof createMakers>
/** `rows`: the tokens that are not revoked, and all tokens without a user, as the read models have them now. */
export const createMakers = (
  rows: () => readonly MakerRow[],
  { clock, timers }: Pick<World, 'clock' | 'timers'>,
) => {
  /** The ends of the valid tokens of each user, by the ids of the tokens. */
  const ofUsers = new Map<string, Map<string, number>>()
  const userOf = new Map<string, string>()
  /** All tokens without a user, also those that were revoked. */
  const withoutUser = new Set<string>()
  const listeners: (() => void)[] = []
  let lookedAt = clock.now()
  let wakesAt = Number.POSITIVE_INFINITY
  let cancel = () => {}

  const add = (id: string, userId: string | null | undefined, expiresAt: number | null | undefined): void => {
    if (userId === null || userId === undefined) return void withoutUser.add(id)
    const own = ofUsers.get(userId) ?? new Map<string, number>()
    ofUsers.set(userId, own.set(id, expiresAt ?? Number.POSITIVE_INFINITY))
    userOf.set(id, userId)
  }
  const remove = (id: string): void => {
    const userId = userOf.get(id) ?? ''
    const own = ofUsers.get(userId)
    own?.delete(id)
    userOf.delete(id)
    if (own?.size === 0) ofUsers.delete(userId)
  }
  const hasValid = (userId: string): boolean => {
    const now = clock.now()
    for (const until of ofUsers.get(userId)?.values() ?? []) if (until > now) return true
    return false
  }
  const tell = (): void => {
    for (const listener of listeners) listener()
  }
  /** Looks again when the next token expires, or when a clock that is set back makes an expired one valid. */
  const watch = (): void => {
    cancel()
    const now = clock.now()
    let hasEnds = false
    wakesAt = now + longestMs
    for (const own of ofUsers.values()) {
      for (const until of own.values()) {
        if (until === Number.POSITIVE_INFINITY) continue
        hasEnds = true
        if (until > now && until < wakesAt) wakesAt = until
      }
    }
    if (!hasEnds) wakesAt = Number.POSITIVE_INFINITY
    else cancel = timers.after(wakesAt - now, look)
  }
  const look = (): void => {
    const now = clock.now()
    const [from, to] = [Math.min(lookedAt, now), Math.max(lookedAt, now)]
    const changes = [...ofUsers.values()].some(own =>
      [...own.values()].some(until => from < until && until <= to),
    )
    lookedAt = now
    watch()
    if (changes) tell()
  }
  /** Reads all tokens again. */
  const fill = (): void => {
    ofUsers.clear()
    userOf.clear()
    withoutUser.clear()
    for (const { id, user_id, expires_at } of rows()) add(id, user_id, expires_at)
    watch()
  }
  fill()

  return {
    fill,
    /** Applies the events that were just committed. */
    take(events: readonly Recorded[]): void {
      let isNews = false
      for (const stored of events) {
        const event = principalEvents.find(stored)
        if (event?.type !== 'TokenRevoked' && event?.type !== 'TokenCreated') continue
        const { token_id: id } = event.data
        const user = event.type === 'TokenCreated' ? event.data.user_id : userOf.get(id)
        const before = user !== undefined && hasValid(user)
        if (event.type === 'TokenCreated') add(id, user, event.data.expires_at)
        else remove(id)
        isNews ||= !(before && hasValid(user))
        if (event.type === 'TokenCreated' && (event.data.expires_at ?? wakesAt) < wakesAt) watch()
      }
      if (isNews) tell()
    },
    /**
     * Whether what this maker has set up may act now. All tokens without a user are one maker together, and the operator's
     * own is always among them.
     */
    mayAct({ token, userId }: Maker): boolean {
      if (userId === null || always.has(token) || withoutUser.has(token)) return true
      return hasValid(userId)
    },
    /** Calls this when a user has a first valid token, or no valid token any more. */
    onChange: (listener: () => void): void => void listeners.push(listener),
    stop: (): void => cancel(),
  }
}
