// From the body of a create to what is stored: every problem at once, or which agent runs, where paths lead, and the secret
// values taken out.
import path from 'node:path'
import { segment } from '../access/user-folders.ts'
import { Invalid } from '../contract/refusals.ts'
import { unknownKeys, withoutNulls } from '../contract/schema-walk.ts'
import { CreateTaskBody } from '../contract/wire.ts'
import { ignoredInMcp } from '../mcp/request.ts'
import { agentOf } from './request/agent-choice.ts'
import { type Checks, otherProblems } from './request/rules.ts'
import { digestOfCreate, splitSecrets } from './request-secrets.ts'

const knownFields = new Set(Object.keys(CreateTaskBody.properties))
const ignoredNamed = 100

/** Fields of the interface that no agent of ours does anything with. */
const withoutEffect = ['code_interpreter_config', 'code_for_agent', 'code_for_interpreter'] as const

/** The paths of what has no effect: unknown keys at any depth, and known fields that nothing here reads. */
const ignoredIn = (body: CreateTaskBody): string[] => {
  const { tool_mcp_config, ...config } = body.agent_config ?? {}
  const named = withoutEffect.filter(name => config[name] !== undefined && config[name] !== null)
  const ofServers = ignoredInMcp(tool_mcp_config).map(path => `tool_mcp_config.${path}`)
  return [
    ...named.map(name => `agent_config.${name}`),
    ...unknownKeys(CreateTaskBody, body, ignoredNamed),
    ...ofServers.map(path => `agent_config.${path}`),
  ].slice(0, ignoredNamed)
}

export type TaskRequest = {
  /** The body as it is stored and shown: known fields, secret values hidden. */
  shown: CreateTaskBody
  secrets: Record<string, unknown>
  ignoredFields: string[]
  /** Of the body as sent, but for secret values: what tells a retry from another request. */
  digest: string
  agent: string
  workdir: (sessionId: string) => string
}

/** What cannot be judged while a field is wrong that decides about it. */
const judgedBy: Record<string, string[]> = {
  stream: ['structured_output'],
  client_id: ['agent_config', 'inference_args'],
  agent_config: ['client_id', 'inference_args'],
}

/** Everything that is wrong with a body in which the schema has found problems: those of the other fields, too. */
export const allProblems = async (
  body: unknown,
  { problems }: Invalid,
  ...checks: Checks
): Promise<Invalid> => {
  const wrong = new Set(problems.map(({ loc }) => `${loc[1] ?? ''}`))
  if (wrong.has('')) return new Invalid(problems) // it is no object at all
  const left = new Set([...wrong].flatMap(name => [name, ...(judgedBy[name] ?? [])]))
  const whole = withoutNulls(CreateTaskBody, body) as object
  const rest = Object.fromEntries(Object.entries(whole).filter(([name]) => !left.has(name)))
  const others = await otherProblems(rest, ...checks)
  return new Invalid([...problems, ...others])
}

/**
 * Checks what the schema could not and throws Invalid with every problem at once. `digest`: that of the body, where it is
 * known already.
 */
export const readTaskRequest = async (
  body: CreateTaskBody,
  digest: string | undefined,
  ...checks: Checks
): Promise<TaskRequest> => {
  const [own, agents] = checks
  const problems = await otherProblems(body, ...checks)
  if (problems.length > 0) throw new Invalid(problems)

  const known = Object.fromEntries(
    Object.entries(body).filter(([key]) => knownFields.has(key)),
  ) as CreateTaskBody
  const { shown, secrets } = splitSecrets(known)
  const { workspace_dir } = body
  return {
    shown,
    secrets,
    ignoredFields: ignoredIn(body),
    digest: digest ?? digestOfCreate(body),
    agent: agentOf(body, agents),
    workdir: sessionId => path.resolve(own.workspace, workspace_dir || segment(sessionId)),
  }
}
