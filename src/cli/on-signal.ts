// Ctrl-C and SIGTERM in a command without a server of its own: what it left half done goes, and it ends.
export const onSignal = (tidy: () => void): void => {
  const ends = (signal: NodeJS.Signals, code: number) =>
    process.once(signal, () => {
      tidy()
      process.exit(code)
    })
  ends('SIGINT', 130)
  ends('SIGTERM', 143)
}
