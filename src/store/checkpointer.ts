import type { Database } from "bun:sqlite";
import { CHECKPOINT_PAGES } from "./database.ts";

/**
 * Text and not a file: it runs in the executable as it does from source. A connection of its own
 * waits for nobody who writes, and nobody waits for it.
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
 * Moves what a large change wrote from the log of changes into the database, in a thread of its
 * own: a disk that others keep busy takes a quarter of a second for that, in which the thread that
 * serves requests would do nothing else. While one exists, no commit does it.
 */
export class Checkpointer implements Disposable {
  readonly #database: Database;
  readonly #url = URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" }));
  readonly #worker = new Worker(this.#url);

  constructor(database: Database) {
    this.#database = database;
    database.run("PRAGMA wal_autocheckpoint = 0");
  }

  /** When it resolves, all that was written before is on the disk. */
  run(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#worker.onmessage = () => resolve();
      // Here it either succeeds or fails in the database's own words.
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
