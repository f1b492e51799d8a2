// Reads the variables of the model: the address of its endpoint, its name and key, and how the endpoint is spoken to.

import { CannotStart } from '../../contract/cannot-start.ts'
import { isSwitch, type Switches, switches } from '../../model-requests/switches.ts'
import { atLeastOne, type Env, headerText, wholeNumber } from '../../platform/variables.ts'
import type { SdkSettings } from './ai-sdk/endpoint.ts'
import { packageIn } from './ai-sdk/settings.ts'
import type { EndpointSettings } from './configured-endpoint.ts'
import { type DialectName, dialectNames, dialectOf } from './dialects.ts'
import type { Limits } from './limits.ts'
import { shownUrl } from './secrets.ts'
import { wireAt, wires } from './wires.ts'

/** An endpoint that Reprise speaks to itself, or one behind a provider package. */
export type ModelSettings = Readonly<(EndpointSettings | SdkSettings) & { limits: Readonly<Limits> }>

/** A list of names, for people. */
const named = (names: readonly string[]): string => names.join(', ')

const dialectIn = ({ MODEL_DIALECT: given }: Env): DialectName | undefined => {
  if (!given) return undefined
  const name = dialectNames.find(each => each === given)
  if (name !== undefined) return name
  throw new CannotStart(`MODEL_DIALECT=${given} is no dialect: use one of ${named(dialectNames)}`)
}

/** Switches as `name=value`, with spaces or commas between them. */
const switchesIn = ({ MODEL_SWITCHES: given = '' }: Env): Partial<Switches> => {
  const set: Record<string, string> = {}
  for (const each of given.split(/[\s,]+/).filter(text => text !== '')) {
    const [name = '', value = ''] = each.split('=')
    if (!Object.hasOwn(switches, name)) {
      throw new CannotStart(
        `MODEL_SWITCHES=${given} names ${name}, which is no switch: use ${named(Object.keys(switches))}`,
      )
    }
    if (!isSwitch(name, value)) {
      const values = named(switches[name as keyof Switches].values)
      throw new CannotStart(`MODEL_SWITCHES=${given} gives ${name} an unknown value: use one of ${values}`)
    }
    set[name] = value
  }
  return set as Partial<Switches>
}

/** Throws CannotStart unless the base URL, if there is one, is a URL without a user and a password. */
const checkUrl = (baseUrl: string | undefined): void => {
  if (!baseUrl) return
  if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol)) {
    throw new CannotStart(`MODEL_BASE_URL=${shownUrl(baseUrl)} is no http or https URL`)
  }
  const { username, password } = new URL(baseUrl)
  if (username || password) {
    throw new CannotStart('MODEL_BASE_URL must not hold a user or a password: put the key into MODEL_API_KEY')
  }
}

const addressIn = (env: Env): { baseUrl: string; model: string } | undefined => {
  const { MODEL_BASE_URL: baseUrl, MODEL: model } = env
  if (!baseUrl && !model) return undefined
  if (!baseUrl)
    throw new CannotStart(`MODEL=${model} is set without MODEL_BASE_URL: set that to the URL of its endpoint`)
  checkUrl(baseUrl)
  if (!model) {
    throw new CannotStart(
      `MODEL_BASE_URL=${shownUrl(baseUrl)} is set without MODEL: set that to the name of a model`,
    )
  }
  return { baseUrl, model }
}

/** Throws when the URL ends with the path of another protocol than the dialect speaks. */
const checkPath = (baseUrl: string, dialect: DialectName | undefined): void => {
  const at = wireAt(baseUrl)
  if (dialect === undefined || at === undefined || at === dialectOf(dialect).protocol) return
  throw new CannotStart(
    `MODEL_DIALECT=${dialect} speaks another protocol than the end of MODEL_BASE_URL says (${wires[at].path}): leave one of them out`,
  )
}

/** The settings of the model; undefined: none is configured. Throws CannotStart when a value is invalid. */
export const modelOf = (env: Env): ModelSettings | undefined => {
  checkUrl(env.MODEL_BASE_URL)
  const behind = packageIn(env)
  const [address, dialect, set] = [behind ?? addressIn(env), dialectIn(env), switchesIn(env)]
  if (address === undefined) return undefined
  if ('baseUrl' in address) checkPath(address.baseUrl, dialect)
  if (env.MODEL_API_KEY && !headerText.test(env.MODEL_API_KEY)) {
    throw new CannotStart(
      'MODEL_API_KEY must be printable ASCII without spaces, since it is sent in a header',
    )
  }
  return Object.freeze({
    ...address,
    apiKey: env.MODEL_API_KEY || undefined,
    dialect,
    switches: Object.freeze(set),
    silenceMs: atLeastOne(env, 'MODEL_TIMEOUT_SECONDS', 120, 86_400) * 1000,
    limits: Object.freeze({
      steps: wholeNumber(env, 'MODEL_MAX_STEPS', 200),
      tokens: wholeNumber(env, 'MODEL_MAX_TOKENS', 0),
      seconds: wholeNumber(env, 'MODEL_MAX_SECONDS', 0),
    }),
  })
}
