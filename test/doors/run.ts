// Runs the public suites of the protocols that doors speak: `npm run doors`, or `npm run doors -- mcp a2a` for some of them.
// A suite is a program, `test/doors/<door>/suite.ts`. It ends with the code 0 if nothing failed but what its file of expected
// failures names, each with a reason.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'

const folder = import.meta.dirname
const suiteOf = (door: string): string => path.join(folder, door, 'suite.ts')
const doors = readdirSync(folder).filter(name => existsSync(suiteOf(name)))

const asked = process.argv.slice(2)
const unknown = asked.filter(name => !doors.includes(name))
if (unknown.length > 0) {
  console.error(`There is no suite for ${unknown.join(', ')}: name some of ${doors.join(', ')}`)
  process.exit(2)
}

const results = (asked.length > 0 ? asked : doors).map(door => {
  console.log(`\n== ${door}`)
  const { status } = spawnSync(process.execPath, [suiteOf(door)], { stdio: 'inherit' })
  return { door, passed: status === 0 }
})
console.log()
for (const { door, passed } of results) console.log(`${door.padEnd(8)} ${passed ? 'passed' : 'FAILED'}`)
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1
