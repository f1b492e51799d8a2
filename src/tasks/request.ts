// Turns the body of a create into the stored request: it checks the rules that a schema cannot express, resolves paths,
// chooses the agent, and takes out secret values.
import path from 'node:path'
import { segment } from '../access/user-folders.ts'
import type { StoredPush } from '../contract/events/webhook-events.ts'
import { unknownKeys, withoutNulls } from '../contract/json/schema-walk.ts'
import { Invalid, type Problem } from '../contract/refusals.ts'
import { CreateTaskBody } from '../contract/wire.ts'
import { ignoredInMcp } from '../mcp/request.ts'
import { type IsRefused, urlProblems } from '../webhooks/webhook-problems.ts'
import { agentOf, isLabel } from './request/agent-choice.ts'
import { type Checks, otherProblems } from './request/rules.ts'
import { digestOfCreate, splitSecrets } from './request-secrets.ts'

const knownFields = new Set(Object.keys(CreateTaskBody.properties))
/** The most ignored fields that an answer names. */
const ignoredNamed = 100

/** Fields of the interface that no agent uses. */
const withoutEffect = ['code_interpreter_config', 'code_for_agent', 'code_for_interpreter'] as const

/** What was found in a body. A long body is walked once, although a header and the task both name its fields. */
const found = new WeakMap<CreateTaskBody, string[]>()

/** The paths of fields without effect: unknown keys at any depth, and known fields that nothing reads. */
export const ignoredInCreate = (body: CreateTaskBody): string[] => {
  const ignored = found.get(body) ?? findIgnored(body)
  found.set(body, ignored)
  return ignored
}
const findIgnored = (body: CreateTaskBody): string[] => {
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
  /** The body as it is stored and shown: known fields, with secret values hidden. */
  shown: CreateTaskBody
  secrets: Record<string, unknown>
  ignoredFields: string[]
  /** The webhook that a client of another protocol asks for. */
  push?: StoredPush
  /** The digest of the body as it was sent, without secret values. It identifies a retry. */
  digest: string
  agent: string
  workdir: (sessionId: string) => string
}

/** For each field: the fields whose checks depend on it. These checks are skipped when the field is wrong. */
const judgedBy: Record<string, string[]> = {
  stream: ['structured_output'],
  client_id: ['agent_config', 'inference_args'],
  agent_config: ['client_id', 'inference_args'],
}

/** The problem of a webhook's URL when the schema found problems in other fields of the webhook. */
const ofWebhook = (
  { webhook }: Partial<CreateTaskBody>,
  found: readonly Problem[],
  isRefused: IsRefused,
): Problem[] => {
  const wrong = found.filter(({ loc }) => loc[1] === 'webhook')
  if (wrong.length === 0 || wrong.some(({ loc }) => loc.length === 2 || loc[2] === 'url')) return []
  return urlProblems(webhook?.url, isRefused, 'webhook')
}

/** All problems of a body that does not fit its schema, including those that the schema cannot find. */
export const allProblems = async (
  body: unknown,
  { problems }: Invalid,
  ...checks: Checks
): Promise<Invalid> => {
  const wrong = new Set(problems.map(({ loc }) => `${loc[1] ?? ''}`))
  if (wrong.has('')) return new Invalid(problems) // the body is not an object
  const left = new Set([...wrong].flatMap(name => [name, ...(judgedBy[name] ?? [])]))
  const whole = withoutNulls(CreateTaskBody, body) as Partial<CreateTaskBody>
  const rest = Object.fromEntries(Object.entries(whole).filter(([name]) => !left.has(name)))
  const others = await otherProblems(rest, ...checks)
  return new Invalid([...problems, ...ofWebhook(whole, problems, checks[3]), ...others])
}

/**
 * Checks what the schema cannot check, and throws Invalid with all problems at once. `digest`: the digest of the body,
 * if it is already known.
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
    ignoredFields: [...ignoredInCreate(body), ...(isLabel(body, agents) ? ['agent_config.agent_id'] : [])],
    digest: digest ?? digestOfCreate(body),
    agent: agentOf(body, agents),
    workdir: sessionId => path.resolve(own.workspace, workspace_dir || segment(sessionId)),
  }
}
