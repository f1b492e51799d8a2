// Reads the body of a create for a principal: with the folders of the user, the agents of this server, and the check of
// JSON Schemas. All code that creates a task from a body uses this reader.
import { foldersOf, type Roots } from '../access/user-folders.ts'
import { callerOf, ownerOf, type Principal } from '../contract/events/token-events.ts'
import type { GivenPush } from '../contract/events/webhook-events.ts'
import { Invalid } from '../contract/refusals.ts'
import type { CreateTaskBody } from '../contract/wire.ts'
import { digestOfBody } from '../platform/digest.ts'
import { webhookProblems } from '../webhooks/webhook-problems.ts'
import type { AgentChoice } from './request/agent-choice.ts'
import { allProblems, readTaskRequest, type TaskRequest } from './request.ts'

type Deps = {
  roots: Roots
  agentsOf: (user: string) => AgentChoice
  /** The problems of a JSON Schema from a caller. Users take turns. */
  problemsOfSchema: (schema: object, user: string) => Promise<string[]>
  /** Whether the server never sends a request to a URL. */
  isRefused: (url: string) => boolean
}

export const createRequestReader = ({ roots, agentsOf, problemsOfSchema, isRefused }: Deps) => {
  const checksOf = (principal: Principal, body: unknown) => {
    const named = (body as Partial<CreateTaskBody> | null)?.user_id
    const ofSchema = (schema: object) => problemsOfSchema(schema, callerOf(principal))
    const owner = ownerOf(principal, named)
    return [foldersOf(roots, owner), agentsOf(owner), ofSchema, isRefused] as const
  }
  return {
    /** Throws Invalid with all problems. `digest`: the digest of the body, if it was computed before. */
    read: (principal: Principal, body: CreateTaskBody, digest?: string): Promise<TaskRequest> =>
      readTaskRequest(body, digest, ...checksOf(principal, body)),

    /** A request that also asks for a webhook in the form of another protocol. Throws Invalid when it cannot be one. */
    withPush(request: TaskRequest, { url, headers, ...push }: GivenPush): TaskRequest {
      const problems = webhookProblems({ url, headers }, isRefused)
      if (problems.length > 0) throw new Invalid(problems)
      const names = Object.keys(headers)
      const stored = { ...push, url, ...(names.length === 0 ? {} : { header_names: names }) }
      const secrets = names.length === 0 ? {} : { webhook: { headers } }
      return {
        ...request,
        push: stored,
        secrets: { ...request.secrets, ...secrets },
        digest: digestOfBody({ digest: request.digest, push: stored }),
      }
    },

    /** All problems of a body: those that the schema found, and those that no schema can find. */
    invalid: async (principal: Principal, body: unknown, found: Error): Promise<Error> =>
      found instanceof Invalid ? allProblems(body, found, ...checksOf(principal, body)) : found,
  }
}
export type RequestReader = ReturnType<typeof createRequestReader>
