/** What was presented proves nothing: it has another form, another signature or another hash. The message says which. */
export class NotProven extends Error {}
