// The result of every check: the value fits, or a list of problems such as "/path/to/field must be string".
export type Verdict = { ok: true } | { ok: false; problems: string[] }

export const verdictOf = (problems: string[]): Verdict =>
  problems.length === 0 ? { ok: true } : { ok: false, problems }
