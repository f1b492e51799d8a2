// What signals mean to the server and to its helper processes (docs/operations.md, Stopping).

/**
 * Signals that ask the server to stop. SIGHUP comes from a terminal that closes. SIGQUIT comes from Ctrl-\ and from
 * supervisors that stop gracefully, SIGUSR2 from nodemon, and SIGPWR from LXC. None of them can mean "read the
 * configuration again": it comes from variables, which a process cannot read anew.
 */
export const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2', 'SIGPWR'] as const
export type StopSignal = (typeof stopSignals)[number]

/** At this signal Node opens a port for debuggers, through which every user of the machine can run code as the server. */
const debugging = 'SIGUSR1'

/**
 * Calls `stop` for every signal that asks the server to stop, and `ignored` for SIGUSR1. A signal that Node's own options
 * use, such as `--heapsnapshot-signal=SIGUSR2`, keeps the meaning that they give it.
 */
export const hearSignals = (stop: (signal: StopSignal) => void, ignored: () => void): void => {
  for (const signal of stopSignals) {
    const isTaken = signal === 'SIGUSR2' && process.listenerCount(signal) > 0
    if (!isTaken) process.on(signal, () => stop(signal))
  }
  process.on(debugging, ignored)
}

/**
 * For a helper process: lets signals change nothing. A terminal and some supervisors send them to all processes, but only
 * the server decides what they mean, and a helper ends when the server is gone.
 */
export const leaveSignals = (): void => {
  for (const signal of [...stopSignals, debugging]) process.on(signal, () => {})
}
