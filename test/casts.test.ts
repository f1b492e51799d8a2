// Only the log and the decoders say of what type a stored event is: nobody else casts a payload or the type in a header.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'

const events = 'TaskEvent|EnvSessionEvent|PrincipalEvent|WebhookEvent'
const payloads = `(${events})(Data|Type)?|Recorded\\w*|Token(Created|Revoked)|AdminTokenMade|ToolsListed|LogResumed`
const casts = [
  new RegExp(`\\bas (unknown as )?(${payloads})\\b`),
  /\b(header|event|stored)\.(type|data) as\b/,
  /\bdata as (never|unknown as|\{ \w+: string \})/,
]
const mayCast = ['src/log/', 'src/contract/decoders/']

const castsIn = (text: string): string[] =>
  text.split('\n').filter(line => !/^(im|ex)port\b/.test(line) && casts.some(cast => cast.test(line)))

const files = ['src', 'actors', 'projections']
  .flatMap(folder =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(name => path.posix.join(folder, name)),
  )
  .filter(file => file.endsWith('.ts') && !mayCast.some(folder => file.startsWith(folder)))

t.test('no payload is cast outside of the log and the decoders', async t => {
  t.ok(files.length > 300)
  const found = files.flatMap(file =>
    castsIn(readFileSync(file, 'utf8')).map(line => `${file}: ${line.trim()}`),
  )
  t.same(found, [])
})

t.test('a cast would be seen', async t => {
  for (const line of [
    "const { item } = event.data as TaskEventData<'InputAccepted'>",
    'const type = header.type as TaskEventType',
    'const created = event as RecordedTaskEvent',
    'const { tools } = (stored.data as ToolsListed)',
    'frameCount(type, data as never)',
    'sessions.store(id, (data as { user_id: string }).user_id)',
  ]) {
    t.same(castsIn(line), [line])
  }
  t.same(castsIn('const fold = folds[type] as Fold<TaskEventType>'), [], 'a function of a table is none')
})
