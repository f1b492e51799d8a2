// The client scenarios of the public suite of MCP against the MCP client of tasks: `npm run doors -- mcp-client`. What fails is named in
// expected-failures.yaml, with reasons.
import t from 'tap'
import { play, scenarios } from './scenarios.ts'

t.setTimeout(1_200_000)

for (const [version, names] of Object.entries(scenarios))
  for (const name of names)
    t.test(`${name} of ${version}`, async t => {
      const { code, printed } = await play(t, version, name)
      t.comment(/Passed: .*/.exec(printed)?.[0] ?? 'no result')
      t.equal(code, 0, printed)
    })
