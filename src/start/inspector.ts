// Opens a page that shows developers what running actors do.
import { inspectionMessage } from '../../actors/runtime/inspection.ts'
import type { Inspect } from '../../actors/runtime/logic.ts'
import type { Config } from '../config.ts'
import type { Report } from '../contract/ports.ts'
import { startInspector } from '../platform/inspector.ts'

/** Undefined: the operator did not ask for the page. */
export const openInspector = async ({ inspectActors }: Config, report: Report) => {
  if (!inspectActors) return undefined
  const { url, show, close } = await startInspector()
  report('warn', 'running actors are shown on a page, with texts of users', { url })
  const inspect: Inspect = event => {
    const message = inspectionMessage(event)
    if (message !== undefined) show(message)
  }
  return { inspect, close }
}
