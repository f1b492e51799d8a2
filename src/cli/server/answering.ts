// Asks at the terminal for what a task waits for: answers to its questions, and decisions about its calls.
import { createInterface } from 'node:readline'
import type { Task } from '../../../library/client/index.ts'
import type { Connection } from './connection.ts'
import { callText, pendingCalls } from './show.ts'

/** Whether somebody can be asked. */
export const canAsk = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true

/** Resolves with the line that was typed; undefined: the person ends the input, or presses Ctrl-C. */
const askLine = (question: string): Promise<string | undefined> =>
  new Promise(resolve => {
    const terminal = createInterface({ input: process.stdin, output: process.stderr })
    let line: string | undefined
    terminal.once('SIGINT', () => {
      process.stderr.write('\n')
      terminal.close()
    })
    terminal.once('close', () => resolve(line))
    terminal.question(question, typed => {
      line = typed
      terminal.close()
    })
  })

/** Resolves with false when a question was left open. */
export const answerAtTerminal = async (server: Connection, task: Task): Promise<boolean> => {
  const calls = pendingCalls(task)
  const tool_results: { call_id: string; message_content: string }[] = []
  const decisions: { call_id: string; decision: 'approve' | 'refuse' }[] = []
  for (const call of calls) {
    const { call_id, isApproval } = call
    const line = await askLine(isApproval ? `allow ${callText(call)}? [y/N] ` : `${callText(call)}: `)
    if (line === undefined) return false
    if (isApproval)
      decisions.push({ call_id, decision: /^y(es)?$/i.test(line.trim()) ? 'approve' : 'refuse' })
    else tool_results.push({ call_id, message_content: line })
  }
  await server.ask(async ({ tasks }) => {
    for (const decision of decisions) await tasks.approvals(task.id, decision)
    if (tool_results.length > 0) await tasks.input(task.id, tool_results)
  })
  return true
}
