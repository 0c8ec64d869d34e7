import { join } from "node:path";
import { type Kept, NOTHING_KEPT, withAnswer } from "../answered/kept.ts";

const DAY = 86_400;
/** Days ago of each plain yes. */
const YESES = [6, 6, 5, 4, 4, 3, 2, 2, 1, 1, 1, 0];

/** One harmless question that was allowed all week. `code` holds the projects of the demo. */
export function sampleAnswers(code: string): Kept {
  const asked = { folder: join(code, "shop"), command: "npm run lint" };
  const now = Math.floor(Date.now() / 1000);
  const dayOf = (at: number) => Math.floor(at / DAY);
  return YESES.reduce<Kept>((kept, ago, i) => {
    const at = now - ago * DAY - (YESES.length - i) * 60;
    return withAnswer(kept, asked, { answer: "allowed", at, dayOf });
  }, NOTHING_KEPT);
}
