import { McpFailure } from './failure.ts'

/** Variables that a program needs to find its files and its language; it gets no others of this process. */
const inherited = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'TERM']

/** The variables of a server's process. Throws McpFailure if a process cannot have one of them. */
export const processVariables = (server: string, own: Record<string, string>): Record<string, string> => {
  const unfit = Object.keys(own).find(name => own[name]?.includes('\0'))
  if (unfit !== undefined) {
    throw new McpFailure(server, `cannot be given the variable ${unfit}: its value holds a NUL character`)
  }
  const ours = inherited.flatMap(name => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(ours), ...own }
}
