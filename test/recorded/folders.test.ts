// Each released version reads what the versions before it wrote: it verifies their data folders, answers about them as they did, and
// goes on with what they left under way. docs/versions.md promises it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { tasksOf, textsOf } from '../http/agent-tasks.ts'
import { read } from '../support/http.ts'
import { runReprise, serveHere } from '../support/server.ts'
import { ask } from './ask.ts'
import { folderVersions, rowsIn, takeStep, unpack, variables } from './folders.ts'

for (const version of folderVersions())
  t.test(`a data folder of ${version} is verified, read and continued`, async t => {
    const folder = mkdtempSync(path.join(tmpdir(), 'reprise-folder-'))
    t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
    const { dataDir, answers } = unpack(version, folder)
    const rows = rowsIn(dataDir)
    const verified = await runReprise(['verify', dataDir], { DATA_DIR: dataDir })
    t.match(verified, { code: 0, stdout: new RegExp(`^${rows.length} events of [^]*the log fits`) })

    const { api, url } = await serveHere(t, { DATA_DIR: dataDir, ...variables(folder) })
    const wrong: string[] = []
    for (const answer of answers) {
      const now = await ask(url, answer.ask, {})
      if (JSON.stringify(now) === JSON.stringify(answer)) continue
      wrong.push(answer.ask.path)
      if (wrong.length <= 3) t.same(now, answer, answer.ask.path)
    }
    t.same(wrong, [], `${answers.length} questions are answered as they were`)

    const { answer, becomes, get } = tasksOf(api)
    const [pending] = (await get('clerk')).metadata?.pending_inputs ?? []
    await answer('clerk', {
      type: 'tool_result',
      call_id: pending?.call_id,
      message_content: 'yes',
      block_list: [],
    })
    t.equal(textsOf(await becomes('clerk', 'completed')).at(-1), 'noted, yes, paid', 'its journal goes on')
    t.match(JSON.parse((await takeStep(api)).text), { step: 3 }, 'so does the session')
    const { data: jobs } = JSON.parse((await read(api('GET', '/cron/jobs'))).text) as {
      data: { job_id: string }[]
    }
    const run = await read(api('POST', `/cron/jobs/${jobs[0]?.job_id}/trigger`))
    const { task_id } = JSON.parse(run.text) as { task_id: string }
    t.equal((await becomes(task_id, 'completed')).status, 'completed', 'and the job')
    const { data: webhooks } = JSON.parse((await read(api('GET', '/webhooks'))).text) as { data: object[] }
    t.match(webhooks, [{ url: 'https://hooks.example.com/', status: 'active', signed: true }])
    t.same(rowsIn(dataDir).slice(0, rows.length), rows, 'what was written stands as it stood')
  })
