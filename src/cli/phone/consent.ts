import { createInterface } from "node:readline";
import { print } from "../../lib/print.ts";

interface Consent extends Disposable {
  to(change: string): Promise<boolean>;
}

/** `--yes`: prints each change without asking. */
export const CONSENT_TO_ALL: Consent = {
  async to(change) {
    print(`${change}\n`);
    return true;
  },
  [Symbol.dispose]() {},
};

/**
 * Reads answers from standard input, whose end means no.
 * @param choice the capital letter is what Enter alone means
 * @param inAdvance named where nobody answers: how a person agrees to every change
 */
export function askPerson(choice: "[Y/n]" | "[y/N]", inAdvance: string): Consent {
  const input = createInterface({ input: process.stdin });
  const lines = input[Symbol.asyncIterator]();
  return {
    async to(change) {
      print(`${change} ${choice} `);
      const { value } = await lines.next();
      const isYes = choice === "[Y/n]" ? /^\s*(y(es)?)?\s*$/i : /^\s*y(es)?\s*$/i;
      if (typeof value === "string") return isYes.test(value);
      print(`\nNobody answers: ${inAdvance} asks nothing.\n`);
      return false;
    },
    [Symbol.dispose]: () => input.close(),
  };
}
