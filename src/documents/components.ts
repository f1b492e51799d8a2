// Every named schema of the documents.
import type { Components } from './component.ts'
import { a2aComponents } from './components/a2a.ts'
import { accessComponents } from './components/access.ts'
import { agUiComponents } from './components/ag-ui.ts'
import { bodyComponents } from './components/bodies.ts'
import { cronComponents } from './components/cron.ts'
import { envelopeComponents } from './components/envelopes.ts'
import { environmentComponents } from './components/environments.ts'
import { erasureComponents } from './components/erasures.ts'
import { historyComponents } from './components/history.ts'
import { mcpComponents } from './components/mcp.ts'
import { openAiComponents } from './components/openai.ts'
import { proofComponents } from './components/proof.ts'
import { streamComponents } from './components/streams.ts'
import { taskComponents } from './components/tasks.ts'
import { webhookComponents } from './components/webhooks.ts'

export const components: Components = {
  ...taskComponents,
  ...bodyComponents,
  ...openAiComponents,
  ...agUiComponents,
  ...a2aComponents,
  ...mcpComponents,
  ...environmentComponents,
  ...cronComponents,
  ...envelopeComponents,
  ...streamComponents,
  ...webhookComponents,
  ...historyComponents,
  ...proofComponents,
  ...erasureComponents,
  ...accessComponents,
}
