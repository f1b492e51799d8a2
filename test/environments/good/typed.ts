// An environment in TypeScript.
export class Typed {
  private count: number = 0
  reset(): object {
    return { count: this.count }
  }
  step(): object {
    this.count++
    return { content: `${this.count satisfies number}` }
  }
  observe(): object {
    return { count: this.count }
  }
  tools(): object[] {
    return []
  }
}
