// The shop: what was ordered, and what was paid back.
import { tool } from 'reprise/environment'

const order = { order: { type: 'integer' } }

export class Shop {
  static description = 'The orders of a shop.'
  static parameters = { type: 'object', properties: { prices: { type: 'object' } } }

  constructor({ prices = { 1001: 34, 1002: 120 } }) {
    this.prices = prices
  }

  reset() {
    this.refunds = []
  }

  step(name, { order }) {
    const price = this.prices[order]
    if (price === undefined) throw new Error(`there is no order ${order}`)
    if (name === 'price') return { content: String(price) }
    this.refunds.push(order)
    return { content: `${price} EUR are paid back`, reward: -price }
  }

  observe() {
    return { refunds: this.refunds }
  }

  tools() {
    return [
      tool('price', 'What an order has cost, in EUR.', order),
      tool('refund', 'Pays the price of an order back.', order),
    ]
  }
}
