/** When rows last came under the finger that were not there before: a route, a sheet, the page itself. */
export class Shield {
  #raisedAt: number;
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#raisedAt = nowMs();
  }

  raise(): void {
    this.#raisedAt = this.#nowMs();
  }

  get raisedAt(): number {
    return this.#raisedAt;
  }
}
