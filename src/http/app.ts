// Puts the HTTP surface together: first the hooks that apply to every route, then the routes.
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { TSchema } from 'typebox'
import type { Events } from '../bus/events.ts'
import type { AgentInfo } from '../contract/wire.ts'
import { createAdmission } from './admission.ts'
import { agentRoutes } from './agents.ts'
import { auditRoutes } from './audit.ts'
import { readBodies } from './body/body.ts'
import { createBodyBudget } from './body/budget.ts'
import { checkOf } from './body/checked.ts'
import { consoleRoutes } from './console.ts'
import { allowOrigins } from './cors.ts'
import { cronRoutes } from './cron.ts'
import { docsRoutes } from './docs.ts'
import type {
  AuditDoor,
  CronDoor,
  EnvironmentDoor,
  ErasureDoor,
  ExportDoor,
  Gate,
  ProofDoor,
  Serving,
  SessionDoor,
  StateDoor,
  TaskDoor,
  WebhookDoor,
} from './doors.ts'
import { envInstanceRoutes } from './env-instances.ts'
import { envStepRoutes } from './env-step.ts'
import { environmentRoutes } from './environments.ts'
import { erasureRoutes } from './erasures.ts'
import { answerOf } from './errors.ts'
import { eventRoutes } from './events.ts'
import { exportRoutes } from './export.ts'
import { admitRequests, checkRequests, nameRequests } from './gate.ts'
import { healthRoutes } from './health.ts'
import { tellIgnoredFields } from './ignored.ts'
import { loginRoutes } from './login.ts'
import { methodTable } from './method-table.ts'
import { metricsRoutes } from './metrics.ts'
import { proofRoutes } from './proof.ts'
import { takePrefixOff } from './public-url.ts'
import { type App, faultOf } from './request.ts'
import { watchRequests } from './request-end.ts'
import { rootRoutes } from './root.ts'
import { holdToOperations } from './route.ts'
import { sendError } from './send-error.ts'
import { createServer } from './server.ts'
import { sessionRoutes } from './sessions.ts'
import { recordCommands } from './shown-by-commands.ts'
import { openSocketDoor, socketRoutes } from './socket/door.ts'
import { taskCreateRoutes } from './task-create.ts'
import { taskEventRoutes } from './task-events.ts'
import { taskHistoryRoutes } from './task-history.ts'
import { taskInputRoutes } from './task-inputs.ts'
import { taskListRoutes } from './task-list.ts'
import { taskRoutes } from './tasks.ts'
import { tileRoutes } from './tiles.ts'
import { tokenRoutes } from './tokens.ts'
import { bodyValidator } from './validate.ts'
import { webhookRoutes } from './webhooks.ts'

/** The dependencies of the HTTP surface. The routes of each capability get the door of that capability. */
export type AppDeps = {
  serving: Serving
  gate: Gate
  state: StateDoor
  tasks: TaskDoor
  sessions: SessionDoor
  environments: EnvironmentDoor
  cron: CronDoor
  /** The agents that clients can choose from. */
  agents: readonly AgentInfo[]
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

const answerErrors = (app: App, serving: Pick<Serving, 'fault'>): void =>
  void app.setErrorHandler((error, request, reply) => {
    const answer = answerOf(error, request.routeOptions.config.envelope ? request.envelopeId : undefined)
    if (answer.fault) faultOf(serving, request)(error)
    sendError(reply as unknown as FastifyReply, answer)
  })

export const createApp = async (deps: AppDeps): Promise<FastifyInstance> => {
  const { serving, gate, tasks } = deps
  const app = createServer(tasks.bodyLimit)
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
