// Puts the HTTP surface together: first the hooks that apply to every route, then the routes.
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { TSchema } from 'typebox'
import type { Events } from '../bus/events.ts'
import { a2aRoutes } from '../doors/a2a/routes.ts'
import { agUiRoutes } from '../doors/ag-ui/routes.ts'
import { mcpRoutes } from '../doors/mcp/routes.ts'
import { chatRoutes } from '../doors/openai/completions/routes.ts'
import { modelRoutes } from '../doors/openai/models.ts'
import { responseRoutes } from '../doors/openai/responses/routes.ts'
import { answerOf, isFault } from './answer/errors.ts'
import { sendError } from './answer/send-error.ts'
import { recordCommands } from './answer/shown-by-commands.ts'
import { readBodies } from './body/body.ts'
import { createBodyBudget } from './body/budget.ts'
import { checkOf } from './body/checked.ts'
import { docsRoutes } from './docs.ts'
import type {
  AgentDoor,
  AuditDoor,
  CronDoor,
  EnvironmentDoor,
  ErasureDoor,
  ExportDoor,
  Gate,
  McpDoor,
  ProofDoor,
  Serving,
  SessionDoor,
  StateDoor,
  TaskDoor,
  WebhookDoor,
} from './doors.ts'
import { createAdmission } from './request/admission.ts'
import { admitRequests, checkRequests, nameRequests } from './request/gate.ts'
import { tellIgnoredFields } from './request/ignored.ts'
import { type App, faultOf } from './request/request.ts'
import { watchRequests } from './request/request-end.ts'
import { bodyValidator } from './request/validate.ts'
import { holdToOperations } from './route.ts'
import { agentRoutes } from './routes/agents.ts'
import { auditRoutes } from './routes/audit.ts'
import { consoleRoutes } from './routes/console.ts'
import { cronRoutes } from './routes/cron.ts'
import { envInstanceRoutes } from './routes/env-instances.ts'
import { envStepRoutes } from './routes/env-step.ts'
import { environmentRoutes } from './routes/environments.ts'
import { erasureRoutes } from './routes/erasures.ts'
import { eventRoutes } from './routes/events.ts'
import { exportRoutes } from './routes/export.ts'
import { healthRoutes } from './routes/health.ts'
import { loginRoutes } from './routes/login.ts'
import { metricsRoutes } from './routes/metrics.ts'
import { proofRoutes } from './routes/proof.ts'
import { rootRoutes } from './routes/root.ts'
import { sessionRoutes } from './routes/sessions.ts'
import { taskCreateRoutes } from './routes/task-create.ts'
import { taskEventRoutes } from './routes/task-events.ts'
import { taskHistoryRoutes } from './routes/task-history.ts'
import { taskInputRoutes } from './routes/task-inputs.ts'
import { taskListRoutes } from './routes/task-list.ts'
import { taskRoutes } from './routes/tasks.ts'
import { tileRoutes } from './routes/tiles.ts'
import { tokenRoutes } from './routes/tokens.ts'
import { webhookRoutes } from './routes/webhooks.ts'
import { allowOrigins } from './server/cors.ts'
import { methodTable } from './server/method-table.ts'
import { takePrefixOff } from './server/public-url.ts'
import { createServer } from './server/server.ts'
import { openSocketDoor, socketRoutes } from './socket/door.ts'

/** The dependencies of the HTTP surface. The routes of each capability get the door of that capability. */
export type AppDeps = {
  serving: Serving
  gate: Gate
  state: StateDoor
  tasks: TaskDoor
  sessions: SessionDoor
  environments: EnvironmentDoor
  cron: CronDoor
  agents: AgentDoor
  mcp: McpDoor
  /** The public events of the log. */
  events: Events
  webhooks: WebhookDoor
  audit: AuditDoor
  erasures: ErasureDoor['erasures']
  proof: ProofDoor
  exports: ExportDoor
}

const addRoutes = (app: App, deps: AppDeps): void => {
  const { serving, state, tasks } = deps
  const unlessMissing = holdToOperations(app)
  rootRoutes(app, serving)
  healthRoutes(app, state, serving)
  docsRoutes(app, serving)
  consoleRoutes(app)
  metricsRoutes(app, state)
  eventRoutes(app, deps.events, serving)
  socketRoutes(app)
  agentRoutes(app, deps.agents)
  taskCreateRoutes(app, tasks, serving)
  taskRoutes(app, tasks, deps, serving)
  taskListRoutes(app, tasks, serving)
  taskEventRoutes(app, tasks, serving)
  taskInputRoutes(app, tasks, serving)
  taskHistoryRoutes(app, tasks, serving)
  const door = { tasks, agents: deps.agents, serving }
  responseRoutes(app, door)
  chatRoutes(app, door)
  modelRoutes(app, door)
  agUiRoutes(app, door)
  a2aRoutes(app, { tasks, agents: deps.agents, webhooks: deps.webhooks, serving })
  mcpRoutes(app, { ...deps.environments, tasks, agents: deps.agents, mcp: deps.mcp, serving }, deps.gate)
  tokenRoutes(app, serving)
  loginRoutes(app, serving)
  environmentRoutes(app, deps.environments)
  envInstanceRoutes(app, deps.environments, serving)
  envStepRoutes(app, deps.environments, serving)
  sessionRoutes(app, deps.sessions, deps, serving)
  webhookRoutes(app, deps.webhooks)
  cronRoutes(app, deps.cron)
  auditRoutes(app, deps.audit, serving)
  erasureRoutes(app, deps, serving)
  proofRoutes(app, deps.proof)
  exportRoutes(app, deps.exports, serving)
  tileRoutes(app, deps.proof, serving)
  unlessMissing()
}

/** Checks each body by the schema of its operation. Queries and paths have readers of their own. */
const validateBodies = (app: App): void =>
  void app.setValidatorCompiler(({ schema, httpPart }) => {
    if (httpPart !== 'body') return value => ({ value })
    const read = bodyValidator(schema as TSchema)
    return value => {
      const check = checkOf(value)
      if (check !== undefined) return check.problems === undefined ? { value } : { error: check.problems }
      try {
        return { value: read(value ?? undefined) } // Fastify passes a missing body as null
      } catch (error) {
        return { error: error as Error }
      }
    }
  })

const answerErrors = (app: App, serving: Pick<Serving, 'fault' | 'root'>): void =>
  void app.setErrorHandler((error, request, reply) => {
    if (isFault(error)) faultOf(serving, request)(error)
    const { envelope, errors } = request.routeOptions.config
    const envelopeId = envelope ? request.envelopeId : undefined
    sendError(
      reply as unknown as FastifyReply,
      answerOf(error, { envelopeId, errors, host: request.headers.host, root: serving.root }),
    )
  })

export const createApp = async (deps: AppDeps): Promise<FastifyInstance> => {
  const { serving, gate, tasks } = deps
  const app = createServer(tasks.bodyLimit, serving)
  const budget = createBodyBudget(() => serving.quotas.countRefusal('bodies'))
  const methodsOf = methodTable()
  const admission = createAdmission(gate.loop)
  readBodies(app as unknown as FastifyInstance, budget)
  validateBodies(app)
  app.decorateRequest('principal')
  app.decorateRequest('envelopeId', '')
  // Hooks run in this order.
  watchRequests(app, gate, serving)
  nameRequests(app, serving.newId)
  allowOrigins(app, gate.allowedOrigins)
  checkRequests(app, methodsOf, serving)
  admitRequests(app, admission, serving.stopping)
  recordCommands(app, serving)
  tellIgnoredFields(app)
  answerErrors(app, serving)
  app.addHook('onRoute', route => methodsOf.add(route.url, [route.method].flat()))
  addRoutes(app, deps)
  await app.ready()
  openSocketDoor(app.server, deps, budget, admission)
  takePrefixOff(app.server, serving.publicUrl)
  return app as unknown as FastifyInstance
}
