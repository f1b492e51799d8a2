// The endpoint that the operator has configured, in the protocol of its dialect.
import { createHash } from 'node:crypto'
import type { Timers } from '../../contract/ports.ts'
import type { Asked } from '../../model-requests/request.ts'
import type { Switches } from '../../model-requests/switches.ts'
import { authAt, type DialectName, dialectOf, guessedDialect, switchesOf } from './dialects.ts'
import type { ModelEndpoint } from './endpoint.ts'
import type { ModelRefused } from './failures.ts'
import { createHttpEndpoint } from './http.ts'
import { createLessons } from './lessons.ts'
import { secretsOfUrl } from './secrets.ts'
import { isAboutBody, learned } from './switches-learned.ts'
import { wires } from './wires.ts'

/** `dialect`: the operator's choice; undefined: the address and the model tell. `switches`: what the operator sets. */
export type EndpointSettings = {
  baseUrl: string
  apiKey: string | undefined
  model: string
  silenceMs: number
  dialect?: DialectName | undefined
  switches?: Readonly<Partial<Switches>>
}

/** The address of a path below the base URL. A query of the base URL, such as the version of Azure's API, stays. */
export const urlBelow = (baseUrl: string, path: string): string => {
  const url = new URL(baseUrl)
  const base = url.pathname.replace(/\/+$/, '')
  url.pathname = base.endsWith(path) ? base : `${base}${path}`
  url.hash = ''
  return url.href
}

/** An id of the endpoint that does not tell its address to those who read the log. */
export const endpointId = (baseUrl: string): string => {
  const { origin, pathname } = new URL(baseUrl)
  return createHash('sha256')
    .update(`${origin}${pathname.replace(/\/+$/, '')}`)
    .digest('base64url')
    .slice(0, 12)
}

export const createConfiguredEndpoint = (settings: EndpointSettings, timers: Timers): ModelEndpoint => {
  const { baseUrl, apiKey, model, silenceMs, dialect: chosen, switches: own = {} } = settings
  const endpoint = endpointId(baseUrl)
  const dialect = chosen ?? guessedDialect(baseUrl, model)
  const auth = authAt(baseUrl, dialect)
  const { protocol } = dialectOf(dialect)
  const { path, headers, createReader } = wires[protocol]
  const key = auth === 'bearer' ? { authorization: `Bearer ${apiKey}` } : { [auth]: apiKey ?? '' }
  const spokenTo = (name: string): DialectName => chosen ?? guessedDialect(baseUrl, name)
  const learn = (present: Switches, refused: ModelRefused) => learned(present, refused, protocol)
  const lessons = createLessons(name => switchesOf(spokenTo(name)), own, learn)

  const asks = (name: string): Asked => {
    const spoken = spokenTo(name)
    const switches = lessons.switchesOf(name)
    return {
      model: name,
      endpoint,
      ...(protocol === 'chat' ? {} : { protocol }),
      ...(spoken === 'plain' ? {} : { dialect: spoken }),
      ...(switches === undefined ? {} : { switches }),
    }
  }

  return {
    model,
    dialect,
    asks,
    answer: createHttpEndpoint(
      {
        url: urlBelow(baseUrl, path),
        headers: { ...headers, ...(apiKey === undefined ? {} : key) },
        secrets: [...(apiKey === undefined ? [] : [apiKey]), ...secretsOfUrl(baseUrl)],
        silenceMs,
        createReader,
      },
      timers,
    ),
    learns: (asked, refused) => (isAboutBody(refused) ? lessons.learns(asked, refused) : undefined),
  }
}
