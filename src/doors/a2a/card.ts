// The card of an agent: what it says of itself before anybody asks it something.
import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AgentCard } from '../../contract/a2a/objects.ts'
import { Refusal } from '../../contract/refusals.ts'
import { apiVersion } from '../../contract/responses.ts'
import type { AgentInfo } from '../../contract/wire.ts'
import type { Serving } from '../../http/doors.ts'
import type { DoorDeps } from '../ask.ts'
import { protocolVersion } from './names.ts'
import { inputModes, outputModes } from './parts.ts'

/** The address of the server as the client of this request knows it. */
const rootFor = ({ root }: Pick<Serving, 'root'>, { headers, protocol }: FastifyRequest): string =>
  root !== '' ? root : `${protocol}://${headers.host ?? 'localhost'}`

/** Agents with names that are paths below the address of the default agent: they are reached there, by `tenant`. */
const shadowed: ReadonlySet<string> = new Set(['tasks', 'extendedAgentCard'])
const interfacesOf = (name: string, root: string, path: string): AgentCard['supportedInterfaces'] => {
  if (path !== '/a2a' && shadowed.has(name))
    return [{ url: `${root}/a2a`, protocolBinding: 'JSONRPC', protocolVersion, tenant: name }]
  const url = `${root}${path}`
  return ['JSONRPC', 'HTTP+JSON'].map(protocolBinding => ({ url, protocolBinding, protocolVersion }))
}

const cardOf = ({ name, description, version }: AgentInfo, root: string, path: string): AgentCard => {
  const about = description || `The agent ${name}.`
  return {
    name,
    description: about,
    version: version ?? apiVersion,
    documentationUrl: `${root}/docs`,
    supportedInterfaces: interfacesOf(name, root, path),
    capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: false },
    securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    defaultInputModes: inputModes,
    defaultOutputModes: outputModes,
    skills: [{ id: name, name, description: about, tags: ['agent'] }],
  }
}

/** The token of a request, if it has one, shows the own agents of its user, too. */
const userOf = ({ principals }: Serving, { headers }: FastifyRequest): string | undefined => {
  const [, token = ''] = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? []
  return token === '' ? undefined : principals.authenticate(token)?.userId
}

/** Sends the card of an agent. `name`: undefined: of the default agent. Cards are open: a client has no token before it. */
export const sendCard = (
  { agents, serving }: Pick<DoorDeps, 'agents' | 'serving'>,
  request: FastifyRequest,
  reply: FastifyReply,
  name?: string,
): FastifyReply => {
  const user = userOf(serving, request)
  const wanted = name ?? agents.fallback
  const seen = agents
    .list(user)
    .map(({ info }) => info)
    .filter(({ user_id }) => user_id === undefined || user_id === user)
  const info = seen.find(agent => agent.name === wanted)
  if (info === undefined)
    throw new Refusal('RouteNotFound', undefined, 'there is no agent with this name here')
  const path = name === undefined ? '/a2a' : `/a2a/${encodeURIComponent(name)}`
  const text = JSON.stringify(cardOf(info, rootFor(serving, request), path))
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
  // The card of an own agent is for its user alone.
  const caching = info.user_id === undefined ? 'public, max-age=60' : 'private, no-store'
  const vary = [reply.getHeader('vary') ?? [], 'Authorization'].flat().join(', ')
  void reply.headers({ etag, 'cache-control': caching, vary })
  if (request.headers['if-none-match'] === etag) return reply.code(304).send()
  return reply.type('application/json; charset=utf-8').send(text)
}
