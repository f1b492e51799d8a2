// Variables that callers give to what runs for them: `env` of a task, `env_vars` of a session or of a step. Their values
// are secrets.

const hidden = '***'

/** The same names, each value hidden. */
export const masked = (values: object): Record<string, string> =>
  Object.fromEntries(Object.keys(values).map(name => [name, hidden]))

/** As a process has them: a value that is no text is its JSON. */
export const asTexts = (values: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )

const loaderVariable =
  /^(LD_|DYLD_|NODE_|PYTHON|PERL|RUBY|BASH|GCONV_|JAVA_TOOL_OPTIONS$|PATH$|HOME$|ENV$|IFS$|SHELLOPTS$)/

/**
 * Whether a variable decides which code a program loads, or where it looks for it. No caller may set one for a process
 * outside the sandbox.
 */
export const isLoaderVariable = (name: string): boolean => loaderVariable.test(name)
