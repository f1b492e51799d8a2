// node test/recorded/write-folder.ts [name]: makes the data folder of this version for test/recorded/folders. Run by hand when a
// version is cut, never by the suite. A folder that is there already stays as it is.
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { version } from '../../src/platform/version.ts'
import { launch } from '../support/server.ts'
import { ask, questionsOf } from './ask.ts'
import type { Answer } from './files.ts'
import { folderVersions, pack, play, rowsIn, variables } from './folders.ts'

const name = process.argv[2] ?? version
if (folderVersions().includes(name)) throw new Error(`there is a folder ${name}, and it must never change`)
const folder = mkdtempSync(path.join(tmpdir(), 'reprise-folder-'))
const dataDir = path.join(folder, 'data')
const env = variables(folder)
const server = await launch(dataDir, env)
await play(server.api)
await server.end('SIGTERM')
// What any version makes anew.
for (const file of ['read.db', 'server.json', 'lock.db', 'tiles', 'logs', 'rollouts', 'children'])
  rmSync(path.join(dataDir, file), { recursive: true, force: true })

const copy = path.join(folder, 'copy')
cpSync(dataDir, copy, { recursive: true })
const asked = await launch(copy, env)
const answers: Answer[] = []
for (const question of questionsOf(rowsIn(dataDir), [])) answers.push(await ask(asked.url, question, {}))
await asked.end('SIGTERM')
if (rowsIn(copy).length !== rowsIn(dataDir).length)
  throw new Error('a start adds to the log: it does not rest')
console.log(
  `${rowsIn(dataDir).length} events and ${answers.length} answers are in ${pack(name, folder, answers)}`,
)
rmSync(folder, { recursive: true })
