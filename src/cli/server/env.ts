// reprise env: environments, and sessions with instances of them. It asks a server.
import type { EnvironmentInfo, EnvSession, ToolDefinition } from '../../../library/client/index.ts'
import { called } from '../terminal/called.ts'
import { NoAnswer } from '../terminal/exit.ts'
import { jsonObject, varsOf, wholeNumber } from '../terminal/values.ts'
import { type Asking, ask, pageOf, print, printAll, printFirst, printJson, timeOf } from './ask.ts'
import { contentText } from './show.ts'

const linesOfKind = ({
  name,
  importable,
  default_params_summary,
  description,
  error,
}: EnvironmentInfo): string => {
  const isUsable = importable === 'true' && error === undefined
  const about = isUsable ? description : `cannot be used: ${error ?? 'its module cannot be imported'}`
  const settings = default_params_summary === '' ? '' : `\n  settings: ${default_params_summary}`
  return `${name}  ${about}${settings}`
}

export const listKinds = (options: Asking): Promise<void> =>
  ask(options, ({ env }) =>
    printAll(env.list(), options, linesOfKind, 'No environments: the server has none.'),
  )

const stateOf = ({ is_active, close_reason }: EnvSession): string =>
  is_active ? 'active' : `closed${close_reason === undefined ? '' : ` (${close_reason})`}`
const lineOfSession = (session: EnvSession): string =>
  [
    session.session_id,
    stateOf(session),
    session.kind,
    timeOf(session.last_accessed_at),
    session.user_id,
  ].join('  ')

type ListOptions = Asking & { user?: string; search?: string; active?: true; after?: string; limit: string }

export const listSessions = (options: ListOptions): Promise<void> => {
  const { user, search, active, after } = options
  const limit = wholeNumber('--limit', options.limit, [1, 100_000])
  const filters = { user_id: user, search, state: active && ('active' as const), starting_after: after }
  const none = Object.values(filters).some(value => value !== undefined)
    ? 'No environment session fits.'
    : `No environment sessions yet. ${called} env create KIND makes one; ${called} env kinds lists the kinds.`
  return ask(options, ({ sessions }) =>
    printFirst(sessions.list({ ...filters, limit: pageOf(limit) }), options, {
      ...{ lineOf: lineOfSession, none, limit },
      idOf: ({ session_id }) => session_id,
    }),
  )
}

export const getSession = async (id: string, options: Asking): Promise<void> => {
  const session = await ask(options, ({ sessions }) => sessions.get(id))
  if (options.json) printJson(session)
  else print(lineOfSession(session))
}

/** A tool as people call it, with the names of its arguments. */
const callOf = ({ function: { name, parameters } }: ToolDefinition): string => {
  const { properties = {} } = (parameters ?? {}) as { properties?: object }
  return `${name}(${Object.keys(properties).join(', ')})`
}

/** What an instance shows. `seen`: its state or its observation. */
const printShown = (
  name: string,
  seen: Record<string, unknown>,
  { tools, done }: { tools: ToolDefinition[]; done: boolean },
): void => {
  print(`${name}  ${JSON.stringify(seen)}`)
  print(`tools  ${tools.map(callOf).join(', ') || '-'}`)
  if (done) print(`the episode is over: ${called} env reset begins another one`)
}

type CreateOptions = Asking & { settings?: string; session?: string; user?: string; var?: string[] }

/** The first line has nothing but the id of the session. */
export const createEnvSession = async (kind: string, options: CreateOptions): Promise<void> => {
  const { settings, session, user } = options
  const body = {
    env_class_path: kind,
    ...(settings === undefined
      ? {}
      : { env_init_kwargs: jsonObject('--settings', settings, '{"width": 5}') }),
    ...(session === undefined ? {} : { session_id: session }),
    ...(user === undefined ? {} : { user_id: user }),
    ...(options.var === undefined ? {} : { env_vars: varsOf(options.var) }),
  }
  const made = await ask(options, ({ env }) => env.create(body))
  if (options.json) return printJson(made)
  print(made.session_id)
  printShown('state', made.initial_state, made)
}

/** Calls a tool of the instance. Throws NoAnswer when the tool has failed. */
export const stepSession = async (
  id: string,
  tool: string,
  args: string | undefined,
  options: Asking,
): Promise<void> => {
  const tool_args =
    args === undefined ? {} : jsonObject('the arguments of the tool', args, '{"direction": "up"}')
  const step = await ask(options, ({ env }) => env.step({ session_id: id, tool_name: tool, tool_args }))
  const failed = step.tool_result.status === 'incomplete'
  const text = contentText(step.tool_result.message_content)
  if (options.json) printJson(step)
  else {
    if (!failed) print(text)
    printShown('observation', step.observation, step)
    print(`step ${step.step}  reward ${step.reward}`)
  }
  if (failed) throw new NoAnswer(`${tool} has failed: ${text}`)
}

export const resetSession = async (
  id: string,
  options: Asking & { seed?: string; options?: string },
): Promise<void> => {
  const { seed, options: given } = options
  const body = {
    session_id: id,
    ...(seed === undefined ? {} : { seed: wholeNumber('--seed', seed, [0, 2 ** 31 - 1]) }),
    ...(given === undefined ? {} : { options: jsonObject('--options', given, '{"level": 2}') }),
  }
  const reset = await ask(options, ({ env }) => env.reset(body))
  if (options.json) printJson(reset)
  else printShown('observation', reset.observation, reset)
}

export const observeSession = async (id: string, options: Asking): Promise<void> => {
  const observed = await ask(options, ({ env }) => env.observe(id))
  if (options.json) printJson(observed)
  else printShown('state', observed.state, observed)
}

export const closeSession = async (id: string, options: Asking): Promise<void> => {
  const closed = await ask(options, ({ env }) => env.close(id))
  if (options.json) printJson(closed)
  else process.stderr.write(`${closed.message}\n`)
}
