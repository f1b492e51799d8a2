// What a question is, and what is found with it.
import type { ModelEndpoint } from '../../agents/model/endpoint.ts'
import type { Switches } from '../../model-requests/switches.ts'

/** `works`: `partly` if the agent can work without it. */
export type Finding = { name: string; works: 'yes' | 'partly' | 'no'; says: string }

/** The endpoint has answered, but not as it should. */
export class Unfit extends Error {}

type Change = Partial<Switches>

/**
 * `needed`: without it the agent cannot work. `tries`: switches that may help when the endpoint refuses in words that
 * say nothing, or answers in a way that does not fit. `without`: the switch without which there is no such part: if it
 * helps, the endpoint has not got what was asked for.
 */
export type Question = {
  name: string
  needed?: true
  tries?: readonly Change[]
  without?: Change
  ask: (endpoint: ModelEndpoint) => Promise<Finding[]>
}

export const yes = (name: string, says: string): Finding => ({ name, works: 'yes', says })
export const partly = (name: string, says: string): Finding => ({ name, works: 'partly', says })
export const quoted = (text: string): string => `“${text.length > 60 ? `${text.slice(0, 60)}…` : text}”`

/** An endpoint that is asked with these switches, whatever it has learned. */
export const withSwitches = (endpoint: ModelEndpoint, set: Change): ModelEndpoint => ({
  ...endpoint,
  asks(model) {
    const asked = endpoint.asks(model)
    return { ...asked, switches: { ...asked.switches, ...set } }
  },
  learns: (asked, refused) => endpoint.learns(endpoint.asks(asked.model), refused),
})
