// Variables that callers set for their tasks (`env`) and for their environment sessions and steps (`env_vars`). Their
// values are secrets.

const hidden = '***'

/** The names of the variables, with `***` in place of each value. */
export const masked = (values: object): Record<string, string> =>
  Object.fromEntries(Object.keys(values).map(name => [name, hidden]))

/** The values as texts, for a process. A value that is not a text becomes its JSON. */
export const asTexts = (values: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )

/** Values with fewer characters are not hidden: they are flags and counts, such as "1", not secrets. */
const shortestSecret = 4

/** The text with `***` in place of each of the values. */
export const withoutValues = (text: string, values: readonly string[]): string =>
  values
    .filter(value => value.length >= shortestSecret)
    .sort((a, b) => b.length - a.length)
    .reduce((masked, value) => masked.replaceAll(value, hidden), text)

const loaderVariable =
  /^(LD_|DYLD_|NODE_|PYTHON|PERL|RUBY|BASH|GCONV_|JAVA_TOOL_OPTIONS$|PATH$|HOME$|ENV$|IFS$|SHELLOPTS$)/

/**
 * Whether a variable decides which code a program loads, or where the program looks for code. A caller may set these
 * variables only for processes inside the sandbox.
 */
export const isLoaderVariable = (name: string): boolean => loaderVariable.test(name)
