// The lines of the log about who owns the event log: the roles of this node, and what it sees of the other one.
import type { Lease } from '../cluster/lease.ts'
import type { Report } from '../contract/ports.ts'
import type { Role } from './roles.ts'

type Deps = {
  /** The name of this node. */
  name: string
  lease: Pick<Lease, 'holder' | 'isGiven' | 'onChange'>
  report: Report
}

export const createRoleLines = ({ name, lease, report }: Deps) => {
  let role: Role | undefined
  /** The other node that has or had the lease. */
  let other: string | undefined
  /** Another node that held the lease, and has sent no beats since. */
  let lost: string | undefined

  /** What is over now that had begun with a warning is a warning, too, so that both are seen. */
  const level = (): 'info' | 'warn' => (lost === undefined ? 'info' : 'warn')
  const appeared = (now: string): void => {
    if (now !== other || lost !== undefined) report(level(), `the node ${now} has the lease`, { node: name })
    other = now
    lost = undefined
  }
  const disappeared = (): void => {
    if (other === undefined) return
    if (lease.isGiven()) report('info', `the node ${other} gives the lease away`, { node: name })
    else {
      lost = other
      report(
        'warn',
        `no beat of the owner ${other} has come for 2.3 s: it is lost, or the NATS servers do not store its beats`,
        { node: name },
      )
    }
    other = undefined
  }
  lease.onChange(() => {
    const holder = lease.holder()?.name
    if (holder === undefined) disappeared()
    else if (holder !== name) appeared(holder)
  })
  return {
    /** Called whenever this node enters a role. */
    entered(next: Role): void {
      if (next === role) return
      role = next
      const instead = next === 'owner' && lost !== undefined ? `, in place of ${lost}` : ''
      report(next === 'owner' ? level() : 'info', `this node is ${next}${instead}`, { node: name })
      if (next !== 'owner') return
      other = undefined
      lost = undefined
    },
  }
}
