import { laterView } from "../parts/lazy.tsx";

/** The views of the review, which come when the first of them is opened. */
export const ReviewList = laterView(async () => (await import("./screen.tsx")).ReviewList);
export const ReviewActions = laterView(async () => (await import("./screen.tsx")).ReviewActions);
export const ReviewPass = laterView(async () => (await import("./pass.tsx")).ReviewPass);
export const ReviewPlan = laterView(async () => (await import("./plan.tsx")).ReviewPlan);
export const ReviewRows = laterView(async () => (await import("./rows.tsx")).ReviewRows);
/** The page has its main part from the first moment on. */
export const ReviewBeside = laterView(
  async () => (await import("./beside.tsx")).ReviewBeside,
  () => <main class="pane" id="content" />,
);
export const ReviewInspector = laterView(
  async () => (await import("./answer.tsx")).ReviewInspector,
);
export const PlanInspector = laterView(
  async () => (await import("./plan-beside.tsx")).PlanInspector,
);
