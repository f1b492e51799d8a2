// Loads the version of better-sqlite3 that fits the running Node. Version 12 of better-sqlite3 may crash the process at
// any moment when it is compiled for Node 24.19 or later, whose headers have changed (nodejs/node#65446). Version 13
// uses Node-API, which never changes, but it needs version 10 of Node-API, which Node 20 does not have.
import { createRequire } from 'node:module'
import type Database from 'better-sqlite3'

const line = Number(process.versions.napi) >= 10 ? 'better-sqlite3-13' : 'better-sqlite3'

export default createRequire(import.meta.url)(line) as typeof Database
