// Words of a shell command that somebody will paste.

/** A text between single quotes. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** A text as one word of a command: between quotes only if the shell would read it otherwise. */
export const shellWord = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : quoted(text))
