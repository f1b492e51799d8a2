// A real server that exports its spans: killed, started again, drained; and one that is told what it cannot do.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { refusedStart, spawnServer } from '../support/server.ts'
import { collector } from './collector.ts'

t.test('spans survive a kill, and what is left is exported on the way down', async t => {
  const { url, spans, until } = await collector(t)
  const dataDir = t.testdir({})
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_SERVICE_NAME: 'mine' }
  const first = await spawnServer(t, dataDir, env)
  const script = [{ tool: 'current_time' }, { sleep_ms: 1500 }, { message: 'done' }]
  const agent_config = { agent_id: 'script', script }
  await first.api('POST', '/tasks', {
    user_message_content: 'go',
    stream: false,
    background: true,
    agent_config,
  })
  await until(() => spans.length > 0)
  await first.end('SIGKILL')

  const second = await spawnServer(t, dataDir, env)
  await until(() => spans.some(({ name }) => name === 'invoke_agent script'))
  const [tool] = spans
  const run = spans.find(({ name }) => name === 'invoke_agent script')
  t.equal(tool?.name, 'execute_tool current_time')
  t.equal(tool?.parentSpanId, run?.spanId)
  t.match(run, { resource: { 'service.name': 'mine' }, attributes: { 'reprise.task.status': 'completed' } })

  await second.api('POST', '/tasks', {
    user_message_content: 'hello',
    stream: false,
    agent_config: { agent_id: 'echo' },
  })
  t.same(await second.end('SIGTERM'), [0, null])
  t.equal(spans.at(-1)?.name, 'invoke_agent echo')
  t.match(JSON.parse(readFileSync(path.join(dataDir, 'otel.json'), 'utf8')), { log: /^log_/ })
})

t.test('another protocol is refused before anything is opened', async t => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }
  const { code, stderr } = await refusedStart(t.testdir({}), env)
  t.equal(code, 2)
  t.match(stderr, /OTEL_EXPORTER_OTLP_PROTOCOL=grpc is not supported/)
})
