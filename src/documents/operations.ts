// Every operation of the server. The routes (src/http/route.ts) and the documents are both made from this table.
import type { Operation } from './operation.ts'
import { a2aOperations } from './operations/a2a.ts'
import { accessOperations } from './operations/access.ts'
import { agUiOperations } from './operations/ag-ui.ts'
import { agentOperations } from './operations/agents.ts'
import { cronOperations } from './operations/cron.ts'
import { environmentOperations } from './operations/environments.ts'
import { erasureOperations } from './operations/erasures.ts'
import { eventOperations } from './operations/events.ts'
import { historyOperations } from './operations/history.ts'
import { mcpOperations } from './operations/mcp.ts'
import { openAiOperations } from './operations/openai.ts'
import { proofOperations } from './operations/proof.ts'
import { serviceOperations } from './operations/service.ts'
import { sessionOperations } from './operations/sessions.ts'
import { taskOperations } from './operations/tasks.ts'
import { webhookOperations } from './operations/webhooks.ts'

export const operationsById = {
  ...taskOperations,
  ...agentOperations,
  ...openAiOperations,
  ...agUiOperations,
  ...a2aOperations,
  ...mcpOperations,
  ...environmentOperations,
  ...sessionOperations,
  ...cronOperations,
  ...eventOperations,
  ...webhookOperations,
  ...historyOperations,
  ...proofOperations,
  ...erasureOperations,
  ...accessOperations,
  ...serviceOperations,
}
export type OperationsById = typeof operationsById
export type OperationId = keyof OperationsById

const ids = Object.keys(operationsById) as OperationId[]
export const operations = ids.map((id): Operation & { id: OperationId } => ({ id, ...operationsById[id] }))
