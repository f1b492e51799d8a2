// Who may act while nobody asks. What a user has set up (a webhook, a cron job) acts as its maker: it pauses when the user has
// no valid token left, because the last one was revoked or has expired, and goes on by itself when the user has one again.
import { principalEvents } from '../contract/decoders/principal.ts'
import type { World } from '../contract/ports.ts'
import type { Recorded } from '../contract/stored.ts'
import type { TokenRow } from '../tasks/queries.ts'

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
/** `rows`: all tokens that are not revoked, as the read models have them now. */
export const createMakers = (
  rows: () => readonly TokenRow[],
  { clock, timers }: Pick<World, 'clock' | 'timers'>,
) => {
  /** The ends of the valid tokens of each user, by the ids of the tokens. */
  const ofUsers = new Map<string, Map<string, number>>()
  const userOf = new Map<string, string>()
  const withoutUser = new Set<string>()
  const listeners: (() => void)[] = []
  let cancel = () => {}

  const add = (id: string, userId: string | null | undefined, expiresAt: number | null | undefined): void => {
    if (userId === null || userId === undefined) return void withoutUser.add(id)
    const own = ofUsers.get(userId) ?? new Map<string, number>()
    ofUsers.set(userId, own.set(id, expiresAt ?? Number.POSITIVE_INFINITY))
    userOf.set(id, userId)
  }
  const remove = (id: string): void => {
    withoutUser.delete(id)
    const userId = userOf.get(id) ?? ''
    const own = ofUsers.get(userId)
    own?.delete(id)
    userOf.delete(id)
    if (own?.size === 0) ofUsers.delete(userId)
  }
  /** When the next token expires; undefined: none does. */
  const nextEnd = (): number | undefined => {
    const now = clock.now()
    const ends = [...ofUsers.values()].flatMap(own => [...own.values()]).filter(until => until > now)
    const next = ends.reduce((least, until) => Math.min(least, until), Number.POSITIVE_INFINITY)
    return next === Number.POSITIVE_INFINITY ? undefined : next
  }
  const tell = (): void => {
    for (const listener of listeners) listener()
  }
  const watch = (): void => {
    cancel()
    const next = nextEnd()
    if (next === undefined) return
    cancel = timers.after(Math.min(longestMs, next - clock.now()), () => {
      watch()
      if (next <= clock.now()) tell()
    })
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
        if (event?.type === 'TokenRevoked') remove(event.data.token_id)
        else if (event?.type === 'TokenCreated')
          add(event.data.token_id, event.data.user_id, event.data.expires_at)
        else continue
        isNews = true
      }
      if (!isNews) return
      watch()
      tell()
    },
    /**
     * Whether what this maker has set up may act now. All tokens without a user are one maker together, and the operator's
     * own is always among them.
     */
    mayAct({ token, userId }: Maker): boolean {
      if (userId === null || always.has(token) || withoutUser.has(token)) return true
      return [...(ofUsers.get(userId)?.values() ?? [])].some(until => until > clock.now())
    },
    /** Calls this when a token was made, was revoked or has expired. */
    onChange: (listener: () => void): void => void listeners.push(listener),
    stop: (): void => cancel(),
  }
}
