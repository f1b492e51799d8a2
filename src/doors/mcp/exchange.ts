// One request of a client and what its answer needs.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { may, roleRefused, type TokenAccess } from '../../access/roles.ts'
import type { EnvironmentDoor, McpDoor } from '../../http/doors.ts'
import type { DoorDeps } from '../ask.ts'

export type McpDeps = DoorDeps & EnvironmentDoor & { mcp: McpDoor }

/** What the client can do. `isModern`: it speaks 2026-07-28, otherwise 2025-11-25 or an older version. */
export type Client = { isModern: boolean; elicits: boolean; hasTasks: boolean }

export type Exchange = {
  deps: McpDeps
  request: FastifyRequest
  reply: FastifyReply
  client: Client
  /** The id of the request. */
  id: string | number
  /** The parameters as the client sent them, with exact numbers. */
  params: Record<string, unknown>
  /** Tells the client how far its request is, if it wants to know. The numbers must grow. */
  tell: (progress: number, message: string) => void
  /** Aborts when the client cancels the request by a message, which only clients of older versions do. */
  canceled: AbortSignal
  /** Sends a request of ours on the stream of the answer. Only clients of older versions know such requests. */
  send: (message: object) => Promise<void>
}

/** Throws if the role of the caller does not have this access. */
export const mustHave = (
  { request: { principal } }: Pick<Exchange, 'request'>,
  access: TokenAccess,
): void => {
  if (!may(principal.role, access)) throw roleRefused(principal.role, access)
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
