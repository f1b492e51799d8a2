// Handles Ctrl-C, SIGTERM and a terminal that closes, in a command that runs no server: `tidy` removes unfinished files,
// then the process ends.
export const onSignal = (tidy: () => void): void => {
  const ends = (signal: NodeJS.Signals, code: number) =>
    process.once(signal, () => {
      tidy()
      process.exit(code)
    })
  ends('SIGHUP', 129)
  ends('SIGINT', 130)
  ends('SIGTERM', 143)
}
