/** Thrown for a text that proves nothing: its form, signature or hash is wrong. The message says what is wrong. */
export class NotProven extends Error {}
