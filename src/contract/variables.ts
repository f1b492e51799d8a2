// Variables that callers set for their tasks (`env`) and for their environment sessions and steps (`env_vars`). Their
// values are secrets.

const hidden = '***'

/** The same names, each value hidden. */
export const masked = (values: object): Record<string, string> =>
  Object.fromEntries(Object.keys(values).map(name => [name, hidden]))

/** The variables of a process: a value that is not a text becomes its JSON. */
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
 * Whether a variable decides which code a program loads, or from where. No caller may set such a variable for a process
 * outside the sandbox.
 */
export const isLoaderVariable = (name: string): boolean => loaderVariable.test(name)
