// The thread that copies a database into a new file: all its content, without free space. It ends when it is done.

import { workerData } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { threadGivesWay } from '../threads/give-way.ts'

const { from, to } = workerData as { from: string; to: string }
threadGivesWay('all')
const db = new Database(from, { readonly: true })
db.prepare('VACUUM INTO ?').run(to)
db.close()
