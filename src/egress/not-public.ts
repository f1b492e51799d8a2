/** A URL that leads where callers may not go. Names no address: what a name means inside is nobody's business. */
export class NotPublic extends Error {
  constructor(host: string) {
    super(
      `${host} leads to an address that is not public; the operator can allow these with ALLOW_PRIVATE_URLS=1`,
    )
  }
}
