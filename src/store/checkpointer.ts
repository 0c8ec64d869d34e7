import type { Database } from "bun:sqlite";
import { CHECKPOINT_PAGES } from "./database.ts";

/**
 * A text, so that it runs in the executable as it does from source. With a connection of its own it
 * waits for no writer, and no writer waits for it.
 */
const WORKER = `
  import { Database } from "bun:sqlite";
  self.onmessage = ({ data }) => {
    const database = new Database(data, { readwrite: true });
    try {
      database.run("PRAGMA wal_checkpoint(PASSIVE)");
    } finally {
      database.close();
    }
    postMessage(null);
  };`;

/**
 * Checkpoints after a large change in a thread of its own: a busy disk takes a quarter of a second,
 * in which the thread that serves requests would do nothing else. While one exists, no commit
 * checkpoints.
 */
export class Checkpointer implements Disposable {
  readonly #database: Database;
  readonly #url = URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" }));
  readonly #worker = new Worker(this.#url);

  constructor(database: Database) {
    this.#database = database;
    database.run("PRAGMA wal_autocheckpoint = 0");
  }

  /** Resolves when all earlier writes are in the database file. */
  run(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#worker.onmessage = () => resolve();
      // Repeated here, it succeeds or fails with the database's own error.
      this.#worker.onerror = () => {
        try {
          this.#database.run("PRAGMA wal_checkpoint(PASSIVE)");
          resolve();
        } catch (error) {
          reject(error);
        }
      };
      this.#worker.postMessage(this.#database.filename);
    });
  }

  [Symbol.dispose](): void {
    this.#worker.terminate();
    URL.revokeObjectURL(this.#url);
    this.#database.run(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  }
}
