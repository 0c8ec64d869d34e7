import { AppError } from "../errors.ts";

/**
 * Bytes that are stored or reserved. A running upload holds a reservation, so that concurrent uploads
 * cannot exceed the limit together.
 */
export class Quota {
  readonly #limit: number;
  #stored = 0;
  #reserved = 0;

  constructor(limitBytes: number) {
    this.#limit = limitBytes;
  }

  /** Sets the bytes that are on disk now, without the files of running uploads. */
  measured(bytes: number): void {
    this.#stored = bytes;
  }

  reserve(bytes: number): void {
    if (this.#stored + this.#reserved + bytes > this.#limit)
      throw new AppError("storage", "temporary image upload quota exceeded");
    this.#reserved += bytes;
  }

  release(bytes: number): void {
    this.#reserved -= bytes;
  }

  stored(bytes: number): void {
    this.#stored += bytes;
  }
}
