import { newFolder } from './support/folder.ts'
import { load } from './support/load.ts'
import { createNotes, interleave, printRatio } from './support/rounds.ts'
import { adminToken, startOurs } from './support/server.ts'

export const about =
  'a task with three tool calls, one after the other, against an echo task on the same server'

const calls = 3
const script = [
  ...Array.from({ length: calls }, (_, n) => ({ tool: 'calculator', arguments: { expression: `${n}+2*3` } })),
  { message: 'The last result is $result.' },
]
const body = (n: number): string =>
  JSON.stringify({
    user_message_content: `Message ${n}`,
    user_id: `user-${n % 100}`,
    agent_config: { agent_id: 'script', script },
    stream: false,
  })

export const run = async (): Promise<void> => {
  const server = await startOurs(newFolder('ours'))
  const answer = await fetch(`${server.url}/v1/tasks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: body(0),
  })
  const { result } = (await answer.json()) as { result: { status: string; output: unknown[] } }
  if (result.status !== 'completed' || result.output.length !== 2 * calls + 1)
    throw new Error('the task did not complete with three calls')
  const notes = createNotes()
  for (const clients of [32, 128]) {
    const side = (name: string, task?: typeof body) => async () => {
      const measured = await load(server, {
        clients,
        seconds: 4,
        ...(task === undefined ? {} : { body: task }),
      })
      notes.add(`${name} cpu ms/task`, measured.cpuPerAnswer)
      notes.add(`${name} p99 ms`, measured.p99)
      return measured.rate
    }
    const rounds = await interleave({ echo: side('echo'), tools: side('tools', body) })
    printRatio(`three tool calls, ${clients} clients`, rounds.tools, rounds.echo, {
      unit: 'tasks/s',
      target: { atLeast: 0.3 },
    })
    notes.print()
  }
  await server.stop()
}
