// npm run documents: writes the documents of the interface to docs/, the drawings of the charts, and the tables of
// dialects and switches.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { withCharts } from './charts.ts'
import { documentFiles } from './files.ts'
import { withModelTables } from './model-tables.ts'

const docs = path.resolve(import.meta.dirname, '../../docs')
for (const [name, text] of Object.entries(documentFiles())) {
  const file = path.join(docs, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
}
const architecture = path.join(docs, 'architecture.md')
writeFileSync(architecture, withCharts(readFileSync(architecture, 'utf8')))
const models = path.join(docs, 'models.md')
writeFileSync(models, withModelTables(readFileSync(models, 'utf8')))
