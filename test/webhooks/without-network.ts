// Webhooks of a system without a network: a receiver that answers as the test says, and the clock of the test.
import { fits } from '../../src/bus/event-filter.ts'
import { publishedOf } from '../../src/bus/published.ts'
import type { Principal } from '../../src/contract/events/token-events.ts'
import { admin, quiet, type TestSystem } from '../support/system.ts'
import { testWorld } from '../support/world.ts'

export type Reply = number | 'hang' | 'fail' | { status: number; headers: Record<string, string> }
export const second = 1000
export const hour = 3600 * second
export const day = 24 * hour

/** `signatures`: how many there are. */
type Request = { id: string; url: string; at: number; ok: boolean; body: string; signatures: number }

/** A receiver without a network: it answers as the test says, then with 200. */
export const receiver = (replies: Reply[] = []) => {
  const requests: Request[] = []
  const usual = testWorld()
  // Without the rounds that come several times a second, days pass quickly.
  const every = (ms: number, job: () => void) => (ms < hour ? () => {} : usual.timers.every(ms, job))
  const world = { ...usual, timers: { ...usual.timers, every } }
  let onRequest = () => {}
  let isDead = () => false
  const outside = {
    async fetch(url: string | URL, init?: RequestInit): Promise<Response> {
      if (isDead()) throw new Error('a killed server sends nothing')
      const reply = replies.shift() ?? 200
      const status = typeof reply === 'object' ? reply.status : Number(reply)
      const headers = new Headers(init?.headers)
      const id = headers.get('webhook-id') ?? ''
      const signatures = headers.get('webhook-signature')?.split(' ').length ?? 0
      const body = String(init?.body)
      const ok = status >= 200 && status < 300
      requests.push({ id, url: String(url), at: world.clock.now(), ok, body, signatures })
      onRequest()
      if (reply === 'fail') throw new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } })
      if (reply === 'hang')
        return new Promise((_, reject) => {
          init?.signal?.addEventListener('abort', () => reject(new Error('aborted')))
        })
      return new Response('', typeof reply === 'object' ? reply : { status })
    },
    isRefused: () => false,
    close: async () => {},
  }
  return {
    requests,
    outside,
    world,
    replies,
    accepted: () => requests.filter(({ ok }) => ok).map(({ id }) => Number(id)),
    watch: (look: () => void, dead: () => boolean) => {
      onRequest = look
      isDead = dead
    },
  }
}

export const asked = { principal: admin, requestId: 'req' }
export const make = (system: TestSystem, more: object = {}, principal: Principal = admin) =>
  system.webhooks.commands.create(
    { principal, requestId: 'req' },
    { body: { url: 'https://x.example/', ...more }, found: [] },
  )
export const settleAll = async (system: TestSystem) => {
  await quiet(system)
  await system.world.advance(2000)
  await quiet(system)
}
/** The positions of the public events that a webhook of all users sends. */
export const expected = async (system: TestSystem, after: number): Promise<number[]> =>
  publishedOf(await system.stored())
    .filter(published => published.position > after && fits({}, published))
    .map(({ position }) => position)
export const info = (system: TestSystem, id: string) => system.webhooks.queries.visible(admin, id)
