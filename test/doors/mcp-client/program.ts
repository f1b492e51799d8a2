// The program that the suite of MCP starts: a server whose task uses the MCP server of a scenario, as tasks of users do. The suite
// gives the address as the argument, and the name of the scenario in a variable.
import { serveHere } from '../../support/server.ts'

type ToolCall = { name: string; arguments?: Record<string, unknown> }
type Task = {
  id: string
  status: string
  metadata?: { pending_inputs?: { call_id: string; arguments: string }[] }
  output: { type: string; name?: string; message_content?: unknown }[]
  error?: { message: string }
}

const [url = ''] = process.argv.slice(2)
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? ''
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as { toolCalls?: ToolCall[] }
const named = (...names: string[]): ToolCall[] => names.map(name => ({ name }))

/** The calls of each scenario. A scenario without calls only wants its tools to be listed, for which any name will do. */
const calls: Record<string, ToolCall[]> = {
  initialize: named('any'),
  tools_call: [{ name: 'add_numbers', arguments: { a: 5, b: 3 } }],
  'request-metadata': named('any'),
  'sep-2322-client-request-state': named(
    'test_mrtr_echo_state',
    'test_mrtr_unrelated',
    'test_mrtr_no_state',
    'test_mrtr_no_result_type',
  ),
  'http-standard-headers': named('test_headers', 'my-hyphenated-tool'),
  'http-custom-headers': context.toolCalls ?? [],
  'http-invalid-tool-headers': [
    { name: 'valid_tool', arguments: { region: 'here' } },
    ...named(
      'invalid_empty_header',
      'invalid_object_header',
      'invalid_array_header',
      'invalid_null_header',
      'invalid_duplicate_same_case',
      'invalid_duplicate_diff_case',
      'invalid_space_in_name',
      'invalid_colon_in_name',
      'invalid_non_ascii_name',
      'invalid_control_char_name',
    ),
  ],
  'json-schema-ref-no-deref': [{ name: 'lookup_user', arguments: { id: 'a-1', profile: {} } }],
  'elicitation-sep1034-client-defaults': named('test_client_elicitation_defaults'),
  'sse-retry': named('test_reconnection'),
}

const ends: (() => unknown)[] = []
const { api } = await serveHere({ teardown: (end: () => unknown) => void ends.push(end) } as never, {
  ALLOW_PRIVATE_URLS: '1',
})
const script = (calls[scenario] ?? []).map(({ name, arguments: args = {} }) => ({
  tool: `mock__${name}`,
  arguments: args,
}))
const body = {
  user_message_content: 'go',
  stream: false,
  background: true,
  agent_config: { agent_id: 'script', script, tool_mcp_config: { mcpServers: { mock: { url } } } },
}
const taskIn = async (answer: Response): Promise<Task> => ((await answer.json()) as { result: Task }).result
let task = await taskIn(await api('POST', '/tasks', body))
while (!['completed', 'failed', 'canceled', 'expired', 'paused'].includes(task.status)) {
  const pending = task.metadata?.pending_inputs ?? []
  if (task.status === 'input-required') {
    // A user who leaves a form as it is accepts its defaults.
    const message_content = JSON.stringify(scenario.includes('defaults') ? {} : { confirmed: true })
    const tool_results = pending.map(({ call_id }) => ({ call_id, message_content }))
    await api('POST', `/tasks/${task.id}/input`, { tool_results })
  }
  await new Promise(resolve => setTimeout(resolve, 20))
  task = await taskIn(await api('GET', `/tasks/${task.id}`))
}
for (const item of task.output)
  if (item.type === 'tool_result') console.log(JSON.stringify(item.message_content))
if (task.error !== undefined) console.log(task.error.message)
for (const end of ends) await end()
process.exitCode = task.status === 'completed' ? 0 : 1
