/**
 * Thrown when a URL leads to an address that callers may not reach. The message does not contain the address, which
 * would reveal how a name resolves inside the network.
 */
export class NotPublic extends Error {
  constructor(host: string) {
    super(
      `${host} leads to an address that is not public; the operator can allow such addresses with ALLOW_PRIVATE_URLS=1`,
    )
  }
}
