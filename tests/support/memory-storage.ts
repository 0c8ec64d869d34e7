/** What a browser keeps for the page. */
export class MemoryStorage implements Storage {
  readonly #items = new Map<string, string>();
  get length(): number {
    return this.#items.size;
  }
  key = (index: number) => [...this.#items.keys()][index] ?? null;
  getItem = (key: string) => this.#items.get(key) ?? null;
  /** Whether it takes nothing more. */
  isFull = false;
  setItem = (key: string, value: string) => {
    if (this.isFull) throw new DOMException("full", "QuotaExceededError");
    this.#items.set(key, value);
  };
  removeItem = (key: string) => void this.#items.delete(key);
  clear = () => this.#items.clear();
}
