// Every operation of the server; a test holds this list equal to its routes.
import type { Operation } from './operation.ts'
import { accessOperations } from './operations/access.ts'
import { agentOperations } from './operations/agents.ts'
import { environmentOperations } from './operations/environments.ts'
import { eventOperations } from './operations/events.ts'
import { historyOperations } from './operations/history.ts'
import { serviceOperations } from './operations/service.ts'
import { sessionOperations } from './operations/sessions.ts'
import { taskOperations } from './operations/tasks.ts'

export const operations: Operation[] = [
  ...taskOperations,
  ...agentOperations,
  ...environmentOperations,
  ...sessionOperations,
  ...eventOperations,
  ...historyOperations,
  ...accessOperations,
  ...serviceOperations,
]
