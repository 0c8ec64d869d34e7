import type { PaneState } from "../../src/protocol/pane.ts";
import { CLAUDE, CODEX, fleetPane, option } from "./fixture-panes.ts";

const MINUTE = 60;
/** Turns the reading direction of what follows: `exe.txt` reads as `txt.exe`. */
const RIGHT_TO_LEFT_OVERRIDE = "\u202e";
export const LONG_NAME = "x".repeat(10_000);
/** Markup, entities and addresses of scripts: to be read, never to be run. */
const MARKUP = `<img src=x onerror="document.title='run'"><b>Cancel</b> &amp; go back`;

/** Prompts whose text works against the page: directions, lengths, markup, marks on marks. */
export function hostilePanes(): PaneState[] {
  return [
    fleetPane(CODEX, 71, "web:الدفع", "بوابة-الدفع", "needs_input", 125 * MINUTE, {
      question: "هل تريد تنفيذ الأمر التالي؟",
      evidence: [`rm -rf ./build ${RIGHT_TO_LEFT_OVERRIDE}gpj.eton && echo ok`],
      menu: [
        option("1", "نعم، نفّذ الأمر مرة واحدة", {
          description: "Runs once, asks again next time.",
        }),
        option("2", `No${RIGHT_TO_LEFT_OVERRIDE} ,seY`),
      ],
      lines: [`$ rm -rf ./build ${RIGHT_TO_LEFT_OVERRIDE}gpj.eton && echo ok`, "هل تريد؟"],
    }),
    fleetPane(
      CLAUDE,
      72,
      "monorepo:feature/2026-q1/payments/refactor-everything",
      "a-very-long-session-name-that-nobody-should-have-typed-but-somebody-did",
      "needs_input",
      48,
      {
        question: `Overwrite /srv/data/exports/2026/q1/${"customer_records_".repeat(8)}final.parquet?`,
        evidence: [
          `https://registry.example.net/@scope/package/-/package-1.0.0-rc.1.tgz?integrity=${"0".repeat(90)}`,
          MARKUP,
          "👩‍👩‍👧‍👦 🏳️‍🌈 é à ñ Ω ж ไทย 漢字",
          `Z${"\u0335\u0336\u0337\u0338".repeat(60)}algo`,
          "zero\u200bwidth\u200djoined\u2060word\ufeff",
        ],
        menu: [
          option("1", `Overwrite ${"a".repeat(400)}`, { selected: true }),
          option("2", "Keep both: customer_records_deduplicated_normalised_final-1.parquet"),
          option("ctrl-b", MARKUP),
        ],
        lines: [MARKUP, "a".repeat(4000), "👩‍👩‍👧‍👦 🏳️‍🌈 é à ñ Ω ж ไทย 漢字"],
      },
    ),
    fleetPane(CLAUDE, 73, "ops:long", LONG_NAME, "needs_input", 20, {
      question: "Continue?",
      menu: [option("1", "Yes"), option("2", "No")],
      lines: ["Continue?"],
    }),
  ];
}
