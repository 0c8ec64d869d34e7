const KEY = "panewatch.doubts";
const LABEL_LENGTH = 200;

/**
 * What has left for a terminal and has not been answered for, by pane. Kept outside the page: one that
 * is reloaded or killed in between must not offer the same again as if nothing had been sent.
 */
export class Doubts {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  begin(id: string, label: string): void {
    this.#write({ ...this.all(), [id]: label.slice(0, LABEL_LENGTH) });
  }

  end(id: string): void {
    const { [id]: _, ...others } = this.all();
    this.#write(others);
  }

  /** Whether the doubt about this pane is the one that began with this label. */
  isAbout(id: string, label: string): boolean {
    return this.all()[id] === label.slice(0, LABEL_LENGTH);
  }

  clear(): void {
    this.#storage.removeItem(KEY);
  }

  /** Labels by pane. */
  all(): Readonly<Record<string, string>> {
    try {
      const value: unknown = JSON.parse(this.#storage.getItem(KEY) ?? "{}");
      const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
      return Object.fromEntries(entries.filter(([, label]) => typeof label === "string"));
    } catch {
      return {};
    }
  }

  #write(labels: Readonly<Record<string, string>>): void {
    if (Object.keys(labels).length === 0) return this.clear();
    this.#storage.setItem(KEY, JSON.stringify(labels));
  }
}
