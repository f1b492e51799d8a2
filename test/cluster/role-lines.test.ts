// The lines about who owns the log: each state has one when it begins and one when it is over.
import tap from 'tap'
import { createRoleLines } from '../../src/node/role-lines.ts'

const linesHere = () => {
  const lines: string[] = []
  const seen = { holder: undefined as string | undefined, isGiven: false }
  let listener = (): void => {}
  const roles = createRoleLines({
    name: 'a',
    lease: {
      holder: () =>
        seen.holder === undefined ? undefined : { name: seen.holder, url: `http://${seen.holder}` },
      isGiven: () => seen.isGiven,
      onChange: given => {
        listener = () => given('free')
      },
    },
    report: (level, text) => void lines.push(`${level} ${text}`),
  })
  const sees = (holder: string | undefined, isGiven = false) => {
    Object.assign(seen, { holder, isGiven })
    listener()
  }
  return { lines, roles, sees }
}

tap.test('a takeover is a warning, with its beginning and its end', async t => {
  const { lines, roles, sees } = linesHere()
  roles.entered('standby')
  sees('b')
  sees('b')
  sees(undefined)
  sees('a')
  roles.entered('claiming')
  roles.entered('owner')
  roles.entered('leaving')
  roles.entered('leaving')
  t.same(lines, [
    'info this node is standby',
    'info the node b has the lease',
    'warn no beat of the owner b has come for 2.3 s: it is lost, or the NATS servers do not store its beats',
    'info this node is claiming',
    'warn this node is owner, in place of b',
    'info this node is leaving',
  ])
})

tap.test('an owner that comes back, and one that leaves on purpose', async t => {
  const { lines, roles, sees } = linesHere()
  sees('b')
  sees(undefined)
  sees('b')
  sees(undefined, true)
  sees('a')
  roles.entered('owner')
  sees(undefined)
  sees('b')
  t.same(lines, [
    'info the node b has the lease',
    'warn no beat of the owner b has come for 2.3 s: it is lost, or the NATS servers do not store its beats',
    'warn the node b has the lease',
    'info the node b gives the lease away',
    'info this node is owner',
    'info the node b has the lease',
  ])
})
