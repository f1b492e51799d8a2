// npm run documents: writes the documents of the interface to docs/, the drawings of the charts, the tables of dialects and
// switches, and the types and errors of the clients.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { withCharts } from './charts.ts'
import { clientFiles } from './client/files.ts'
import { documentFiles } from './files.ts'
import { withModelTables } from './model-tables.ts'

const root = path.resolve(import.meta.dirname, '../..')
const docs = path.join(root, 'docs')
const below = (folder: string, files: Record<string, string>) =>
  Object.entries(files).map(([name, text]) => [path.join(folder, name), text] as const)
for (const [file, text] of [...below(docs, documentFiles()), ...below(root, clientFiles())]) {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
}
const architecture = path.join(docs, 'architecture.md')
writeFileSync(architecture, withCharts(readFileSync(architecture, 'utf8')))
const models = path.join(docs, 'models.md')
writeFileSync(models, withModelTables(readFileSync(models, 'utf8')))
