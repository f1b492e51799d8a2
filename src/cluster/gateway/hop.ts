// Signs requests from node to node, and checks the signatures. So a node knows which requests come from another node.
// One header has the signature: the name of the node, the time in Unix milliseconds, a number used once, and an HMAC.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { World } from '../../contract/ports.ts'
import { createNonces } from './nonces.ts'

/** The clocks of the node that signs and of the node that checks may differ by this many milliseconds. */
const mostMs = 30_000

/** A request from another node. `nonce` is the number that only this request has. */
export type Hop = { node: string; nonce: string }
/** What is wrong with a signature. */
export type BadHop = 'forged' | 'repeated'
/**
 * A request whose signature is good, but is too old or from the future: the clocks of the nodes differ, or the request
 * was kept back. `aheadMs`: how far the clock of the node is ahead of the clock here.
 */
export type UntimelyHop = Hop & { aheadMs: number }

type Signed = { method: string; path: string }
type Deps = { key: Uint8Array; node: string; world: Pick<World, 'clock' | 'random'> }

const form = /^([\w.-]{1,64}) (\d{13}) ([\w-]{22}) ([\w-]{43})$/
/** The form in which a node tells its time. */
const timeForm = /^([\w.-]{1,64}) (\d{13}) ([\w-]{43})$/

export const createHops = ({ key, node, world: { clock, random } }: Deps) => {
  const nonces = createNonces()
  const macOf = ({ method, path }: Signed, ...rest: string[]): Buffer =>
    createHmac('sha256', key)
      .update([method, path, ...rest].join('\n'))
      .digest()
  const timeMacOf = (nonce: string, from: string, time: string): Buffer =>
    macOf({ method: 'time', path: nonce }, from, time)
  return {
    /** A new value of the header for a request, and its nonce. `path` includes the query. */
    sign(request: Signed): Hop & { text: string } {
      const [time, nonce] = [String(clock.now()), random.text(16)]
      const mac = macOf(request, node, time, nonce).toString('base64url')
      return { node, nonce, text: `${node} ${time} ${nonce} ${mac}` }
    },
    /** Checks the value of the header. Each value is accepted only once. */
    check(request: Signed, text: string): Hop | UntimelyHop | BadHop {
      const [, from = '', time = '', nonce = '', mac = ''] = form.exec(text) ?? []
      if (!timingSafeEqual(macOf(request, from, time, nonce), macBytes(mac))) return 'forged'
      const now = clock.now()
      const aheadMs = Number(time) - now
      if (Math.abs(aheadMs) > mostMs) return { node: from, nonce, aheadMs }
      return nonces.isFirst(nonce, Number(time), now) ? { node: from, nonce } : 'repeated'
    },
    /** Tells the time of this node to the node that sent the request with this nonce. */
    tellTime(nonce: string): string {
      const time = String(clock.now())
      return `${node} ${time} ${timeMacOf(nonce, node, time).toString('base64url')}`
    },
    /**
     * What another node has told in its answer to the request with this nonce: its name, and how far its clock is ahead
     * of the clock here. Undefined: no node has told it.
     */
    timeTold(nonce: string, text: string): { node: string; aheadMs: number } | undefined {
      const [, from = '', time = '', mac = ''] = timeForm.exec(text) ?? []
      if (!timingSafeEqual(timeMacOf(nonce, from, time), macBytes(mac))) return undefined
      return { node: from, aheadMs: Number(time) - clock.now() }
    },
  }
}
export type Hops = ReturnType<typeof createHops>

/** The 32 bytes of an HMAC. Bytes of any other length become 32 zeros, which no HMAC is. */
const macBytes = (text: string): Buffer => {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.length === 32 ? bytes : Buffer.alloc(32)
}
