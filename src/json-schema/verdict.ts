// The answer to every check: a value fits, or this is what is wrong with it, as "/path/to/field must be string".
export type Verdict = { ok: true } | { ok: false; problems: string[] }

export const verdictOf = (problems: string[]): Verdict =>
  problems.length === 0 ? { ok: true } : { ok: false, problems }
