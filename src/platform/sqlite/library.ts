// better-sqlite3 in the line that fits the running Node. 12, compiled for Node 24.19 or later, ends the process at any
// moment: it is made for headers of Node that have changed since (nodejs/node#65446). 13 stands on Node-API, which never
// changes, but on its version 10, which Node 20 does not have.
import { createRequire } from 'node:module'
import type Database from 'better-sqlite3'

const line = Number(process.versions.napi) >= 10 ? 'better-sqlite3-13' : 'better-sqlite3'

export default createRequire(import.meta.url)(line) as typeof Database
