// Runs one bench in this process. See run.ts.
import { collectAsServer } from '../src/platform/collections.ts'
import { benches } from './benches.ts'

const [name = '', ...args] = process.argv.slice(2)
const open = benches[name]
if (open === undefined) throw new Error(`There is no bench named ${name}`)
collectAsServer()
await (await open()).run(args)
process.exit(0) // whatever a bench left open
