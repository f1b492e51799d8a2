// From the body of a create to what is stored: the rules that a schema cannot say, where paths lead, which
// agent runs, and the secret values taken out.
import path from 'node:path'
import { Compile } from 'typebox/compile'
import { type Roots, segment, within } from '../access/user-folders.ts'
import { isLonger, mostSmallText } from '../contract/json-limits.ts'
import { Invalid, type Problem } from '../contract/refusals.ts'
import { unknownKeys, withoutNulls } from '../contract/schema-walk.ts'
import { CreateTaskBody, reservedMetadata, Script, type ScriptStep, scriptActions } from '../contract/wire.ts'
import { ignoredInMcp, mcpProblems } from '../mcp/request.ts'
import { digestOfCreate, splitSecrets } from './request-secrets.ts'

export type AgentChoice = {
  /** Of the agents that there are. */
  names: readonly string[]
  /** The one that runs where none is named. */
  fallback: string
  /** Whether the operator has an MCP server of this name; absent: there is none. */
  hasMcpServer?: (name: string) => boolean
}

const knownFields = new Set(Object.keys(CreateTaskBody.properties))
const ignoredNamed = 100

const problem = (loc: (string | number)[], msg: string, type = 'value_error'): Problem => ({
  loc: ['body', ...loc],
  msg,
  type,
})

/** Steps given as text, for a script that is called as a subagent; undefined: they are none. */
export const scriptSteps = (text: string): ScriptStep[] | undefined => {
  try {
    const steps: unknown = JSON.parse(text)
    return isScript(steps) ? steps : undefined
  } catch {
    return undefined
  }
}
const compiledScript = Compile(Script)
const isScript = (value: unknown): value is ScriptStep[] => compiledScript.Check(value)

/** What the schema of a script cannot say: each step names exactly one action. */
export const scriptProblems = (
  script: ScriptStep[] | null | undefined,
  at = ['agent_config', 'script'],
): Problem[] => {
  if (script === undefined || script === null) return [problem(at, 'Field required', 'missing')]
  return script.flatMap((step, index) => {
    const actions = scriptActions.filter(action => step[action] !== undefined)
    if (actions.length === 1) return []
    return [problem([...at, index], `A step names exactly one of: ${scriptActions.join(', ')}`)]
  })
}

/** What would break the conversation with a model's endpoint, were it overridden. */
const protocolArgs = ['messages', 'model', 'stream', 'stream_options', 'tools', 'functions', 'n']
const modelProblems = ({ agent_config, inference_args }: Partial<CreateTaskBody>): Problem[] => {
  const lists: [(string | number)[], Record<string, unknown> | null | undefined][] = [
    [['inference_args'], inference_args],
    [['agent_config', 'inference_args'], agent_config?.inference_args],
  ]
  return lists.flatMap(([at, given]) =>
    Object.keys(given ?? {}).flatMap(name =>
      protocolArgs.includes(name) ? [problem([...at, name], 'This is decided by the service')] : [],
    ),
  )
}

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

/** What the checks need. `own`: the folders of the task's user; `problemsOfSchema`: what is wrong with a JSON Schema. */
type Checks = readonly [
  own: Roots,
  agents: AgentChoice,
  problemsOfSchema: (schema: object) => Promise<string[]>,
]

/** What the schema of a body cannot say. */
const otherProblems = async (
  body: Partial<CreateTaskBody>,
  ...[own, agents, problemsOfSchema]: Checks
): Promise<Problem[]> => {
  const problems: Problem[] = []
  // Honoured only when not streaming, and checked only when honoured.
  if (body.structured_output && !body.stream) {
    const wrong = await problemsOfSchema(body.structured_output)
    problems.push(...wrong.map(msg => problem(['structured_output'], msg)))
  }
  // These are written with every change of the task, or into a file that is synced before the task is stored.
  const small: [(string | number)[], unknown][] = [
    [['env'], body.env],
    [['metadata'], body.metadata],
    [['agent_config', 'tool_mcp_config'], body.agent_config?.tool_mcp_config],
  ]
  for (const [at, value] of small) {
    if (!isLonger(value, mostSmallText)) continue
    problems.push(
      problem(at, `Keys and texts may have at most ${mostSmallText} characters together`, 'too_long'),
    )
  }
  for (const key of Object.keys(body.metadata ?? {})) {
    if (reservedMetadata.has(key))
      problems.push(problem(['metadata', key], 'This key is written by the service'))
  }
  problems.push(...unknownAgent(body, agents))
  const agent = agentOf(body, agents)
  if (agent === 'script') problems.push(...scriptProblems(body.agent_config?.script))
  if (agent === 'model') problems.push(...modelProblems(body))
  const hasMcpServer = agents.hasMcpServer ?? (() => false)
  problems.push(...mcpProblems(body.agent_config?.tool_mcp_config, hasMcpServer))
  const folders = { workspace_dir: own.workspace, rollout_save_dir: own.rollouts, log_dir: own.logs } as const
  for (const [field, folder] of Object.entries(folders)) {
    const given = body[field as keyof typeof folders]
    if (given && within(folder, given) === undefined) {
      problems.push(problem([field], "The path leads outside of the user's own folder, or cannot exist"))
    }
  }
  return problems
}

const agentOf = ({ agent_config, client_id }: Partial<CreateTaskBody>, agents: AgentChoice): string =>
  [agent_config?.agent_id, client_id].find(name => name && agents.names.includes(name)) ?? agents.fallback

/** A config that brings instructions or a model of its own may call its agent what it likes. */
const unknownAgent = ({ agent_config }: Partial<CreateTaskBody>, { names }: AgentChoice): Problem[] => {
  const { agent_id, developer_prompt, model } = agent_config ?? {}
  if (!agent_id || names.includes(agent_id) || developer_prompt || model) return []
  const hint = agent_id === 'model' ? '; model is there once the server has MODEL_BASE_URL and MODEL' : ''
  const known = names.toSorted().join(', ')
  const msg = `There is no agent ${JSON.stringify(agent_id)}: the agents are ${known}${hint}`
  return [problem(['agent_config', 'agent_id'], msg)]
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
