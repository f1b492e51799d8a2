// npm run documents: writes the documents of the interface to docs/.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { documentFiles } from './files.ts'

const docs = path.resolve(import.meta.dirname, '../../docs')
for (const [name, text] of Object.entries(documentFiles())) {
  const file = path.join(docs, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
}
